#include "agent/vm/sampling/sampling_anchor.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/hotspot/frame_facts.h"
#include "agent/vm/jvmti/boot_class.h"

namespace iprof::vm {
namespace {

// The calling thread's JavaThread. java.lang.Thread keeps its address in a field.
std::optional<uintptr_t> OwnJavaThread(jvmtiEnv* jvmti, JNIEnv* jni) {
  jthread thread = nullptr;
  if (jvmti->GetCurrentThread(&thread) != JVMTI_ERROR_NONE || thread == nullptr)
    return std::nullopt;
  std::optional<uintptr_t> found;
  jclass type = BootClass(jni, "java/lang/Thread");
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

sampling::FrameAnchor FindFrameAnchor(const hotspot::VmStructs& structs, jvmtiEnv* jvmti,
                                      JNIEnv* jni) {
  const auto offsets = hotspot::ReadThreadOffsets(structs);
  const auto java_thread = OwnJavaThread(jvmti, jni);
  if (!offsets || !java_thread || *java_thread == 0) return {};
  // The JNIEnv is a part of the JavaThread.
  const auto env = reinterpret_cast<uintptr_t>(jni);
  constexpr uintptr_t kLargestThread = 1 << 16;
  if (env < *java_thread || env - *java_thread > kLargestThread) return {};
  const auto env_offset = static_cast<ptrdiff_t>(env - *java_thread);
  const auto from_env = [env_offset](uint64_t offset) {
    return static_cast<ptrdiff_t>(offset) - env_offset;
  };
  sampling::FrameAnchor found{true, from_env(offsets->last_java_sp),
                              from_env(offsets->last_java_pc)};
  if (const auto& state = offsets->state) {
    found.state_from_env = from_env(state->at);
    found.in_java = state->in_java;
    found.in_vm = state->in_vm;
  }
  if (const auto& stack = offsets->stack) {
    found.knows_stack = true;
    found.stack_base_from_env = from_env(stack->base);
    found.stack_size_from_env = from_env(stack->size);
  }
  return found;
}

sampling::InterpreterFacts FindInterpreterFacts(const hotspot::VmStructs& structs) {
  sampling::InterpreterFacts facts;
  if (const auto words = hotspot::ReadSenderSpWords(structs)) facts.sender_sp_words = *words;
  facts.jdk_major = hotspot::ReadMajorVersion(structs).value_or(0);
  return facts;
}

}  // namespace iprof::vm
