// Locks: the waits for locks in one session (lock=): for monitors by JVMTI's events, for those of java.util.concurrent by
// LockSupport, whose class is rewritten while the program is recorded (park_calls.h).
//
// Example: lock=1ms. A thread finds a monitor locked; HotSpot spins for some microseconds, then sends MonitorContendedEnter, and
// MonitorContendedEntered when the thread has it, 12 ms later. That is a row: the thread's stack, the class of the monitor's
// object, 12 ms, 1 wait, and the stack of the owner if it was seen (lock_owners.h). Had it been 0.4 ms, it would be counted as
// shorter. HotSpot tells nothing of a monitor that it gets by spinning, and a lock of java.util.concurrent does not park then.
//
// What parks several times until it has the lock, because others were faster, has as many waits. The first wait of threads
// that were parked when the recording began is missing.
//
// Virtual threads have waits as others do. Since JDK 24 they may go on on another carrier, so a thread is known by its id.
//
// Guarantees: nothing is thrown into the program; a thread waits here for no other that the program can suspend. After Pause,
// LockSupport has its own code. If it cannot be rewritten, waits for monitors are recorded all the same, and a warning says so.
// Threads: as Recorder; Waited on any thread of the program. Failure: Prepare and Begin return a Status if the JVM does not
// tell of monitors.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "agent/settings/log.h"
#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/events/event_stacks.h"
#include "agent/vm/events/lock_class.h"
#include "agent/vm/events/lock_owners.h"
#include "agent/vm/events/wait_table.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/recorder/recorder.h"
#include "writer/base/status.h"

namespace iprof::vm {

class Locks final : public Recorder, private EventStacks::Source {
 public:
  // `guard` tells the session's other swaps of classes from this one. Null: nothing else in the session swaps classes.
  // All must outlive this object.
  Locks(JavaVM* vm, Log& log, EventStacks& stacks, std::chrono::nanoseconds threshold,
        SwapGuard* guard);
  ~Locks() override;
  Locks(const Locks&) = delete;
  Locks& operator=(const Locks&) = delete;

  Status Prepare(StartMoment moment) override;
  void OnVmInit(JNIEnv* jni) override;
  Status Begin(JNIEnv* jni) override;
  void CallOff() override;
  std::string Pause(JNIEnv* jni) override;
  Status Reset(JNIEnv* jni, ResetScope scope) override;
  void End() override { on_.store(false); }
  void EndThreads(std::chrono::milliseconds patience) override;
  bool Close() override;

  Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) override;
  void Describe(const ProfileSink& made, RecorderTexts& texts) override;
  void AddLosses(RunNote& note) const override;
  uint64_t AddTo(control::SessionStatus& status, bool is_stopped) const override;

  // IprofLocks has parked a thread for so long. `owner`: the number of the owner's stack, or -1.
  static void Waited(JNIEnv* jni, int64_t ns, int32_t owner);

 private:
  Status Start(JNIEnv* jni);
  Status TimeParks(JNIEnv* jni);
  Status SwapLockSupport(JNIEnv* jni);
  void Work(jvmtiEnv* jvmti, JNIEnv* jni);
  void OnParked(JNIEnv* jni, int64_t ns, int32_t owner);
  void OnEnter(JNIEnv* jni, jthread thread, jobject monitor);
  void OnEntered(JNIEnv* jni, jthread thread, jobject monitor);
  void Record(JNIEnv* jni, jthread thread, jobject lock, int64_t ns, int32_t owner, bool is_park);
  void AddTo(JNIEnv* jni, EventRows& rows) override;
  size_t row_bytes() const override { return waits_.bytes(); }

  static void JNICALL MonitorContendedEnter(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                            jobject monitor);
  static void JNICALL MonitorContendedEntered(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread,
                                              jobject monitor);
  static void JNICALL ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                        jobject loader, const char* name, jobject domain, jint size,
                                        const unsigned char* bytes, jint* new_size,
                                        unsigned char** new_bytes);

  JavaVM* const vm_;
  Log& log_;
  EventStacks& stacks_;
  const int64_t threshold_ns_;
  SwapGuard* const guard_;
  LockClass class_;
  LockOwners owners_;
  WaitTable waits_;
  std::atomic<bool> on_{false};
  std::atomic<bool> times_parks_{false};  // the hook rewrites LockSupport
  std::atomic<bool> has_rewritten_{false};
  bool is_swapped_ = false;  // LockSupport has other code
  bool warned_ = false;
  AgentThread thread_;
  // Last, so that it is closed before the members that its callbacks use are destroyed.
  JvmtiEnvironment environment_;
};

}  // namespace iprof::vm
