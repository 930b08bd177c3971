// ProfileMerge: adds a JVM's own profile to the one that many JVMs share (merge=y).
//
// Why two files: a JVM writes its own profile first, under its own name. So a JVM that is killed while it
// waits or merges leaves its profile beside the shared one, to be merged by hand, and nothing is lost.
//
// Why two locks: other JVMs that merge are waited for, because their turns are short. A process that has a
// claim on the shared file without merging may have it as long as it lives, so no JVM waits for that.
//
// Why the newest code: after an update of the program the shared file would keep the branches of its old code, and throw
// away those of each run, until these are more than all old ones together.
//
// Guarantees: JVMs merge one after the other, under a lock that the kernel releases if one is killed. The
// shared file is replaced as a whole (AtomicFile); a file that cannot be read as a profile, or belongs to
// another user, is left untouched. The own file is removed once the shared one has its counts. Uses no JVM
// types.
// Threads: any. It may take as long as the patience, a moment, and the merge.
// Failure: a Status with the reason; the own file stays.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "writer/base/status.h"
#include "writer/profile/io/writer.h"

namespace iprof::vm {

// How to wait for other JVMs that merge.
struct MergeWait {
  std::chrono::milliseconds patience{0};
  // Called once if it takes longer than `silence`; may be empty.
  std::function<void()> on_wait = {};
  std::chrono::milliseconds silence{1000};
};

// The format's version is raised if the shared file needs a later one. Returns what the user should know of the merge
// (merge_warnings.h), one sentence each.
Result<std::vector<std::string>> MergeInto(const std::string& own, const std::string& shared,
                                           WriteOptions format, const MergeWait& wait);

}  // namespace iprof::vm
