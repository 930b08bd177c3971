// JvmTarget: a JVM with the folders of its world that attaching needs. They are opened once, with the rights
// of this process, and used later perhaps with those of the target (BorrowedIds).
//
// Guarantees: reads only.
// Threads: any. Failure: one sentence that names the process: it is not a JVM, or it may not be
// read.
#pragma once

#include <chrono>

#include "cli/jvm/process.h"
#include "cli/jvm/running_jvm.h"
#include "writer/base/open_file.h"
#include "writer/base/status.h"

namespace iprof::jvm {

struct JvmTarget {
  // A java launcher that has not loaded its JVM yet gets `most` time for it.
  static Result<JvmTarget> Open(pid_t pid, std::chrono::milliseconds most);

  Process process;
  ProcessStatus status;  // of now
  RunningJvm jvm;
  OwnedFd root;
  OwnedFd tmp;  // /tmp as the target sees it
  OwnedFd cwd;  // its working directory; not open where that is gone
};

}  // namespace iprof::jvm
