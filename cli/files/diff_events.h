// DiffOfEvents: `iprof diff --value`: which classes and methods have more or less of a value of allocations or waits.
//
// Example, of two runs of the same work; 3.0 MB and 3.3 MB were 600 and 660 samples:
//   alloc-bytes: 10.0 MB -> 12.9 MB, +2.9 MB ± 1.0 MB
//            A           B       change           ±  class
//       7.0 MB      9.6 MB      +2.6 MB    864.3 kB  byte[]
//       3.0 MB      3.3 MB    +300.0 kB    532.4 kB  Node (within the error)
//
// Guarantees: a difference of sampled values is right within "±" in 997 of 1,000 cases: the root of the sum of both errors'
// squares (ErrorOfSamples). Waits are not sampled, so they have none. Rows that differ by more than their error are first, then the
// larger differences. Threads: main's. Failure: none.
#pragma once

#include <cstddef>
#include <string>

#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "writer/ops/profile_filter.h"
#include "writer/profile/event_tables.h"

namespace iprof::cli {

struct DiffOfEvents {
  std::string name_a;  // of the files
  std::string name_b;
  EventValue value;
  double threshold = 0;   // of what a change is of the larger value
  double min_weight = 0;  // of what a row has of its sum, in either
  size_t limit = 0;       // of each list; 0: all
  ProfileFilter filter = {};
  bool whole_names = false;
  bool as_json = false;
  bool gates = false;  // whether differences are an exit code
};

ExitCode PrintDiff(Console& console, const EventTables& a, const EventTables& b,
                   const DiffOfEvents& options);

}  // namespace iprof::cli
