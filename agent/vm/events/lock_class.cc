#include "agent/vm/events/lock_class.h"

#include <fmt/core.h>

#include <string_view>

#include "agent/vm/jvmti/boot_class.h"
#include "runtime_classes.inc"
#include "writer/names/own_classes.h"

namespace iprof::vm {
namespace {

constexpr int64_t kNever = INT64_MAX;

Status Refused(JNIEnv* jni, std::string_view what) {
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return {Code::kLimit, fmt::format("the JVM refused to {}", what)};
}

// A global reference to a class of the boot loader; null if there is none.
jclass KeptClass(JNIEnv* jni, const char* name) {
  jclass local = BootClass(jni, name);
  if (local == nullptr) return nullptr;
  auto global = static_cast<jclass>(jni->NewGlobalRef(local));
  jni->DeleteLocalRef(local);
  return global;
}

// The class, or that of an earlier session.
jclass DefineOwn(JNIEnv* jni) {
  jclass local = BootClass(jni, kLocksClassName.data());
  if (local == nullptr) {
    local = jni->DefineClass(kLocksClassName.data(), nullptr,
                             reinterpret_cast<const jbyte*>(kIprofLocksClass),
                             static_cast<jsize>(sizeof kIprofLocksClass));
  }
  if (local == nullptr) return nullptr;
  auto global = static_cast<jclass>(jni->NewGlobalRef(local));
  jni->DeleteLocalRef(local);
  return global;
}

jobject KeptArray(JNIEnv* jni, jclass owner, const char* field, const char* descriptor) {
  jfieldID id = jni->GetStaticFieldID(owner, field, descriptor);
  jobject local = id == nullptr ? nullptr : jni->GetStaticObjectField(owner, id);
  if (local == nullptr) return nullptr;
  jobject global = jni->NewGlobalRef(local);
  jni->DeleteLocalRef(local);
  return global;
}

jint MonitorSlot(int64_t thread) {
  return LockClass::kSlots + static_cast<jint>(thread & (LockClass::kSlots - 1));
}

}  // namespace

Status LockClass::FindThreads(JNIEnv* jni) {
  if (id_ != nullptr) return {};
  jclass thread = BootClass(jni, "java/lang/Thread");
  if (thread == nullptr) return Refused(jni, "find java.lang.Thread");
  id_ = jni->GetFieldID(thread, "tid", "J");
  if (id_ != nullptr) blocker_ = jni->GetFieldID(thread, "parkBlocker", "Ljava/lang/Object;");
  jni->DeleteLocalRef(thread);
  if (blocker_ != nullptr) return {};
  id_ = nullptr;
  return Refused(jni, "find fields of java.lang.Thread");
}

Status LockClass::Find(JNIEnv* jni) {
  if (has_slots()) return {};
  if (Status status = FindThreads(jni); !status.ok()) return status;
  if (synchronizer_ == nullptr)
    synchronizer_ = KeptClass(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
  if (latch_ == nullptr) latch_ = KeptClass(jni, "java/util/concurrent/CountDownLatch$Sync");
  if (stamped_ == nullptr) stamped_ = KeptClass(jni, "java/util/concurrent/locks/StampedLock");
  if (synchronizer_ == nullptr || latch_ == nullptr || stamped_ == nullptr)
    return Refused(jni, "find the classes of locks");
  owner_ = jni->GetFieldID(synchronizer_, "exclusiveOwnerThread", "Ljava/lang/Thread;");
  if (owner_ == nullptr) return Refused(jni, "find the owners of locks");
  if (own_ == nullptr) own_ = DefineOwn(jni);
  if (own_ == nullptr) return Refused(jni, "define a class of the agent");
  if (waiting_ == nullptr)
    waiting_ = static_cast<jobjectArray>(KeptArray(jni, own_, "waiting", "[Ljava/lang/Object;"));
  if (waiting_ != nullptr && owners_ == nullptr)
    owners_ = static_cast<jintArray>(KeptArray(jni, own_, "owners", "[I"));
  if (owners_ != nullptr) threshold_ = jni->GetStaticFieldID(own_, "threshold", "J");
  return has_slots() ? Status() : Refused(jni, "initialise a class of the agent");
}

bool LockClass::Link(JNIEnv* jni) {
  if (is_linked_ || !has_slots()) return is_linked_;
  jmethodID waited = jni->GetStaticMethodID(own_, "waited", "(JI)V");
  constexpr jlong kNoWait = -1;
  if (waited != nullptr) jni->CallStaticVoidMethod(own_, waited, kNoWait, jint{-1});
  is_linked_ = jni->ExceptionCheck() == JNI_FALSE;
  if (!is_linked_) jni->ExceptionClear();
  return is_linked_;
}

void LockClass::SetThreshold(JNIEnv* jni, int64_t ns) const {
  if (has_slots()) jni->SetStaticLongField(own_, threshold_, is_linked_ ? ns : kNever);
}

jobject LockClass::BlockerOf(JNIEnv* jni, jthread thread) const {
  return jni->GetObjectField(thread, blocker_);
}

jthread LockClass::OwnerOf(JNIEnv* jni, jobject lock) const {
  return jni->IsInstanceOf(lock, synchronizer_) == JNI_TRUE ? jni->GetObjectField(lock, owner_)
                                                            : nullptr;
}

bool LockClass::IsLock(JNIEnv* jni, jobject blocker) const {
  if (jni->IsInstanceOf(blocker, synchronizer_) == JNI_TRUE)
    return jni->IsInstanceOf(blocker, latch_) == JNI_FALSE;
  return jni->IsInstanceOf(blocker, stamped_) == JNI_TRUE;
}

void LockClass::Enter(JNIEnv* jni, int64_t thread, jobject monitor) const {
  if (!has_slots()) return;
  SetOwner(jni, MonitorSlot(thread), -1);
  jni->SetObjectArrayElement(waiting_, MonitorSlot(thread), monitor);
}

jint LockClass::Leave(JNIEnv* jni, int64_t thread, jobject monitor) const {
  if (!has_slots()) return -1;
  const jint slot = MonitorSlot(thread);
  jint owner = -1;
  jobject there = Waiting(jni, slot);
  if (there != nullptr && jni->IsSameObject(there, monitor) == JNI_TRUE) {
    jni->GetIntArrayRegion(owners_, slot, 1, &owner);
    jni->SetObjectArrayElement(waiting_, slot, nullptr);
  }
  if (there != nullptr) jni->DeleteLocalRef(there);
  return owner;
}

jobject LockClass::Waiting(JNIEnv* jni, jint slot) const {
  return jni->GetObjectArrayElement(waiting_, slot);
}

void LockClass::SetOwner(JNIEnv* jni, jint slot, jint stack) const {
  jni->SetIntArrayRegion(owners_, slot, 1, &stack);
}

void LockClass::ClearSlots(JNIEnv* jni) const {
  if (!has_slots()) return;
  for (jint slot = 0; slot < 2 * kSlots; ++slot)
    jni->SetObjectArrayElement(waiting_, slot, nullptr);
}

}  // namespace iprof::vm
