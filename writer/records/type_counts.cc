#include "writer/records/type_counts.h"

#include <algorithm>
#include <cmath>

namespace iprof {
namespace {

// The size of a node of the map, with its bucket.
constexpr size_t kSiteBytes = 96;

// Classes beyond this number at one site are lost: no compiler specialises code for so many.
constexpr size_t kMostTypes = 65536;

}  // namespace

uint64_t ScaledCount(uint64_t count, double factor) {
  constexpr double kMost = 9e18;
  if (count == 0 || factor == 1) return count;
  return static_cast<uint64_t>(
      std::llround(std::clamp(static_cast<double>(count) * factor, 1.0, kMost)));
}

void TypeCounts::Add(uint32_t site, std::string_view type_name, uint64_t count) {
  Site& into = sites_[site];
  const auto number = static_cast<uint32_t>(names_.Add(type_name));
  auto at = std::lower_bound(into.types.begin(), into.types.end(), number,
                             [](const auto& type, uint32_t n) { return type.first < n; });
  if (at != into.types.end() && at->first == number) {
    at->second += count;
    names_.Release(NameId{number});
  } else if (into.types.size() >= kMostTypes || bytes() > limit_) {
    into.lost += count;
    beyond_limit_ += count;
    names_.Release(NameId{number});
  } else {
    const size_t before = into.types.memory_bytes();
    into.types.insert(at, {number, count});
    long_bytes_ += into.types.memory_bytes() - before;
  }
}

void TypeCounts::AddAll(const TypeCounts& other) {
  for (const auto& entry : other.sites_) AddSite(other, entry.first);
}

void TypeCounts::AddSite(const TypeCounts& other, uint32_t site, double factor) {
  const Site* const added = other.Find(site);
  if (added == nullptr) return;
  if (added->lost > 0) AddLost(site, ScaledCount(added->lost, factor));
  for (const auto& [type, count] : added->types)
    Add(site, other.TypeName(type), ScaledCount(count, factor));
}

void TypeCounts::SubtractAll(const TypeCounts& other) {
  for (const auto& entry : other.sites_) SubtractSite(other, entry.first);
}

void TypeCounts::SubtractSite(const TypeCounts& other, uint32_t site) {
  const auto found = sites_.find(site);
  const Site* const amount = other.Find(site);
  if (found == sites_.end() || amount == nullptr) return;
  Site& from = found->second;
  from.lost -= std::min(from.lost, amount->lost);
  std::unordered_map<std::string_view, uint64_t> amounts;
  for (const auto& [type, count] : amount->types) amounts[other.TypeName(type)] += count;
  EraseIf(from.types, [&](auto& type) {
    const auto known = amounts.find(TypeName(type.first));
    if (known == amounts.end()) return false;
    type.second -= std::min(type.second, known->second);
    if (type.second > 0) return false;
    names_.Release(NameId{type.first});
    return true;
  });
}

void TypeCounts::Scale(uint32_t site, double factor) {
  const auto found = sites_.find(site);
  if (found == sites_.end()) return;
  for (auto& [type, count] : found->second.types) count = ScaledCount(count, factor);
  found->second.lost = ScaledCount(found->second.lost, factor);
}

const TypeCounts::Site* TypeCounts::Find(uint32_t site) const {
  const auto found = sites_.find(site);
  return found == sites_.end() ? nullptr : &found->second;
}

std::vector<uint32_t> TypeCounts::Sites() const {
  std::vector<uint32_t> numbers;
  for (const auto& [number, site] : sites_) {
    if (site.lost > 0 || !site.types.empty()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

void TypeCounts::Forget(uint32_t site) {
  const auto found = sites_.find(site);
  if (found == sites_.end()) return;
  for (const auto& [type, count] : found->second.types) names_.Release(NameId{type});
  long_bytes_ -= found->second.types.memory_bytes();
  sites_.erase(found);
}

size_t TypeCounts::bytes() const {
  return names_.bytes() + sites_.size() * kSiteBytes + long_bytes_;
}

}  // namespace iprof
