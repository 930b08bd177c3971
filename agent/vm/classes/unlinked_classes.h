// UnlinkedClasses: gives classes that were loaded but not linked at a stop their own code back when
// the program links them.
//
// Why not at the stop: retransforming a class links it, which would run the program's class loaders at
// an unexpected time.
//
// Guarantees: no retransformation inside a callback: a short-lived thread does it a moment later, for
// all classes that were linked until then. Nothing is thrown.
// Threads: Await on the thread of the stop; the rest on any thread.
// Failure: a class that cannot be watched or changed keeps its probes, which does not change what the
// program does.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "agent/settings/log.h"
#include "agent/vm/classes/swap_guard.h"

namespace iprof::vm {

class UnlinkedClasses {
 public:
  // Classes are often linked together, and each swap stops the program.
  static constexpr std::chrono::milliseconds kGatherTime{200};

  UnlinkedClasses(JavaVM* vm, Log& log, std::chrono::milliseconds gather_time = kGatherTime)
      : vm_(vm), log_(log), gather_time_(gather_time) {}
  ~UnlinkedClasses();
  UnlinkedClasses(const UnlinkedClasses&) = delete;
  UnlinkedClasses& operator=(const UnlinkedClasses&) = delete;

  // The environment can tag objects, reports prepared classes, and can retransform. The guard must live
  // until Wait.
  void Await(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass, SwapGuard& guard);
  // Forgets all classes that were awaited: the recording goes on.
  void Forget() { awaited_.store(0); }
  // A class was linked.
  void OnPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass, SwapGuard& guard);
  uint64_t awaited() const { return awaited_.load(std::memory_order_relaxed); }

  // At the JVM's end: what awaits its own code keeps its probes. Returns false if the thread does not end in time.
  bool End(std::chrono::milliseconds timeout);
  // Waits until the thread has ended. Returns false if it does not in time.
  bool Wait(std::chrono::milliseconds timeout);

 private:
  bool Restore(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard);

  JavaVM* const vm_;
  Log& log_;
  const std::chrono::milliseconds gather_time_;
  std::atomic<uint64_t> awaited_{0};
  std::atomic<bool> has_ended_{false};
  std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<jweak> linked_;
  bool is_running_ = false;  // the thread
};

}  // namespace iprof::vm
