// LockOwners: takes the stacks of threads that own a lock for which others wait.
//
// Why on a thread of the agent, now and then: which waits will be long is not known when they begin, and who has owned a
// lock is not known any more when they end. Of the waits at one moment, long ones are the more, so owners are known in
// proportion to the time that was waited.
//
// Example: eight threads wait for a ReentrantLock that the thread main owns, each for 12 ms. Look finds one of them, takes
// the stack of main, and leaves its number in the slots of all eight.
//
// Guarantees: takes at most kShare of the time of a processor. To find the owner of a monitor, HotSpot stops all threads; then it
// is kShare of the time that passes, because the program waits. A stack whose thread does not own the lock any more, once it is taken, is dropped. No reference stays.
// Threads: one attached thread at a time. Failure: an owner that is not found is not known.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <random>

#include "agent/vm/events/event_stacks.h"
#include "agent/vm/events/lock_class.h"

namespace iprof::vm {

class LockOwners {
 public:
  static constexpr int kShare = 200;  // one part in so many

  LockOwners(const LockClass& locks, EventStacks& stacks) : locks_(locks), stacks_(stacks) {}

  // The environment has can_get_monitor_info.
  void Look(jvmtiEnv* jvmti, JNIEnv* jni);

 private:
  using Clock = std::chrono::steady_clock;

  // Someone waits for this; a local reference, or null.
  jobject FindLock(JNIEnv* jni, bool* is_monitor);
  jobject LockIn(JNIEnv* jni, jint slot) const;
  jthread OwnerOf(jvmtiEnv* jvmti, JNIEnv* jni, jobject lock, bool is_monitor) const;
  // Whether it was a monitor's.
  bool Take(jvmtiEnv* jvmti, JNIEnv* jni);

  const LockClass& locks_;
  EventStacks& stacks_;
  Clock::time_point next_{};
  std::minstd_rand random_{static_cast<uint32_t>(Clock::now().time_since_epoch().count())};
};

}  // namespace iprof::vm
