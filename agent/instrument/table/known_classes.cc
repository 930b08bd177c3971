#include "agent/instrument/table/known_classes.h"

#include <algorithm>
#include <utility>

namespace iprof::instrument {
namespace {

// Greater than the number of any site in the JVM.
constexpr uint32_t kFirstUnloadedSite = uint32_t{1} << 31;

}  // namespace

KnownClasses::KnownClasses(ClassTable& table, std::span<const uint64_t> counters,
                           const TypeCounts& types, OriginOf origin_of,
                           const std::function<size_t()>& end)
    : table_(table),
      classes_(table.HoldAll()),
      origin_of_(std::move(origin_of)),
      counters_(counters.begin(), counters.end()),
      next_site_(kFirstUnloadedSite) {
  counters_.resize(std::max(counters_.size(), end()));
  types_.AddAll(types);
  names_.reserve(classes_.size());
  bases_.reserve(classes_.size());
  for (const ClassId id : classes_) {
    names_.push_back(table_.NameOf(id));
    UnloadedCounts counts;
    if (!table_.CountsOf(id, &counts)) {
      bases_.emplace_back(0, 0);
      continue;
    }
    bases_.emplace_back(static_cast<uint32_t>(counters_.size()), next_site_);
    ClassRecord klass;
    table_.Decode(id, bases_.back().first, bases_.back().second, &klass);
    AddUnloaded(klass, counts);
  }
}

void KnownClasses::AddUnloaded(const ClassRecord& klass, const UnloadedCounts& counts) {
  const size_t base = counters_.size();
  size_t all = 0;
  for (const CountedMethod& method : klass.methods) {
    all += method.counters;
    next_site_ += method.sites;
  }
  counters_.resize(base + all);
  for (const auto& [number, count] : counts.counters) {
    if (number < all) counters_[base + number] += count;
  }
  const uint32_t first_site = bases_.back().second;
  for (const UnloadedCounts::Site& site : counts.sites) {
    const uint32_t number = first_site + site.number;
    if (number >= next_site_) continue;
    if (site.lost > 0) types_.AddLost(number, site.lost);
    for (const auto& [type, count] : site.types) types_.Add(number, type, count);
  }
}

const ClassRecord& KnownClasses::Get(size_t number, ClassRecord& scratch) const {
  table_.Decode(classes_[number], bases_[number].first, bases_[number].second, &scratch);
  if (origin_of_) {
    for (CountedMethod& method : scratch.methods) method.origin = origin_of_(scratch, method);
  }
  return scratch;
}

}  // namespace iprof::instrument
