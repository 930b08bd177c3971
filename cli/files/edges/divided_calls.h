// DivideCalls: writes the calls of an exact profile by caller (`iprof convert --edges`), as contexts=calls does in the
// agent, with the same computation (writer/records/calls_by_caller.h). `iprof check` compares call sites and counts with it.
//
// Example: the profile has 1,000 calls of a.B.f and no callers. The class file of a.C calls it in a block that was executed 700
// times. The result has 700 calls of f by a.C and 300 without a caller.
//
// Guarantees: of each method, the calls add up to those of the profile; all else stays. The bodies of intrinsics say nothing. No
// excess is shown for methods without calls, because the agent may not have counted them.
// Threads: one. Failure: as ProfileRecords.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/classpath/class_path.h"
#include "cli/terminal/console.h"
#include "cli/terminal/json_text.h"
#include "writer/profile/model.h"
#include "writer/records/profile_assembly.h"

namespace iprof::cli {

// What is known of the callers, for people and programs.
struct EdgeFacts {
  EdgeFigures figures;
  std::vector<std::string> excess;  // the names of the methods in the figures
  int64_t estimated = 0;  // of the calls with a caller: by callers whose counts are estimated
  size_t classes_without_file = 0;
  size_t methods_with_other_code = 0;

  // `prefix` begins each line; at most so many methods with too many calls at their sites are named, 0: all.
  void Print(Console& console, const std::string& prefix, size_t most_named) const;
  // As a member "edges" of the object that is open.
  void Print(JsonText& json, size_t most_named) const;
};

struct DividedCalls {
  Profile profile;
  EdgeFacts facts;
};

enum class Callers : uint8_t { kAll, kExact };  // whose call sites count

DividedCalls DivideCalls(const Profile& profile, const classpath::ClassPath& classes,
                         Callers callers = Callers::kAll);

// The facts of an exact profile, with the call sites of counted methods only. An excess that the runs explain is left out:
// each site may be off by as many calls as `largest_k` of its run says.
EdgeFacts CheckEdges(const Profile& profile, const classpath::ClassPath& classes);

// Whether the profile's counts are those of counters, and not estimates of HotSpot's.
bool IsExact(const Profile& profile);

}  // namespace iprof::cli
