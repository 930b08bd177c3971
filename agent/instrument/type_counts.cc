#include "agent/instrument/type_counts.h"

#include <algorithm>

namespace iprof::instrument {

uint32_t TypeCounts::NumberOf(std::string_view name) {
  const auto [at, added] =
      numbers_.try_emplace(std::string(name), static_cast<uint32_t>(names_.size()));
  if (added) names_.emplace_back(name);
  return at->second;
}

void TypeCounts::AddTo(Site& site, uint32_t type, uint64_t count) {
  // New types are appended; a site with thousands is searched from its end, where the newest are.
  const auto found = std::find_if(site.types.rbegin(), site.types.rend(),
                                  [&](const auto& t) { return t.first == type; });
  if (found != site.types.rend()) {
    found->second += count;
  } else {
    site.types.emplace_back(type, count);
  }
}

void TypeCounts::AddAll(const TypeCounts& other) {
  for (const auto& [number, site] : other.sites_) {
    Site& mine = sites_[number];
    mine.lost += site.lost;
    for (const auto& [type, count] : site.types) AddTo(mine, NumberOf(other.names_[type]), count);
  }
}

const TypeCounts::Site* TypeCounts::Find(uint32_t site) const {
  const auto found = sites_.find(site);
  return found == sites_.end() ? nullptr : &found->second;
}

}  // namespace iprof::instrument
