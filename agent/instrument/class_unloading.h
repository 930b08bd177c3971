// ClassUnloading: what is kept of unloaded classes, and when their counters may be reused.
//
// Guarantees: a class's counters are freed only after they were read and set to zero. If that
// fails, they are never reused. If counts of a class's sites may still be on their way, the class
// waits for two rounds. A round has ended when everything that sites counted before it began has
// been collected.
// Threads: one at a time; not while a profile is made.
// Failure: counts that cannot be read are missing from the profile; nothing else changes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agent/instrument/method_instrumenter.h"
#include "agent/instrument/table/class_table.h"
#include "writer/methods/counter_range.h"
#include "writer/methods/unloaded_counts.h"

namespace iprof::instrument {

// Access to the counters of unloaded classes. They must be read and set to zero before other
// classes get them.
class FreedCounters {
 public:
  virtual ~FreedCounters() = default;
  // Appends the values of the counters, in order, and sets them to zero. Returns false if that is
  // not possible.
  virtual bool Take(CounterRange counters, std::vector<uint64_t>* values) = 0;
  // Appends the counts of the sites, numbered from `first` on, and clears them. Returns false if
  // that is not possible, or if more counts may follow; then the sites must not be reused.
  virtual bool TakeSites(CounterRange sites, uint32_t first, UnloadedCounts* counts) = 0;
};

class ClassUnloading {
 public:
  ClassUnloading(ClassTable& table, InstrumentSpaces& spaces) : table_(table), spaces_(spaces) {}

  // Takes classes out of the table that are not held and have waited long enough. `rounds` is the
  // number of rounds that have ended.
  void Unload(FreedCounters& counters, uint64_t rounds);
  // Whether it would take any.
  bool IsDue(uint64_t rounds);

 private:
  using Waiting = std::pair<ClassTable::Idle, uint64_t>;
  void NoteIdle(uint64_t rounds);
  bool HasWaited(const Waiting& waiting, uint64_t rounds) const;
  UnloadedCounts Collect(const ClassTable::Taken& taken, FreedCounters& counters);

  ClassTable& table_;
  InstrumentSpaces& spaces_;
  // Idle classes, with the round in which each was found idle.
  std::vector<Waiting> idle_;
};

}  // namespace iprof::instrument
