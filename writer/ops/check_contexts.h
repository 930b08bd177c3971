// ContextSums: finds contexts with fewer executions than their longer contexts, where the section "iprofagent" says that the
// file's contexts are inclusive (writer/profile/io/context_form.h).
//
// Example: 5:0 has 5 calls, 5:0<8:3 has 4 and 5:0<9:1 has 2. One finding: 5 executions, at least 6 are expected.
//
// Guarantees: compares the sums of entries. (The reader also compares each successor and class.) Linear in the entries times
// the length of their contexts.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writer/profile/io/profile_events.h"

namespace iprof {

using ContextKey = std::pair<uint64_t, uint64_t>;
struct ContextKeyHash {
  size_t operator()(const ContextKey& key) const { return key.first; }
};

class ContextSums {
 public:
  // An entry with this total. `prefixes`: keys of all its contexts without outermost callers, the shortest first, and its
  // own last.
  void Add(const EntryDecl& entry, const Place& place, std::span<const ContextKey> prefixes);

  using Report = std::function<void(const Place&, std::string found, std::string expected)>;
  // At the end, of an inclusive file.
  void Check(const Report& report) const;

 private:
  struct Entry {
    int64_t total;
    Place place;  // its key is one of keys_
    std::vector<ContextKey> prefixes;
  };
  std::set<std::string, std::less<>> keys_;  // of tables
  std::array<std::vector<Entry>, kTableCount> entries_;
};

}  // namespace iprof
