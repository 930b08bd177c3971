#include "writer/records/method_record.h"

#include <algorithm>
#include <cassert>

#include "writer/base/varint.h"

namespace iprof {
namespace {

constexpr uint32_t kMaxBci = 0xfffe;
// More than 64 KiB of code can need. Limits what a reader allocates for values to 2 MiB.
constexpr uint32_t kMaxCounters = 1u << 18;

void Put(uint32_t value, std::vector<uint8_t>* out) { PutVarint(value, out); }

// Values are incremented by one when written, so that kNoValue takes one byte.
void PutValue(ValueId value, std::vector<uint8_t>* out) { Put(value + 1, out); }

ValueId GetValue(BoundedReader* in, uint32_t value_count) {
  return in->GetBelow(uint64_t{value_count} + 1) - 1;
}

void PutDerivation(const Derivation& d, std::vector<uint8_t>* out) {
  Put(d.counter_count, out);
  Put(static_cast<uint32_t>(d.step_end.size()), out);
  uint32_t begin = 0;
  for (uint32_t end : d.step_end) {
    Put(end - begin, out);
    for (; begin < end; ++begin) Put(d.operands[begin].bits, out);
  }
}

void GetDerivation(BoundedReader* in, Derivation* d) {
  d->counter_count = in->GetBelow(kMaxCounters);
  const uint32_t steps = in->GetCount(1);
  for (uint32_t s = 0; s < steps && in->ok(); ++s) {
    const uint32_t operands = in->GetCount(1);
    for (uint32_t i = 0; i < operands && in->ok(); ++i) {
      d->operands.push_back({in->GetBelow((uint64_t{d->counter_count} + s) * 2)});
    }
    d->step_end.push_back(static_cast<uint32_t>(d->operands.size()));
  }
}

void PutValues(const std::vector<ValueId>& values, std::vector<uint8_t>* out) {
  Put(static_cast<uint32_t>(values.size()), out);
  for (ValueId v : values) Put(v, out);
}

void GetValues(BoundedReader* in, uint32_t limit, std::vector<ValueId>* values) {
  const uint32_t count = in->GetCount(1);
  for (uint32_t i = 0; i < count && in->ok(); ++i) values->push_back(in->GetBelow(limit));
}

void GetBranches(BoundedReader* in, uint32_t value_count, MethodRecord* record) {
  const uint32_t count = in->GetCount(2);
  uint32_t bci = 0;
  for (uint32_t i = 0; i < count && in->ok(); ++i) {
    bci += in->GetBelow(kMaxBci + 1);
    if (bci > kMaxBci) in->Fail();
    // The kind and, for a switch, the number of its successors; an if has two.
    const uint32_t shape = in->Get();
    const uint32_t successors = shape == 0 ? 2 : shape - 1;
    for (uint32_t s = 0; s < successors && in->ok(); ++s) {
      const uint32_t target = in->GetBelow(kMaxBci + 1);
      record->successors.push_back({target, GetValue(in, value_count)});
    }
    record->branches.push_back({bci, shape == 0 ? BranchKind::kIf : BranchKind::kSwitch,
                                static_cast<uint32_t>(record->successors.size())});
  }
}

void GetCalls(BoundedReader* in, uint32_t value_count, MethodRecord* record) {
  const uint32_t count = in->GetCount(3);
  uint32_t bci = 0;
  for (uint32_t i = 0; i < count && in->ok(); ++i) {
    bci += in->GetBelow(kMaxBci + 1);
    if (bci > kMaxBci) in->Fail();
    const uint32_t callee = in->Get();
    record->calls.push_back({bci, callee, GetValue(in, value_count)});
  }
}

bool GetBody(BoundedReader* in, MethodRecord* record) {
  record->klass = in->Get();
  record->method = in->Get();
  record->context = in->Get();
  record->counter_base = in->Get();
  GetDerivation(in, &record->derivation);
  const uint32_t value_count = record->derivation.value_count();
  if (!in->ok() || value_count == 0) return false;
  record->entry = in->GetBelow(value_count);
  if (uint64_t{record->counter_base} + record->derivation.counter_count > UINT32_MAX) return false;

  const uint32_t flags = in->GetBelow(6);
  record->certificate.kind = static_cast<Exactness>(flags >> 1);
  record->certificate.live_frames_matter = (flags & 1) != 0;
  GetValues(in, value_count, &record->certificate.abrupt);
  GetValues(in, value_count, &record->certificate.thrown);
  GetValues(in, value_count, &record->certificate.disturbed);
  GetBranches(in, value_count, record);
  GetCalls(in, value_count, record);
  return in->ok() && in->at_end();
}

}  // namespace

void MethodRecord::Clear() {
  klass = method = context = counter_base = 0;
  derivation.Clear();
  entry = 0;
  certificate.Clear();
  branches.clear();
  successors.clear();
  calls.clear();
}

std::span<const BranchSuccessor> MethodRecord::SuccessorsOf(size_t branch) const {
  const uint32_t begin = branch == 0 ? 0 : branches[branch - 1].successor_end;
  return std::span(successors).subspan(begin, branches[branch].successor_end - begin);
}

void EncodeMethodRecord(const MethodRecord& record, std::vector<uint8_t>* out) {
  assert(IsWellFormed(record.derivation) && record.derivation.counter_count < kMaxCounters);
  constexpr size_t kUsualBytes = 128;
  std::vector<uint8_t> body;
  body.reserve(kUsualBytes);
  body.push_back(kMethodRecordVersion);
  Put(record.klass, &body);
  Put(record.method, &body);
  Put(record.context, &body);
  Put(record.counter_base, &body);
  PutDerivation(record.derivation, &body);
  Put(record.entry, &body);
  const uint32_t kind = static_cast<uint32_t>(record.certificate.kind);
  Put((kind << 1) | (record.certificate.live_frames_matter ? 1 : 0), &body);
  PutValues(record.certificate.abrupt, &body);
  PutValues(record.certificate.thrown, &body);
  PutValues(record.certificate.disturbed, &body);

  Put(static_cast<uint32_t>(record.branches.size()), &body);
  uint32_t bci = 0;
  for (size_t i = 0; i < record.branches.size(); ++i) {
    const BranchSite& site = record.branches[i];
    const auto successors = record.SuccessorsOf(i);
    assert(site.bci >= bci && (site.kind == BranchKind::kSwitch || successors.size() == 2));
    Put(site.bci - bci, &body);
    bci = site.bci;
    Put(site.kind == BranchKind::kIf ? 0 : static_cast<uint32_t>(successors.size()) + 1, &body);
    for (const BranchSuccessor& s : successors) {
      Put(s.target, &body);
      PutValue(s.value, &body);
    }
  }
  Put(static_cast<uint32_t>(record.calls.size()), &body);
  bci = 0;
  for (const CallSite& site : record.calls) {
    assert(site.bci >= bci);
    Put(site.bci - bci, &body);
    bci = site.bci;
    Put(site.callee, &body);
    PutValue(site.value, &body);
  }

  AppendSealed(body, out);
}

MethodRecordStatus DecodeMethodRecord(std::span<const uint8_t> bytes, MethodRecord* record,
                                      size_t* consumed) {
  record->Clear();
  const Sealed sealed = OpenSealed(bytes, kMethodRecordVersion);
  *consumed = sealed.consumed;
  if (sealed.status != SealStatus::kRecord) return sealed.status;
  BoundedReader in(sealed.body);
  if (GetBody(&in, record)) return MethodRecordStatus::kRecord;
  record->Clear();
  return MethodRecordStatus::kDamaged;
}

uint32_t NumberSuccessors(std::span<const uint32_t> targets, std::vector<uint32_t>* numbers) {
  numbers->clear();
  if (targets.size() == 2) {  // of an if
    *numbers = {0, targets[0] == targets[1] ? 0U : 1U};
    return numbers->back() + 1;
  }
  // Sorted by target, then place: the first place of each run is its first appearance.
  std::vector<uint32_t> order(targets.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return targets[a] < targets[b]; });
  std::vector<uint32_t> first(targets.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same = i > 0 && targets[order[i]] == targets[order[i - 1]];
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  uint32_t next = 0;
  for (uint32_t i = 0; i < targets.size(); ++i) {
    numbers->push_back(first[i] == i ? next++ : (*numbers)[first[i]]);
  }
  return next;
}

}  // namespace iprof
