// EarlierClasses: the classes that were loaded before counting began, and how their code comes to be counted.
//
// Those that are linked are retransformed at once, in batches (Retransformer). Classes that are loaded but not linked are left until the
// program links them: to retransform such a class would link it, which runs the program's class loaders at a moment of our choosing, and
// fails where a class that it names is missing. They are retransformed on the agent's thread after they are prepared: at once, or, where
// that was done a moment ago, all together a little later, so that these pauses take at most a twentieth of the time.
//
// Left out: arrays and primitive types, what the filter does not accept, classes that the JVM calls unmodifiable (hidden ones), and
// interfaces without code.
//
// Threads: Start once, on a live thread that may run Java code; OnPrepare on any thread; Work on the agent's thread. No lock is held across
// a call to the JVM. Failure: a class that is refused stays as it was and is counted in the outcome.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/hotspot/pause_clock.h"
#include "agent/vm/counting/class_filter.h"
#include "agent/vm/counting/retransformer.h"

namespace iprof::vm {

class EarlierClasses {
 public:
  // The environment can retransform, tag objects and report that a class is prepared.
  EarlierClasses(JavaVM* vm, jvmtiEnv* jvmti, const ClassFilter& filter);
  EarlierClasses(const EarlierClasses&) = delete;
  EarlierClasses& operator=(const EarlierClasses&) = delete;

  // `before_batch` as for Retransformer.
  void Start(JNIEnv* jni, const Retransformer::BeforeBatch& before_batch);

  // A class was linked. True where the agent's thread has work.
  bool OnPrepare(JNIEnv* jni, jclass klass);
  void Work(JNIEnv* jni, const Retransformer::BeforeBatch& before_batch);

  // One paragraph: how many, and how long the program stood still for it.
  std::string Report() const;

 private:
  bool IsCountable(JNIEnv* jni, jclass klass) const;
  bool HasCode(jclass klass) const;
  bool IsLinked(jclass klass) const;
  void Retransform(const std::vector<jclass>& classes,
                   const Retransformer::BeforeBatch& before_batch);

  jvmtiEnv* const jvmti_;
  const ClassFilter& filter_;
  const hotspot::PauseClock clock_;
  Retransformer retransformer_;  // one thread at a time: Start's, then the agent's
  std::chrono::steady_clock::time_point next_work_{};  // the agent's thread only
  mutable std::mutex mutex_;                           // guards what follows
  std::vector<jweak> prepared_;
  RetransformOutcome outcome_;
  uint64_t left_out_ = 0;
  uint64_t awaited_ = 0;  // not linked yet
  uint64_t linked_since_ = 0;
};

}  // namespace iprof::vm
