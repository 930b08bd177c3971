#include "agent/vm/cells/type_pairs.h"

#include <algorithm>

namespace iprof::vm {
namespace {

// The size of a node of the map, with its bucket.
constexpr size_t kNodeBytes = 48;

uint64_t KeyOf(uint32_t site, NameId name) {
  return uint64_t{site} << 32 | static_cast<uint32_t>(name);
}

}  // namespace

uint32_t TypePairs::NumberOf(uint32_t site, std::string_view type) {
  const NameId name = names_.Add(type);
  const auto [at, is_new] =
      numbers_.try_emplace(KeyOf(site, name), static_cast<uint32_t>(pairs_.size()));
  if (is_new) {
    pairs_.push_back({site, name});
    counts_.push_back(0);
  } else {
    names_.Release(name);
  }
  return at->second;
}

void TypePairs::AddAll(const TypeCounts& counts) {
  counts.ForEach([&](uint32_t site, const TypeCounts::Site& seen) {
    if (seen.lost > 0) Add(site, {}, seen.lost);
    for (const auto& [type, count] : seen.types) Add(site, counts.TypeName(type), count);
  });
}

TypeCounts TypePairs::ByType() const {
  TypeCounts made;
  for (uint32_t pair = 0; pair < size(); ++pair) {
    if (counts_[pair] == 0) continue;
    if (TypeOf(pair).empty()) {
      made.AddLost(SiteOf(pair), counts_[pair]);
    } else {
      made.Add(SiteOf(pair), TypeOf(pair), counts_[pair]);
    }
  }
  return made;
}

void TypePairs::SubtractAll(const TypeCounts& counts) {
  const auto subtract = [&](uint32_t site, std::string_view type, uint64_t amount) {
    const auto name = names_.Find(type);
    if (!name) return;
    const auto at = numbers_.find(KeyOf(site, *name));
    if (at == numbers_.end()) return;
    uint64_t& count = counts_[at->second];
    count -= std::min(count, amount);
  };
  counts.ForEach([&](uint32_t site, const TypeCounts::Site& seen) {
    if (seen.lost > 0) subtract(site, {}, seen.lost);
    for (const auto& [type, count] : seen.types) subtract(site, counts.TypeName(type), count);
  });
}

void TypePairs::Clear() {
  names_ = {};
  pairs_ = {};
  counts_ = {};
  seen_ = 0;
  numbers_ = {};
}

size_t TypePairs::bytes() const {
  return names_.bytes() + pairs_.capacity() * sizeof(Pair) + counts_.capacity() * sizeof(uint64_t) +
         numbers_.size() * kNodeBytes;
}

}  // namespace iprof::vm
