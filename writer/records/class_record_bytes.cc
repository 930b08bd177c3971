#include "writer/records/class_record_bytes.h"

#include <string>
#include <utility>

#include "writer/base/varint.h"

namespace iprof {
namespace {

constexpr uint32_t kFlagIntrinsic = 1;
constexpr uint32_t kFlagRewritten = 2;
constexpr uint32_t kFlagCounters = 4;
constexpr uint32_t kFlagSites = 8;
constexpr uint32_t kFlagEffort = 16;
constexpr uint32_t kFlagLeftOut = 32;
constexpr uint32_t kFlagLines = 64;
constexpr uint32_t kFlagOrigin = 128;        // times MethodOrigin, 0 to 2
constexpr uint32_t kFlagSureness = 512;      // it is not exact
constexpr uint32_t kOnlyCountedCalls = 128;  // beside the letter of a mark of sureness
constexpr uint32_t kFlagsEnd = kFlagSureness + 3 * kFlagOrigin;

constexpr uint32_t kAccessEnd = 0x10000;
constexpr uint32_t kBciEnd = 0xffff;  // a method has at most 65,535 bytes
constexpr uint32_t kSiteKinds = 3;

void Put(uint64_t value, std::vector<uint8_t>* out) { PutVarint(value, out); }

// The letter of its mark.
void PutSureness(Sureness sureness, std::vector<uint8_t>* out) {
  Put(static_cast<uint8_t>(sureness.Mark().front()) |
          (sureness.has_only_counted_calls() ? kOnlyCountedCalls : 0),
      out);
}

void GetSureness(BoundedReader* in, Sureness* sureness) {
  const uint32_t bits = in->GetBelow(2 * kOnlyCountedCalls);
  std::string text(1, static_cast<char>(bits % kOnlyCountedCalls));
  if (bits >= kOnlyCountedCalls) text += '+';
  const auto mark = Sureness::OfMark(text);
  if (mark) *sureness = *mark;
  if (!mark) in->Fail();
}

void PutMethod(const CountedMethod& method, const LeftOut* left_out, std::vector<uint8_t>* out) {
  PutText(method.name, out);
  PutText(method.descriptor, out);
  Put(method.access, out);
  const bool has_effort = method.effort != Effort{};
  uint32_t flags = kFlagOrigin * static_cast<uint32_t>(method.origin);
  if (method.intrinsic_candidate) flags |= kFlagIntrinsic;
  if (method.rewritten) flags |= kFlagRewritten;
  if (method.counters > 0) flags |= kFlagCounters;
  if (method.sites > 0) flags |= kFlagSites;
  if (has_effort) flags |= kFlagEffort;
  if (left_out != nullptr) flags |= kFlagLeftOut;
  if (method.has_lines) flags |= kFlagLines;
  const bool is_exact = method.sureness == Sureness::Exact();
  if (!is_exact) flags |= kFlagSureness;
  Put(flags, out);
  if (!is_exact) PutSureness(method.sureness, out);
  if (has_effort) {
    const Effort& e = method.effort;
    Put(static_cast<uint32_t>(e.step) | uint32_t{e.sites} << 2 | uint32_t{e.inherited} << 3, out);
    Put(e.budget, out);
  }
  if (left_out != nullptr) {
    Put(left_out->everything ? 1 : 0, out);
    for (const uint32_t number :
         {left_out->branches, left_out->all_branches, left_out->sites, left_out->all_sites}) {
      Put(number, out);
    }
  }
  if (method.rewritten) {
    PutFixed64(method.code_hash, out);
    Put(method.positions, out);
  }
  if (method.has_lines) Put(method.lines, out);
  if (method.counters > 0) {
    Put(method.counters, out);
    Put(static_cast<uint32_t>(method.first), out);
    Put(method.record, out);
  }
  if (method.sites > 0) {
    Put(method.sites, out);
    Put(method.first_site, out);
  }
}

void GetEffort(BoundedReader* in, Effort* effort) {
  const uint32_t bits = in->GetBelow(16);
  effort->step = static_cast<Effort::Step>(bits & 3);
  effort->sites = (bits >> 2 & 1) != 0;
  effort->inherited = (bits >> 3 & 1) != 0;
  effort->budget = static_cast<uint16_t>(in->GetBelow(0x10000));
}

void GetLeftOut(BoundedReader* in, uint32_t method, std::vector<TrimmedMethod>* out) {
  LeftOut left_out;
  left_out.everything = in->GetBelow(2) == 1;
  for (uint32_t* number :
       {&left_out.branches, &left_out.all_branches, &left_out.sites, &left_out.all_sites}) {
    *number = in->Get();
  }
  out->push_back({method, left_out});
}

// Reads a range: how many numbers, and the first. All must fit into 32 bits.
void GetRange(BoundedReader* in, uint32_t* count, uint32_t* first) {
  *count = in->Get();
  *first = in->Get();
  if (*count == 0 || uint64_t{*first} + *count > UINT32_MAX) in->Fail();
}

void GetMethod(BoundedReader* in, uint32_t number, ClassRecord* record) {
  CountedMethod& method = record->methods[number];
  method.name = record->Keep(in->GetText());
  method.descriptor = record->Keep(in->GetText());
  method.access = static_cast<uint16_t>(in->GetBelow(kAccessEnd));
  const uint32_t flags = in->GetBelow(kFlagsEnd);
  const uint32_t origin = flags % kFlagSureness / kFlagOrigin;
  if (origin > static_cast<uint32_t>(MethodOrigin::kAdded)) in->Fail();
  method.origin = static_cast<MethodOrigin>(origin);
  if ((flags & kFlagSureness) != 0) GetSureness(in, &method.sureness);
  method.intrinsic_candidate = (flags & kFlagIntrinsic) != 0;
  method.rewritten = (flags & kFlagRewritten) != 0;
  if ((flags & kFlagEffort) != 0) GetEffort(in, &method.effort);
  if ((flags & kFlagLeftOut) != 0) GetLeftOut(in, number, &record->left_out);
  if (method.rewritten) {
    method.code_hash = in->GetFixed64();
    method.positions = in->GetBelow(record->positions.size() + 1);
  }
  method.has_lines = (flags & kFlagLines) != 0;
  if (method.has_lines) method.lines = in->GetBelow(record->lines.size());
  if ((flags & kFlagCounters) != 0) {
    uint32_t first = 0;
    GetRange(in, &method.counters, &first);
    method.first = CounterIndex{first};
    method.record = in->GetBelow(record->records.size());
  }
  if ((flags & kFlagSites) != 0) GetRange(in, &method.sites, &method.first_site);
}

void GetSites(BoundedReader* in, ClassRecord* record) {
  const uint32_t count = in->GetCount(5);
  record->sites.reserve(count);
  uint32_t method = 0;
  for (uint32_t s = 0; s < count && in->ok(); ++s) {
    const uint32_t step = in->GetBelow(record->methods.size() - method);
    const uint32_t bci = in->GetBelow(kBciEnd);
    if (!record->sites.empty() && step == 0 && bci < record->sites.back().bci) in->Fail();
    method += step;
    const uint32_t number = in->Get();
    const auto kind = static_cast<SiteKind>(in->GetBelow(kSiteKinds));
    const uint32_t target = in->GetBelow(record->targets.size() + 1);
    record->sites.push_back({method, bci, number, kind, target});
  }
}

bool GetClass(BoundedReader* in, ClassRecord* record) {
  record->hash.low = in->GetFixed64();
  record->hash.high = in->GetFixed64();
  record->access = static_cast<uint16_t>(in->GetBelow(kAccessEnd));
  record->name = record->Keep(in->GetText());
  record->super_name = record->Keep(in->GetText());
  const uint32_t callees = in->GetCount(4);
  record->callees.reserve(callees);
  for (uint32_t c = 0; c < callees && in->ok(); ++c) {
    Callee callee;
    callee.owner = record->Keep(in->GetText());
    callee.name = record->Keep(in->GetText());
    callee.descriptor = record->Keep(in->GetText());
    callee.virtual_call = in->GetBelow(2) == 1;
    record->callees.push_back(callee);
  }
  const uint32_t targets = in->GetCount(2);
  record->targets.reserve(targets);
  for (uint32_t t = 0; t < targets && in->ok(); ++t) {
    const std::string_view owner = record->Keep(in->GetText());
    record->targets.push_back({owner, record->Keep(in->GetText())});
  }
  const auto positions = in->GetBytes();
  record->positions.assign(positions.begin(), positions.end());
  const auto lines = in->GetBytes();
  record->lines.assign(lines.begin(), lines.end());
  const auto records = in->GetBytes();
  record->records.assign(records.begin(), records.end());
  record->methods.resize(in->GetCount(4));
  for (uint32_t m = 0; m < record->methods.size() && in->ok(); ++m) GetMethod(in, m, record);
  GetSites(in, record);
  return in->ok() && in->at_end();
}

}  // namespace

void EncodeClassRecord(const ClassRecord& record, std::vector<uint8_t>* out) {
  std::vector<uint8_t> body{kClassRecordVersion};
  PutFixed64(record.hash.low, &body);
  PutFixed64(record.hash.high, &body);
  Put(record.access, &body);
  PutText(record.name, &body);
  PutText(record.super_name, &body);
  Put(record.callees.size(), &body);
  for (const Callee& callee : record.callees) {
    PutText(callee.owner, &body);
    PutText(callee.name, &body);
    PutText(callee.descriptor, &body);
    Put(callee.virtual_call ? 1 : 0, &body);
  }
  Put(record.targets.size(), &body);
  for (const CallTarget& target : record.targets) {
    PutText(target.owner, &body);
    PutText(target.name, &body);
  }
  PutBytes(record.positions, &body);
  PutBytes(record.lines, &body);
  PutBytes(record.records, &body);
  Put(record.methods.size(), &body);
  auto left_out = record.left_out.begin();
  for (uint32_t m = 0; m < record.methods.size(); ++m) {
    const bool trimmed = left_out != record.left_out.end() && left_out->method == m;
    PutMethod(record.methods[m], trimmed ? &(left_out++)->left_out : nullptr, &body);
  }
  Put(record.sites.size(), &body);
  uint32_t method = 0;
  for (const ClassSite& site : record.sites) {
    Put(site.method - method, &body);
    method = site.method;
    Put(site.bci, &body);
    Put(site.number, &body);
    Put(static_cast<uint32_t>(site.kind), &body);
    Put(site.target, &body);
  }
  AppendSealed(body, out);
}

SealStatus DecodeClassRecord(std::span<const uint8_t> bytes, ClassRecord* record,
                             size_t* consumed) {
  *record = ClassRecord();
  const Sealed sealed = OpenSealed(bytes, kClassRecordVersion);
  *consumed = sealed.consumed;
  if (sealed.status != SealStatus::kRecord) return sealed.status;
  BoundedReader in(sealed.body);
  if (GetClass(&in, record)) return SealStatus::kRecord;
  *record = ClassRecord();
  return SealStatus::kDamaged;
}

std::string_view NameInClassRecord(std::span<const uint8_t> bytes) {
  BoundedReader in(OpenSealed(bytes, kClassRecordVersion).body);
  in.GetFixed64();
  in.GetFixed64();
  in.GetBelow(kAccessEnd);
  return in.GetText();
}

}  // namespace iprof
