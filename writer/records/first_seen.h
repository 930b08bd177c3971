// FirstSeen: which reading of the counters was the first to find each of them above 0. It gives the order in which methods
// first ran, roughly: within the time between two readings, methods have the order of their counters, which is that in which
// classes were loaded.
//
// Why not exactly: the program would have to say so at each first call. A probe that does costs something at every call. A
// dynamic constant (JVMS 4.4.10) costs nothing after the JVM has resolved it, but resolving takes memory of the program's heap: a
// program that calls a method for the first time while its heap is full gets an OutOfMemoryError for it, and runs without
// (java-tests/tests/first_calls.py, FullHeap). What reads the counters anyway costs the program nothing.
//
// Example: the first snapshot finds counters 2 and 5 above 0, the second also 1. The order is 2, 5, 1.
//
// Guarantees: a counter that is 0 again, because its class was unloaded or the recording was reset, is forgotten. Two bytes
// for each counter. Readings that find nothing new are none.
// Threads: one at a time; the owner locks. Failure: std::bad_alloc; then the reading was not noted.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writer/profile/model.h"
#include "writer/records/counter_range.h"

namespace iprof {

class FirstSeen {
 public:
  static constexpr uint16_t kMost = UINT16_MAX;  // later readings count as this one

  // The counters of the recording, by CounterIndex; those behind the last one are 0.
  void Note(std::span<const uint64_t> counters);
  // As the next reading: these counters, above 0.
  void NoteNew(std::span<const uint32_t> counters);

  uint16_t readings() const { return readings_; }
  // By CounterIndex: the number of the reading, from 1 on; 0: none.
  std::span<const uint16_t> by_counter() const { return seen_; }
  // The counters that this reading was the first to see, ascending.
  std::vector<uint32_t> NewIn(uint16_t reading) const;
  size_t bytes() const { return seen_.capacity() * sizeof(uint16_t); }

 private:
  std::vector<uint16_t> seen_;
  uint16_t readings_ = 0;
};

// The earliest reading that saw one of the counters; 0: none did. Looks at the first kMostLooked of them: methods in a file may
// claim very many.
inline constexpr size_t kMostLooked = 256;
uint16_t EarliestOf(std::span<const uint16_t> by_counter, CounterRange counters);

// The order of methods, by the reading that first saw one of their counters, and then by their counters.
class FirstCallOrder {
 public:
  // FirstSeen::by_counter, which must stay.
  explicit FirstCallOrder(std::span<const uint16_t> by_counter) : by_counter_(by_counter) {}

  // A version of a method that was called.
  void Note(MethodIndex method, CounterRange counters);
  // Gives each method that was seen its rank.
  void WriteTo(Profile& profile) const;

 private:
  std::span<const uint16_t> by_counter_;
  std::unordered_map<MethodIndex, std::pair<uint16_t, CounterIndex>> first_;
};

}  // namespace iprof
