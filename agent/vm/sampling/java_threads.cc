#include "agent/vm/sampling/java_threads.h"

#include <cstdint>

#include "agent/vm/jvmti/boot_class.h"

namespace iprof::vm {

std::optional<JavaThreads> JavaThreads::Find(jvmtiEnv* jvmti, JNIEnv* jni) {
  jthread thread = nullptr;
  if (jvmti->GetCurrentThread(&thread) != JVMTI_ERROR_NONE || thread == nullptr)
    return std::nullopt;
  uintptr_t java_thread = 0;
  jclass type = BootClass(jni, "java/lang/Thread");
  jfieldID address = type == nullptr ? nullptr : jni->GetFieldID(type, "eetop", "J");
  if (address != nullptr) {
    java_thread = static_cast<uintptr_t>(jni->GetLongField(thread, address));
  } else {
    jni->ExceptionClear();
  }
  jni->DeleteLocalRef(thread);
  if (type != nullptr) jni->DeleteLocalRef(type);
  const auto env = reinterpret_cast<uintptr_t>(jni);
  constexpr uintptr_t kLargestThread = 1 << 16;
  if (java_thread == 0 || env < java_thread || env - java_thread > kLargestThread)
    return std::nullopt;
  return JavaThreads(address, static_cast<ptrdiff_t>(env - java_thread));
}

const void* JavaThreads::EnvOf(JNIEnv* jni, jthread thread) const {
  const auto java_thread = static_cast<uintptr_t>(jni->GetLongField(thread, address_));
  if (java_thread == 0) return nullptr;
  return reinterpret_cast<const void*>(java_thread + static_cast<uintptr_t>(env_offset_));
}

}  // namespace iprof::vm
