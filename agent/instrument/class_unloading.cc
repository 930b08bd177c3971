#include "agent/instrument/class_unloading.h"

#include <algorithm>

namespace iprof::instrument {

void ClassUnloading::NoteIdle(uint64_t rounds) {
  for (const ClassTable::Idle& idle : table_.TakeIdle()) idle_.emplace_back(idle, rounds);
}

bool ClassUnloading::HasWaited(const Waiting& waiting, uint64_t rounds) const {
  return rounds >= waiting.second + 2 || !table_.HasSites(waiting.first.id);
}

bool ClassUnloading::IsDue(uint64_t rounds) {
  NoteIdle(rounds);
  return std::any_of(idle_.begin(), idle_.end(),
                     [&](const Waiting& waiting) { return HasWaited(waiting, rounds); });
}

void ClassUnloading::Unload(FreedCounters& counters, uint64_t rounds) {
  NoteIdle(rounds);
  std::erase_if(idle_, [&](const Waiting& waiting) {
    if (!HasWaited(waiting, rounds)) return false;
    if (const auto taken = table_.TakeOut(waiting.first))
      table_.Unload(waiting.first.id, Collect(*taken, counters));
    return true;
  });
}

// Returns the counts of a class that is gone. Its counters are free afterwards, unless they could
// not be set to zero.
UnloadedCounts ClassUnloading::Collect(const ClassTable::Taken& taken, FreedCounters& counters) {
  UnloadedCounts counts;
  std::vector<uint64_t> values;
  for (const CounterRange& range : taken.counters) {
    const size_t before = values.size();
    const bool free = counters.Take(range, &values);
    values.resize(before + range.count);
    if (free) spaces_.counters.Release(range);
  }
  for (uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) counts.counters.emplace_back(i, values[i]);
  }
  uint32_t first = 0;
  for (const CounterRange& range : taken.sites) {
    if (counters.TakeSites(range, first, &counts)) spaces_.sites->Release(range);
    first += range.count;
  }
  return counts;
}

}  // namespace iprof::instrument
