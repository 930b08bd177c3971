#include "writer/records/raw/raw_harvest.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_map>

#include "writer/base/sealed_bytes.h"
#include "writer/base/varint.h"
#include "writer/records/class_record_bytes.h"
#include "writer/records/method_record.h"
#include "writer/records/raw/raw_counts.h"
#include "writer/records/raw/raw_format.h"
#include "writer/records/raw/raw_records.h"

namespace iprof {
namespace {

enum Flag : uint32_t { kCalls = 1, kBranches = 2, kMonitors = 4, kFlagsEnd = 8 };

void Put(uint64_t value, std::vector<uint8_t>* out) { PutVarint(value, out); }

// A source may have its records in another form than bytes.
void PutClass(const ClassSource& classes, size_t number, std::vector<uint8_t>* out) {
  ClassRecord scratch;
  const ClassRecord& from = classes.Get(number, scratch);
  ClassRecord made;
  made.name = from.name;
  made.super_name = from.super_name;
  made.hash = from.hash;
  made.access = from.access;
  made.callees = from.callees;
  made.targets = from.targets;
  made.sites = from.sites;
  made.left_out = from.left_out;
  made.positions = from.positions;
  made.lines = from.lines;
  made.methods = from.methods;
  for (size_t m = 0; m < made.methods.size(); ++m) {
    if (made.methods[m].counters == 0) continue;
    MethodRecord record;
    if (!classes.GetRecord(from, from.methods[m], &record)) record.Clear();
    made.methods[m].record = static_cast<uint32_t>(made.records.size());
    EncodeMethodRecord(record, &made.records);
  }
  EncodeClassRecord(made, out);
}

void PutTypes(const TypeCounts& types, std::vector<uint8_t>* out) {
  std::unordered_map<std::string_view, uint32_t> numbers;
  std::vector<std::string_view> names;
  const std::vector<uint32_t> sites = types.Sites();
  for (const uint32_t site : sites) {
    for (const auto& [type, count] : types.Find(site)->types) {
      const std::string_view name = types.TypeName(type);
      if (numbers.emplace(name, static_cast<uint32_t>(names.size())).second) names.push_back(name);
    }
  }
  Put(names.size(), out);
  for (const std::string_view name : names) PutText(name, out);
  Put(sites.size(), out);
  uint32_t last = 0;
  for (const uint32_t number : sites) {
    const TypeCounts::Site& site = *types.Find(number);
    Put(number - last, out);
    last = number;
    Put(site.lost, out);
    Put(site.types.size(), out);
    for (const auto& [type, count] : site.types) {
      Put(numbers.at(types.TypeName(type)), out);
      Put(count, out);
    }
  }
}

// Keeps the sites that a class names; `named` ascends. No profile has the others, and a site without types takes three bytes
// here, and fifty in memory.
bool ReadTypes(BoundedReader* in, std::span<const uint32_t> named, TypeCounts* types) {
  std::vector<std::string_view> names;
  for (uint32_t left = in->GetCount(1); left > 0 && in->ok(); --left) {
    names.push_back(in->GetText());
    if (names.back().empty()) in->Fail();
  }
  RawAscending site(in);
  for (uint32_t left = in->GetCount(3); left > 0 && in->ok(); --left) {
    const uint32_t number = site.Next();
    const bool is_kept = std::binary_search(named.begin(), named.end(), number);
    const uint64_t lost = in->Get64();
    if (in->ok() && is_kept && lost > 0) types->AddLost(number, lost);
    for (uint32_t seen = in->GetCount(2); seen > 0 && in->ok(); --seen) {
      const uint32_t name = in->GetBelow(names.size());
      const uint64_t count = in->Get64();
      if (in->ok() && is_kept && count > 0) types->Add(number, names[name], count);
    }
  }
  return in->ok();
}

}  // namespace

std::vector<uint8_t> EncodeRawHarvest(const ClassSource& classes,
                                      std::span<const uint64_t> counters, const TypeCounts& types,
                                      const AssemblyOptions& options) {
  std::vector<uint8_t> body{kRawHarvestVersion};
  uint32_t flags = 0;
  if (options.calls) flags |= kCalls;
  if (options.branches) flags |= kBranches;
  if (options.monitors) flags |= kMonitors;
  Put(flags, &body);
  PutFixed64(std::bit_cast<uint64_t>(options.max_lost), &body);
  Put(classes.size(), &body);
  std::vector<uint8_t> record;
  for (size_t number = 0; number < classes.size(); ++number) {
    record.clear();
    PutClass(classes, number, &record);
    PutBytes(record, &body);
  }
  Put(counters.size(), &body);
  for (const uint64_t counter : counters) Put(counter, &body);
  PutTypes(types, &body);
  std::vector<uint8_t> sealed;
  AppendSealed(body, &sealed);
  return sealed;
}

const ClassRecord& RawHarvest::Get(size_t number, ClassRecord& scratch) const {
  size_t consumed = 0;
  static_cast<void>(DecodeClassRecord(classes_[number].record, &scratch, &consumed));
  return scratch;
}

bool RawHarvest::Read(std::span<const uint8_t> body) {
  BoundedReader in(body);
  const uint32_t flags = in.GetBelow(kFlagsEnd);
  const double max_lost = std::bit_cast<double>(in.GetFixed64());
  if (!in.ok() || !(max_lost >= 0 && max_lost <= 1)) return false;
  options_ = {.calls = (flags & kCalls) != 0,
              .branches = (flags & kBranches) != 0,
              .monitors = (flags & kMonitors) != 0,
              .max_lost = max_lost};
  std::vector<uint32_t> sites;
  for (uint32_t left = in.GetCount(1); left > 0 && in.ok(); --left) {
    const std::span<const uint8_t> bytes = in.GetBytes();
    ClassRecord record;
    size_t consumed = 0;
    if (bytes.size() > kMostRawClassBytes ||
        DecodeClassRecord(bytes, &record, &consumed) != SealStatus::kRecord ||
        consumed != bytes.size() || !IsOfJvms(record))
      return false;
    const std::string_view name = NameInClassRecord(bytes);
    if (!classes_.empty() && name < classes_.back().name) return false;
    classes_.push_back({name, bytes});
    for (const ClassSite& site : record.sites) sites.push_back(site.number);
  }
  std::sort(sites.begin(), sites.end());
  const uint32_t counters = in.GetCount(1);
  counters_.reserve(counters);
  for (uint32_t left = counters; left > 0 && in.ok(); --left) counters_.push_back(in.Get64());
  return ReadTypes(&in, sites, &types_) && in.at_end();
}

std::optional<RawHarvest> ReadRawHarvest(std::span<const uint8_t> bytes) {
  const Sealed sealed = OpenSealed(bytes, kRawHarvestVersion);
  RawHarvest harvest;
  if (sealed.status != SealStatus::kRecord || sealed.consumed != bytes.size() ||
      !harvest.Read(sealed.body))
    return std::nullopt;
  return harvest;
}

}  // namespace iprof
