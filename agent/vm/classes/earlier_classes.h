// EarlierClasses: counts the classes that were loaded before counting began.
//
// Linked classes are retransformed at once, in batches (Retransformer). Classes that are loaded but
// not linked wait until the program links them. Retransforming such a class would link it. That
// would run the program's class loaders at an unexpected time, and fail if a class that it names is
// missing. After they are prepared, they are retransformed on the agent's thread: at once or, if
// the last time was a moment ago, all together a little later. So these pauses take at most a
// twentieth of the time.
//
// A class may be unloaded before its turn comes; it is not kept loaded for that.
//
// Left out: arrays and primitive types, classes that the filter does not accept, classes that the
// JVM calls unmodifiable (hidden ones), and interfaces without code.
//
// Guarantees: no lock is held during a call to the JVM.
// Threads: Start at the begin of each recording, on a thread in the live phase that may run Java code; OnPrepare on any
// thread; Work on the agent's thread.
// Failure: a class that the JVM refuses stays unchanged and is counted in the outcome.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/hotspot/pause_clock.h"
#include "agent/vm/classes/class_filter.h"
#include "agent/vm/classes/retransformer.h"
#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/classes/weak_classes.h"

namespace iprof::vm {

class EarlierClasses {
 public:
  // The environment must be able to retransform, tag objects and report prepared classes. `pause`:
  // the longest one that a batch should cause. `is_first`: we have not swapped any class yet.
  EarlierClasses(JavaVM* vm, jvmtiEnv* jvmti, const ClassFilter& filter, SwapGuard& guard,
                 std::chrono::nanoseconds pause, bool is_first);
  EarlierClasses(const EarlierClasses&) = delete;
  EarlierClasses& operator=(const EarlierClasses&) = delete;

  // Returns what this call did. `before_batch` as for Retransformer.
  RetransformOutcome Start(JNIEnv* jni, const Retransformer::BeforeBatch& before_batch);

  // A class was linked. Returns true if the agent's thread now has work.
  bool OnPrepare(JNIEnv* jni, jclass klass);
  bool Work(JNIEnv* jni, const Retransformer::BeforeBatch& before_batch);

  // One paragraph: how many classes, and how long the program was stopped for them.
  std::string Report() const;
  // For a user: the classes that could not be counted.
  std::string LeftAlone() const;

 private:
  bool IsCountable(JNIEnv* jni, jclass klass) const;
  bool HasCode(jclass klass) const;
  bool IsLinked(jclass klass) const;
  // The linked classes to retransform now. Marks the classes that wait to be linked.
  std::unique_ptr<WeakClasses> Find(JNIEnv* jni);
  void Retransform(JNIEnv* jni, const std::vector<jclass>& classes,
                   const Retransformer::BeforeBatch& before_batch);

  JavaVM* const vm_;
  jvmtiEnv* const jvmti_;
  const ClassFilter& filter_;
  SwapGuard& guard_;
  const std::chrono::nanoseconds pause_;
  bool is_first_;
  // Made by the first Start: the JVM has no clock before it is initialised. Used by one thread at a
  // time: first Start's, then the agent's.
  std::optional<hotspot::PauseClock> clock_;
  std::optional<Retransformer> retransformer_;
  std::chrono::steady_clock::time_point next_work_{};  // used only by the agent's thread
  mutable std::mutex mutex_;                           // guards the members below
  std::vector<jweak> prepared_;
  RetransformOutcome outcome_;
  uint64_t left_out_ = 0;
  uint64_t awaited_ = 0;  // not linked yet
  uint64_t linked_since_ = 0;
};

}  // namespace iprof::vm
