// TypeCounts: which classes each site saw, and how often. It adds up what the rows and spill tables
// in the JVM contained.
//
// Guarantees: sums have 64 bits. A class is identified by its name as
// Class.getName() returns it, so classes of several loaders with the same name are one. With a
// limit, a class that is new to a site is lost once there is no room; known classes are still
// counted. Look-ups take logarithmic time, even if a site saw many classes.
// Threads: one at a time; the owner locks.
// Failure: throws std::bad_alloc and keeps what was counted before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writer/base/name_table.h"
#include "writer/base/short_list.h"

namespace iprof {

// A count times a factor, which is at least 0. Only 0 becomes 0.
uint64_t ScaledCount(uint64_t count, double factor);

class TypeCounts {
 public:
  void Add(uint32_t site, std::string_view type_name, uint64_t count);
  // Objects whose class could not be kept.
  void AddLost(uint32_t site, uint64_t count) { sites_[site].lost += count; }
  void AddAll(const TypeCounts& other);
  // The other counts may be multiplied by a factor, which is at least 0. No count becomes 0.
  void AddSite(const TypeCounts& other, uint32_t site, double factor = 1);
  // Subtracts the other counts, class by class; no count becomes negative. Classes without a count
  // are removed.
  void SubtractAll(const TypeCounts& other);
  void SubtractSite(const TypeCounts& other, uint32_t site);

  // Multiplies the counts of a site by the factor, which is at least 0. No count becomes 0.
  void Scale(uint32_t site, double factor);

  struct Site {
    ShortList<std::pair<uint32_t, uint64_t>, 2> types;  // number of the name, ascending; count
    uint64_t lost = 0;
  };
  // Null for a site that saw no objects.
  const Site* Find(uint32_t site) const;
  // The sites that saw objects, ascending.
  std::vector<uint32_t> Sites() const;
  // Calls visit(site, const Site&) for each site, in no particular order.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [number, site] : sites_) visit(number, site);
  }
  std::string_view TypeName(uint32_t number) const { return names_.Text(NameId{number}); }

  // Forgets the counts of a site, because another site will get its number.
  void Forget(uint32_t site);

  // From about this size on, no new classes are added.
  void LimitBytes(size_t bytes) { limit_ = bytes; }
  size_t bytes() const;
  // Objects that were lost because of the limit.
  uint64_t beyond_limit() const { return beyond_limit_; }

 private:
  NameTable names_;  // one use for each class of each site
  std::unordered_map<uint32_t, Site> sites_;
  size_t long_bytes_ = 0;  // what sites with many classes take beyond their nodes
  size_t limit_ = SIZE_MAX;
  uint64_t beyond_limit_ = 0;
};

}  // namespace iprof
