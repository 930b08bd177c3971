#include "agent/instrument/table/kept_class.h"

#include <algorithm>
#include <cstring>

#include "writer/base/varint.h"

namespace iprof::instrument {
namespace {

constexpr uint8_t kIntrinsicFlag = 1;
constexpr uint8_t kRewrittenFlag = 2;
constexpr uint8_t kCountersFlag = 4;
constexpr uint8_t kSitesFlag = 8;
constexpr uint8_t kEffortFlag = 16;
constexpr uint8_t kLeftOutFlag = 32;
constexpr uint8_t kLinesFlag = 64;
constexpr int kLeftOutNumbers = 5;

uint64_t NumberOf(const Effort& e) {
  return static_cast<uint64_t>(e.step) | uint64_t{e.sites} << 2 | uint64_t{e.inherited} << 3 |
         uint64_t{e.budget} << 4;
}

Effort EffortOf(uint64_t number) {
  return {.step = static_cast<Effort::Step>(number & 3),
          .inherited = (number >> 3 & 1) != 0,
          .sites = (number >> 2 & 1) != 0,
          .budget = static_cast<uint16_t>(number >> 4)};
}

// Whether the site that is encoded with this number has a target.
bool HasTarget(uint64_t site) { return static_cast<SiteKind>(site % 4) == SiteKind::kReceiver; }

// The end of the bytes of a method's positions, lines or record, which is the start of the next method's.
template <typename Has>
uint32_t EndOf(const ClassRecord& klass, size_t method, Has has, uint32_t CountedMethod::*offset,
               size_t all) {
  for (size_t m = method + 1; m < klass.methods.size(); ++m) {
    if (has(klass.methods[m])) return klass.methods[m].*offset;
  }
  return static_cast<uint32_t>(all);
}

void PutName(std::string_view text, NameTable& names, std::vector<uint8_t>* out) {
  PutVarint(static_cast<uint32_t>(names.Add(text)), out);
}

void PutHash(uint64_t hash, std::vector<uint8_t>* out) {
  const size_t at = out->size();
  out->resize(at + sizeof hash);
  std::memcpy(out->data() + at, &hash, sizeof hash);
}

void AddRange(uint32_t first, uint32_t count, std::vector<CounterRange>* ranges, size_t begin) {
  if (count == 0) return;
  if (ranges->size() > begin) {
    CounterRange& last = ranges->back();
    const uint32_t end = static_cast<uint32_t>(last.first) + last.count;
    if (end == first) {
      last.count += count;
      return;
    }
  }
  ranges->push_back({CounterIndex{first}, count});
}

// Iterates over ranges in the steps in which they were taken.
class RangeWalk {
 public:
  explicit RangeWalk(std::span<const CounterRange> ranges) : ranges_(ranges) {}

  uint32_t Next(uint32_t count) {
    while (at_ < ranges_.size() && used_ + count > ranges_[at_].count) {
      ++at_;
      used_ = 0;
    }
    if (at_ == ranges_.size()) return 0;
    const uint32_t first = static_cast<uint32_t>(ranges_[at_].first) + used_;
    used_ += count;
    return first;
  }

 private:
  std::span<const CounterRange> ranges_;
  size_t at_ = 0;
  uint32_t used_ = 0;
};

}  // namespace

std::vector<uint8_t> EncodeContent(const ClassRecord& klass, NameTable& names) {
  std::vector<uint8_t> out;
  PutVarint(klass.access, &out);
  PutName(klass.super_name, names, &out);
  PutVarint(klass.methods.size(), &out);
  PutVarint(klass.callees.size(), &out);
  PutVarint(klass.targets.size(), &out);
  for (const Callee& callee : klass.callees) {
    PutName(callee.owner, names, &out);
    PutName(callee.name, names, &out);
    PutName(callee.descriptor, names, &out);
    PutVarint(callee.virtual_call ? 1 : 0, &out);
  }
  for (const CallTarget& target : klass.targets) {
    PutName(target.owner, names, &out);
    PutName(target.name, names, &out);
  }
  const auto is_rewritten = [](const CountedMethod& m) { return m.rewritten; };
  const auto has_lines = [](const CountedMethod& m) { return m.has_lines; };
  const auto has_counters = [](const CountedMethod& m) { return m.counters > 0; };
  std::vector<uint8_t> positions;
  std::vector<uint8_t> lines;
  std::vector<uint8_t> records;
  auto site = klass.sites.begin();
  auto left_out = klass.left_out.begin();
  for (size_t m = 0; m < klass.methods.size(); ++m) {
    const CountedMethod& method = klass.methods[m];
    PutName(method.name, names, &out);
    PutName(method.descriptor, names, &out);
    PutVarint(method.access, &out);
    const bool trimmed = left_out != klass.left_out.end() && left_out->method == m;
    int flags = 0;
    if (method.effort != Effort{}) flags |= kEffortFlag;
    if (trimmed) flags |= kLeftOutFlag;
    if (method.intrinsic_candidate) flags |= kIntrinsicFlag;
    if (method.rewritten) flags |= kRewrittenFlag;
    if (method.counters > 0) flags |= kCountersFlag;
    if (method.sites > 0) flags |= kSitesFlag;
    if (method.has_lines) flags |= kLinesFlag;
    out.push_back(static_cast<uint8_t>(flags));
    if (method.effort != Effort{}) PutVarint(NumberOf(method.effort), &out);
    if (trimmed) {
      const LeftOut& l = (left_out++)->left_out;
      for (const uint32_t number :
           {uint32_t{l.everything}, l.branches, l.all_branches, l.sites, l.all_sites})
        PutVarint(number, &out);
    }
    if (method.rewritten) {
      const uint32_t end =
          EndOf(klass, m, is_rewritten, &CountedMethod::positions, klass.positions.size());
      PutHash(method.code_hash, &out);
      PutVarint(end - method.positions, &out);
      positions.insert(positions.end(), klass.positions.begin() + method.positions,
                       klass.positions.begin() + end);
    }
    if (method.has_lines) {
      const uint32_t end = EndOf(klass, m, has_lines, &CountedMethod::lines, klass.lines.size());
      PutVarint(end - method.lines, &out);
      lines.insert(lines.end(), klass.lines.begin() + method.lines, klass.lines.begin() + end);
    }
    if (method.counters > 0) {
      const uint32_t end =
          EndOf(klass, m, has_counters, &CountedMethod::record, klass.records.size());
      PutVarint(method.counters, &out);
      PutVarint(end - method.record, &out);
      records.insert(records.end(), klass.records.begin() + method.record,
                     klass.records.begin() + end);
    }
    if (method.sites == 0) continue;
    PutVarint(method.sites, &out);
    uint32_t bci = 0;
    for (; site != klass.sites.end() && site->method == m; ++site) {
      PutVarint(uint64_t{site->bci - bci} * 4 + static_cast<uint64_t>(site->kind), &out);
      if (site->kind == SiteKind::kReceiver) PutVarint(site->target, &out);
      bci = site->bci;
    }
  }
  out.insert(out.end(), positions.begin(), positions.end());
  out.insert(out.end(), lines.begin(), lines.end());
  out.insert(out.end(), records.begin(), records.end());
  out.shrink_to_fit();
  return out;
}

void TakeRanges(const ClassRecord& klass, KeptClass* record) {
  record->ranges.clear();
  for (const CountedMethod& m : klass.methods)
    AddRange(static_cast<uint32_t>(m.first), m.counters, &record->ranges, 0);
  record->counter_ranges = static_cast<uint32_t>(record->ranges.size());
  for (const CountedMethod& m : klass.methods)
    AddRange(m.first_site, m.sites, &record->ranges, record->counter_ranges);
  record->ranges.shrink_to_fit();
}

void ForEachName(std::span<const uint8_t> content, const std::function<void(NameId)>& visit) {
  VarintReader in(content);
  const auto name = [&] { visit(NameId{in.Next32()}); };
  in.Next();
  name();
  const uint64_t methods = in.Next();
  const uint64_t callees = in.Next();
  const uint64_t targets = in.Next();
  for (uint64_t c = 0; c < callees; ++c) {
    name();
    name();
    name();
    in.Next();
  }
  for (uint64_t t = 0; t < targets; ++t) {
    name();
    name();
  }
  for (uint64_t m = 0; m < methods; ++m) {
    name();
    name();
    in.Next();
    const auto flags = in.Bytes(1);
    const int set = flags.empty() ? 0 : flags[0];
    if ((set & kEffortFlag) != 0) in.Next();
    for (int i = 0; (set & kLeftOutFlag) != 0 && i < kLeftOutNumbers; ++i) in.Next();
    if ((set & kRewrittenFlag) != 0) {
      in.Bytes(sizeof(uint64_t));
      in.Next();
    }
    if ((set & kLinesFlag) != 0) in.Next();
    if ((set & kCountersFlag) != 0) {
      in.Next();
      in.Next();
    }
    const uint64_t sites = (set & kSitesFlag) != 0 ? in.Next() : 0;
    for (uint64_t s = 0; s < sites; ++s) {
      if (HasTarget(in.Next())) in.Next();
    }
  }
}

void DecodeContent(std::span<const uint8_t> content, const KeptClass& record,
                   const NameTable& names, ClassRecord* klass) {
  VarintReader in(content);
  const auto name = [&] { return names.Text(NameId{in.Next32()}); };
  klass->access = static_cast<uint16_t>(in.Next());
  klass->super_name = name();
  klass->methods.resize(in.Next());
  klass->callees.resize(in.Next());
  klass->targets.resize(in.Next());
  klass->sites.clear();
  klass->left_out.clear();
  for (Callee& callee : klass->callees) {
    callee.owner = name();
    callee.name = name();
    callee.descriptor = name();
    callee.virtual_call = in.Next() != 0;
  }
  for (CallTarget& target : klass->targets) {
    target.owner = name();
    target.name = name();
  }
  RangeWalk counters(record.CounterRanges());
  RangeWalk sites(record.SiteRanges());
  uint32_t positions = 0;
  uint32_t lines = 0;
  uint32_t records = 0;
  for (uint32_t m = 0; m < klass->methods.size(); ++m) {
    CountedMethod& method = klass->methods[m];
    method = {};
    method.name = name();
    method.descriptor = name();
    method.access = static_cast<uint16_t>(in.Next());
    const auto byte = in.Bytes(1);
    const int flags = byte.empty() ? 0 : byte[0];
    method.intrinsic_candidate = (flags & kIntrinsicFlag) != 0;
    if ((flags & kEffortFlag) != 0) method.effort = EffortOf(in.Next());
    if ((flags & kLeftOutFlag) != 0) {
      LeftOut l;
      l.everything = in.Next() != 0;
      for (uint32_t* number : {&l.branches, &l.all_branches, &l.sites, &l.all_sites})
        *number = in.Next32();
      klass->left_out.push_back({m, l});
    }
    method.rewritten = (flags & kRewrittenFlag) != 0;
    if (method.rewritten) {
      const auto hash = in.Bytes(sizeof method.code_hash);
      if (hash.size() == sizeof method.code_hash)
        std::memcpy(&method.code_hash, hash.data(), hash.size());
      method.positions = positions;
      positions += in.Next32();
    }
    method.has_lines = (flags & kLinesFlag) != 0;
    if (method.has_lines) {
      method.lines = lines;
      lines += in.Next32();
    }
    if ((flags & kCountersFlag) != 0) {
      method.counters = in.Next32();
      method.first = CounterIndex{counters.Next(method.counters)};
      method.record = records;
      records += in.Next32();
    }
    if ((flags & kSitesFlag) == 0) continue;
    method.sites = in.Next32();
    method.first_site = sites.Next(method.sites);
    uint32_t bci = 0;
    for (uint32_t s = 0; s < method.sites; ++s) {
      const uint64_t step = in.Next();
      bci += static_cast<uint32_t>(step / 4);
      const uint32_t target = HasTarget(step) ? in.Next32() : 0;
      klass->sites.push_back(
          {m, bci, method.first_site + s, static_cast<SiteKind>(step % 4), target});
    }
  }
  const auto position_bytes = in.Bytes(positions);
  klass->positions.assign(position_bytes.begin(), position_bytes.end());
  const auto line_bytes = in.Bytes(lines);
  klass->lines.assign(line_bytes.begin(), line_bytes.end());
  const auto record_bytes = in.Bytes(records);
  klass->records.assign(record_bytes.begin(), record_bytes.end());
}

}  // namespace iprof::instrument
