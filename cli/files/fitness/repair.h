// RepairProfile: a profile of an older version of a program, with only what fits the class files of a newer one.
//
// What fits (fitness.h) stays as it is. Of the rest:
//  - Calls of a method whose code has changed stay. Its positions are found again in the new code by the instructions around them
//    (moved_positions.h), if there are class files of the old code, and their hash is the profile's. All others are dropped: without
//    the old code, a profile has of it only a hash, its length and positions.
//  - A branch is kept if each of its successors has one new position; a switch, if its keys are the same.
//  - Classes of which there can be no objects, because they are gone, or became abstract or an interface, are dropped from the lists
//    of receivers. If they are more than kMostLost of the objects there, the whole record is: a build takes the rest for all.
//  - A sample whose own position is gone moves to the start of its method. A stack ends before a caller that does not fit.
//    If it is of work that only a JVM does (writer/profile/image/image_use.h), it is dropped instead: those callers say so.
//  - What is in methods or classes that do not exist is dropped, and so are their declarations.
//
// Example: a.B.run got one more line. With the old class files its branch at 20 is written at 31, and without them it is dropped; its
// 5,000 calls stay in both.
//
// Guarantees: nothing is invented: every number of the result is one of the input's, at the same instruction. All that is
// left fits, by the same check. Types and methods keep their ids. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cli/classpath/class_path.h"
#include "cli/files/fitness/fitness.h"
#include "writer/profile/model.h"

namespace iprof::fitness {

struct RepairCounts {
  size_t changed_methods = 0;          // whose code is another one, and that are used
  size_t moved = 0;                    // entries and callers whose position was found again
  Apart dropped;                       // entries
  std::array<Apart, 9> dropped_for{};  // by Misfit
  size_t types = 0;                    // dropped from lists of receivers, type checks and monitors
  int64_t stacks_cut =
      0;  // samples that moved to the start of their method, or whose stack ends earlier
  int64_t weight = 0;  // of the input

  bool nothing() const {
    return moved == 0 && dropped.entries == 0 && types == 0 && stacks_cut == 0;
  }
};

struct RepairedProfile {
  Profile profile;
  RepairCounts counts;
};

// `old_classes`: those that the profile was recorded with; null: there are none.
RepairedProfile RepairProfile(const Profile& from, const classpath::ClassPath& classes,
                              const classpath::ClassPath* old_classes,
                              const FitnessOptions& options);

}  // namespace iprof::fitness
