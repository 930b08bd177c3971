#include "agent/vm/events/lock_owners.h"

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {

void LockOwners::Look(jvmtiEnv* jvmti, JNIEnv* jni) {
  const Clock::time_point begin = Clock::now();
  if (begin < next_) return;
  const uint64_t cpu_ns = ThreadCpuNs();
  const LocalFrame frame(jni);
  const bool is_monitor = Take(jvmti, jni);
  const Clock::time_point end = Clock::now();
  const auto cost =
      is_monitor ? end - begin : Clock::duration(std::chrono::nanoseconds(ThreadCpuNs() - cpu_ns));
  next_ = end + cost * kShare;
}

// The lock of who waits in this slot.
jobject LockOwners::LockIn(JNIEnv* jni, jint slot) const {
  jobject waiting = locks_.Waiting(jni, slot);
  if (waiting == nullptr || slot >= LockClass::kSlots) return waiting;
  jobject blocker = locks_.BlockerOf(jni, waiting);
  jni->DeleteLocalRef(waiting);
  if (blocker == nullptr || locks_.IsLock(jni, blocker)) return blocker;
  jni->DeleteLocalRef(blocker);
  return nullptr;
}

jobject LockOwners::FindLock(JNIEnv* jni, bool* is_monitor) {
  constexpr jint kAll = 2 * LockClass::kSlots;
  const auto first = static_cast<jint>(random_() % kAll);
  for (jint i = 0; i < kAll; ++i) {
    const jint slot = (first + i) % kAll;
    *is_monitor = slot >= LockClass::kSlots;
    if (jobject lock = LockIn(jni, slot); lock != nullptr) return lock;
  }
  return nullptr;
}

jthread LockOwners::OwnerOf(jvmtiEnv* jvmti, JNIEnv* jni, jobject lock, bool is_monitor) const {
  if (!is_monitor) return locks_.OwnerOf(jni, lock);
  jvmtiMonitorUsage usage{};
  if (jvmti->GetObjectMonitorUsage(lock, &usage) != JVMTI_ERROR_NONE) return nullptr;
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(usage.waiters));
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(usage.notify_waiters));
  return usage.owner;
}

bool LockOwners::Take(jvmtiEnv* jvmti, JNIEnv* jni) {
  bool is_monitor = false;
  jobject lock = FindLock(jni, &is_monitor);
  if (lock == nullptr) return false;
  jthread owner = OwnerOf(jvmti, jni, lock, is_monitor);
  if (owner == nullptr) return is_monitor;
  const uint32_t stack = stacks_.Stack(jvmti, jni, owner);
  if (stack == EventStacks::kNone) return is_monitor;
  jthread still = OwnerOf(jvmti, jni, lock, is_monitor);
  if (still == nullptr || jni->IsSameObject(still, owner) == JNI_FALSE) return is_monitor;
  const jint first = is_monitor ? LockClass::kSlots : 0;
  for (jint slot = first; slot < first + LockClass::kSlots; ++slot) {
    jobject there = LockIn(jni, slot);
    if (there == nullptr) continue;
    if (jni->IsSameObject(there, lock) == JNI_TRUE)
      locks_.SetOwner(jni, slot, static_cast<jint>(stack));
    jni->DeleteLocalRef(there);
  }
  return is_monitor;
}

}  // namespace iprof::vm
