// TypeCounts: which classes were met at which site, and how often: what the JVM's rows and spill
// tables held, added up.
//
// Guarantees: sums only grow and saturate nowhere short of 64 bits; a class is known by its name as
// Class.getName() gives it, so that equal names of several loaders are one. Not thread-safe: its
// owner locks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace iprof::instrument {

class TypeCounts {
 public:
  void Add(uint32_t site, std::string_view type_name, uint64_t count) {
    AddTo(sites_[site], NumberOf(type_name), count);
  }
  // Objects whose class could not be kept.
  void AddLost(uint32_t site, uint64_t count) { sites_[site].lost += count; }
  void AddAll(const TypeCounts& other);

  struct Site {
    std::vector<std::pair<uint32_t, uint64_t>> types;  // number of the name, count; in no order
    uint64_t lost = 0;
  };
  // Null for a site that met nothing.
  const Site* Find(uint32_t site) const;
  const std::string& TypeName(uint32_t number) const { return names_[number]; }

 private:
  static void AddTo(Site& site, uint32_t type, uint64_t count);
  uint32_t NumberOf(std::string_view name);

  std::vector<std::string> names_;
  std::unordered_map<std::string, uint32_t> numbers_;
  std::unordered_map<uint32_t, Site> sites_;
};

}  // namespace iprof::instrument
