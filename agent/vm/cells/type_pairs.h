// TypePairs: numbers each pair of a class-counting site and a class that it saw, so that their
// counts are an array, which can be written and compared as such.
//
// Guarantees: a pair keeps its number until Clear, also when its site belongs to another class
// by then. An empty name stands for the objects whose class is not known.
// Threads: one at a time; the owner locks. Calls no JVM.
// Failure: throws std::bad_alloc; then the pairs are as before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "writer/base/name_table.h"
#include "writer/records/type_counts.h"

namespace iprof::vm {

class TypePairs {
 public:
  // Sets all counts to 0; the pairs stay.
  void BeginReading() {
    counts_.assign(pairs_.size(), 0);
    seen_ = 0;
  }
  // The number of a pair; a new one has the count 0.
  uint32_t NumberOf(uint32_t site, std::string_view type);
  void Add(uint32_t pair, uint64_t count) {
    seen_ += counts_[pair] == 0 && count > 0 ? 1 : 0;
    counts_[pair] += count;
  }
  void Add(uint32_t site, std::string_view type, uint64_t count) {
    Add(NumberOf(site, type), count);
  }
  void AddAll(const TypeCounts& counts);
  // No count becomes negative, and no pair is made.
  void SubtractAll(const TypeCounts& counts);

  size_t size() const { return pairs_.size(); }
  // Those that were added to in this reading. Most others are of classes that are gone.
  size_t seen() const { return seen_; }
  uint32_t SiteOf(uint32_t pair) const { return pairs_[pair].site; }
  std::string_view TypeOf(uint32_t pair) const { return names_.Text(pairs_[pair].type); }
  std::span<const uint64_t> counts() const { return counts_; }
  // The same by site and class.
  TypeCounts ByType() const;

  void Clear();
  size_t bytes() const;

 private:
  struct Pair {
    uint32_t site;
    NameId type;
  };

  NameTable names_;  // one use for each pair
  std::vector<Pair> pairs_;
  std::vector<uint64_t> counts_;
  size_t seen_ = 0;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by site and type
};

}  // namespace iprof::vm
