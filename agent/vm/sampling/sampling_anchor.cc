#include "agent/vm/sampling/sampling_anchor.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/hotspot/vm_structs.h"

namespace iprof::vm {
namespace {

// The calling thread's JavaThread, which java.lang.Thread keeps in a field.
std::optional<uintptr_t> OwnJavaThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  jthread thread = nullptr;
  if (jvmti->GetCurrentThread(&thread) != JVMTI_ERROR_NONE || thread == nullptr)
    return std::nullopt;
  std::optional<uintptr_t> found;
  jclass type = jni->FindClass("java/lang/Thread");
  jfieldID field = type == nullptr ? nullptr : jni->GetFieldID(type, "eetop", "J");
  if (field != nullptr) {
    found = static_cast<uintptr_t>(jni->GetLongField(thread, field));
  } else {
    jni->ExceptionClear();
  }
  jni->DeleteLocalRef(thread);
  if (type != nullptr) jni->DeleteLocalRef(type);
  return found;
}

}  // namespace

sampling::FrameAnchor FindFrameAnchor(jvmtiEnv* jvmti, JNIEnv* jni) {
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) return {};
  const hotspot::OwnMemory memory;
  const hotspot::VmStructs structs(
      memory, hotspot::OwnSymbols(reinterpret_cast<const void*>(vm->functions->GetEnv)));
  const auto anchor = structs.OffsetOf("JavaThread", "_anchor");
  const auto sp = structs.OffsetOf("JavaFrameAnchor", "_last_Java_sp");
  const auto pc = structs.OffsetOf("JavaFrameAnchor", "_last_Java_pc");
  const auto java_thread = OwnJavaThread(jvmti, jni);
  if (!anchor || !sp || !pc || !java_thread || *java_thread == 0) return {};
  // The JNIEnv is a part of the JavaThread.
  const auto env = reinterpret_cast<uintptr_t>(jni);
  constexpr uintptr_t kLargestThread = 1 << 16;
  if (env < *java_thread || env - *java_thread > kLargestThread) return {};
  const auto env_offset = static_cast<ptrdiff_t>(env - *java_thread);
  const auto from_env = [env_offset](uint64_t offset) {
    return static_cast<ptrdiff_t>(offset) - env_offset;
  };
  sampling::FrameAnchor found{true, from_env(*anchor + *sp), from_env(*anchor + *pc)};
  const auto state = structs.OffsetOf("JavaThread", "_thread_state");
  const auto in_java = structs.IntConstant("_thread_in_Java");
  const auto in_vm = structs.IntConstant("_thread_in_vm");
  if (state && in_java && in_vm) {
    found.state_from_env = from_env(*state);
    found.in_java = *in_java;
    found.in_vm = *in_vm;
  }
  return found;
}

}  // namespace iprof::vm
