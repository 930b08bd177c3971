// UnloadedCounts: the counts of an unloaded class: its counters that are not zero, and the types
// that its sites saw.
//
// Counters and sites are numbered from 0 within the class. Encoded, as varints:
//   counters; each: difference of the number, count
//   sites; each: difference of the number, lost objects, types; each: name, count
// Guarantees: decoding gives the counts that were encoded. Sums have 64 bits.
// Threads: any; pure functions, but the owner of the names locks.
// Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "writer/base/name_table.h"

namespace iprof {

struct UnloadedCounts {
  struct Site {
    uint32_t number = 0;
    uint64_t lost = 0;
    std::vector<std::pair<std::string, uint64_t>> types;  // by name
  };
  std::vector<std::pair<uint32_t, uint64_t>> counters;  // ascending number, count
  std::vector<Site> sites;                              // ascending number

  bool empty() const { return counters.empty() && sites.empty(); }
  uint64_t Total() const;
  void AddAll(const UnloadedCounts& other);
};

// Adds a use in `names` for each type's name.
std::vector<uint8_t> EncodeCounts(const UnloadedCounts& counts, NameTable& names);
UnloadedCounts DecodeCounts(std::span<const uint8_t> bytes, const NameTable& names);
void ForEachTypeName(std::span<const uint8_t> bytes, const std::function<void(NameId)>& visit);

}  // namespace iprof
