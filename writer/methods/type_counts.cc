#include "writer/methods/type_counts.h"

#include <algorithm>

namespace iprof {
namespace {

// The size of a node of the map, with its bucket.
constexpr size_t kSiteBytes = 80;

// Classes beyond this number at one site are lost: no compiler specialises code for so many.
constexpr size_t kMostTypes = 65536;

}  // namespace

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
    into.types.insert(at, {number, count});
    ++pairs_;
  }
}

void TypeCounts::AddAll(const TypeCounts& other) {
  for (const auto& [number, site] : other.sites_) {
    if (site.lost > 0) AddLost(number, site.lost);
    for (const auto& [type, count] : site.types) Add(number, other.TypeName(type), count);
  }
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
  pairs_ -= found->second.types.size();
  sites_.erase(found);
}

size_t TypeCounts::bytes() const {
  // Vectors grow by doubling, so half of their memory may be unused.
  return names_.bytes() + sites_.size() * kSiteBytes + pairs_ * 3 / 2 * sizeof(Site::types[0]);
}

}  // namespace iprof
