// LockClass: what the agent knows of locks inside the JVM: its own class IprofLocks, which LockSupport calls (park_calls.h), and
// fields and classes of the JDK.
//
// Example: a thread parks in ReentrantLock.lock for 12 ms, and the threshold is 1 ms. IprofLocks calls its native method, which
// the agent exports; BlockerOf the thread is the lock's ReentrantLock$NonfairSync, and IsLock says yes.
//
// What is a lock: what extends AbstractOwnableSynchronizer, which is ReentrantLock, ReentrantReadWriteLock, Semaphore and the
// synchronizers of other libraries; and StampedLock. But a CountDownLatch is not: who waits there waits for work to be done, as
// at a condition, a future or a queue.
//
// Guarantees: a process can define the class once; a later session finds it. No exception is left pending.
// Threads: Find where Java code may run, and before the rest; the rest on any attached thread in the live phase.
// Failure: Find returns a Status. Other failures are answers: null, false, "not known".
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "writer/base/status.h"

namespace iprof::vm {

class LockClass {
 public:
  // As in IprofLocks: of threads that park, and of monitors.
  static constexpr jint kSlots = 64;

  LockClass() = default;
  LockClass(const LockClass&) = delete;
  LockClass& operator=(const LockClass&) = delete;

  // What monitors need: how threads are told from each other.
  Status FindThreads(JNIEnv* jni);
  // The rest. Runs the initialiser of IprofLocks.
  Status Find(JNIEnv* jni);
  // Has the JVM find the native method. It looks in the libraries of agents: in that of an attached agent only after its attach.
  // (To register it would print a warning to the program's stdout.)
  bool Link(JNIEnv* jni);
  // Waits of at least so many ns call the native method, once it is linked.
  void SetThreshold(JNIEnv* jni, int64_t ns) const;

  // --- Threads and locks.
  int64_t IdOf(JNIEnv* jni, jthread thread) const { return jni->GetLongField(thread, id_); }
  // These return local references, or null.
  jobject BlockerOf(JNIEnv* jni, jthread thread) const;
  jthread OwnerOf(JNIEnv* jni, jobject lock) const;
  bool IsLock(JNIEnv* jni, jobject blocker) const;

  // --- Slots. Without them, Enter and Leave do nothing.
  bool has_slots() const { return threshold_ != nullptr; }
  // A thread begins to wait for a monitor. Leave returns the number of its owner's stack, or -1.
  void Enter(JNIEnv* jni, int64_t thread, jobject monitor) const;
  jint Leave(JNIEnv* jni, int64_t thread, jobject monitor) const;
  // Who waits: a thread in the first kSlots, a monitor in the others; a local reference, or null.
  jobject Waiting(JNIEnv* jni, jint slot) const;
  void SetOwner(JNIEnv* jni, jint slot, jint stack) const;
  void ClearSlots(JNIEnv* jni) const;

 private:
  jfieldID id_ = nullptr;
  jfieldID blocker_ = nullptr;
  jfieldID owner_ = nullptr;
  // Global references.
  jclass synchronizer_ = nullptr;
  jclass latch_ = nullptr;
  jclass stamped_ = nullptr;
  jclass own_ = nullptr;
  jobjectArray waiting_ = nullptr;
  jintArray owners_ = nullptr;
  jfieldID threshold_ = nullptr;
  bool is_linked_ = false;
};

}  // namespace iprof::vm
