// TopOfEvents: `iprof top --value`: where allocations and waits are, by method, line, position, package, thread or class.
//
// Example, of 20 sampled objects:
//   10.0 MB allocated; 20 samples, so the sum is right within 67 %
//          in it (self)  with callees (total)    ±   method
//       7.0 MB   70.0 %      7.0 MB   70.0 %    80 %  Arrays.copyOf
//       3.0 MB   30.0 %     10.0 MB  100.0 %  >100 %  Main.load
//
// Guarantees: rows and their order are those of samples (writer/ops/flat_profile.h); "±" is the error of the column by which
// they are sorted (ErrorOfSamples), and waits have none. Threads: main's. Failure: as SampleOption; kNoSamples if there are no
// rows.
#pragma once

#include <cstddef>
#include <string>

#include "cli/files/sample_option.h"
#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "writer/ops/profile_filter.h"
#include "writer/profile/event_tables.h"

namespace iprof::cli {

struct TopOfEvents {
  std::string path;
  EventValue value;
  std::string by;  // as the option
  bool sorts_by_total = false;
  size_t limit = 0;  // 0: all
  ProfileFilter filter = {};
  const SampleOption* samples = nullptr;
  bool whole_names = false;
  bool as_json = false;
};

ExitCode PrintTop(Console& console, const EventTables& events, const TopOfEvents& options);

}  // namespace iprof::cli
