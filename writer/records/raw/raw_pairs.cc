#include "writer/records/raw/raw_pairs.h"

#include <algorithm>
#include <unordered_map>

namespace iprof {

void RawPairs::Add(uint32_t number, uint32_t site, Kind kind) {
  // The kinds last: what has one has a site, also if there was no memory in between.
  if (number >= kinds_.size()) {
    sites_.resize(size_t{number} + 1);
    kinds_.resize(size_t{number} + 1, Kind::kNone);
  }
  sites_[number] = site;
  kinds_[number] = kind;
  if (kind == Kind::kNoRecord) is_whole_ = false;
}

std::span<const uint64_t> RawPairs::Kept(std::span<const uint64_t> counts, double max_lost,
                                         uint64_t* left_out) {
  if (is_whole_) return counts;
  struct Site {
    double listed = 0;
    double lost = 0;
  };
  std::unordered_map<uint32_t, Site> sites;  // those that lack a type
  const size_t end = std::min(counts.size(), kinds_.size());
  for (size_t number = 0; number < end; ++number) {
    if (kinds_[number] == Kind::kNoRecord && counts[number] > 0)
      sites[sites_[number]].lost += static_cast<double>(counts[number]);
  }
  for (size_t number = 0; number < end && !sites.empty(); ++number) {
    if (kinds_[number] == Kind::kNoRecord || counts[number] == 0) continue;
    const auto site = sites.find(sites_[number]);
    if (site == sites.end()) continue;
    double& sum = kinds_[number] == Kind::kLost ? site->second.lost : site->second.listed;
    sum += static_cast<double>(counts[number]);
  }
  std::erase_if(sites, [&](const auto& known) {
    const Site& site = known.second;
    return site.lost <= max_lost * (site.lost + site.listed);
  });
  kept_.assign(counts.begin(), counts.end());
  for (size_t number = 0; number < end; ++number) {
    if (kept_[number] == 0) continue;
    const bool is_named = kinds_[number] != Kind::kNoRecord;
    if (is_named && !sites.contains(sites_[number])) continue;
    kept_[number] = 0;
    if (is_named) ++*left_out;
  }
  return kept_;
}

}  // namespace iprof
