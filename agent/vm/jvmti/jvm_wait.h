// JvmWait: waits where HotSpot does not take the thread for one that runs native code.
//
// Why: before HotSpot exits, it waits up to 300 ms for the threads that run native code. A thread that
// waits for a condition variable is one of them. A thread that waits in a monitor of the JVM is not.
//
// Guarantees: Until returns soon after `is_over` returns true, at most `period` later. Runs no Java code, and
// needs no lock of the program.
// Threads: an attached one. The constructor in the live phase, because the JVM gives no monitor later;
// Until in any phase.
// Failure: where the JVM gives no monitor, it waits in native code.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <functional>

namespace iprof::vm {

class JvmWait {
 public:
  explicit JvmWait(jvmtiEnv* jvmti);
  ~JvmWait();
  JvmWait(const JvmWait&) = delete;
  JvmWait& operator=(const JvmWait&) = delete;

  void Until(std::chrono::milliseconds period, const std::function<bool()>& is_over);

 private:
  jvmtiEnv* const jvmti_;
  jrawMonitorID monitor_ = nullptr;  // null: the JVM gives none
  bool is_entered_ = false;
};

}  // namespace iprof::vm
