#include "agent/vm/sampling/sampling_anchor.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <optional>

#include "agent/hotspot/frame_facts.h"
#include "agent/hotspot/process_memory.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/sampling/java_threads.h"

namespace iprof::vm {
namespace {

// The length of a method's code, as the handler will read it.
std::optional<uint32_t> LengthAt(jmethodID id, const hotspot::CodeOffsets& offsets) {
  const hotspot::ProcessMemory memory(getpid());  // does not fault
  using hotspot::Address;
  const auto method = memory.Load<Address>(reinterpret_cast<Address>(id));
  const auto code = method ? memory.Load<Address>(*method + offsets.code_in_method) : std::nullopt;
  const auto length = code ? memory.Load<uint16_t>(*code + offsets.size_in_code) : std::nullopt;
  return length ? std::optional<uint32_t>(*length) : std::nullopt;
}

std::optional<uint32_t> LengthByJvmti(jmethodID id, jvmtiEnv* jvmti) {
  jlocation first = 0;
  jlocation last = -1;
  if (jvmti->GetMethodLocation(id, &first, &last) != JVMTI_ERROR_NONE || last < 0)
    return std::nullopt;
  return static_cast<uint32_t>(last) + 1;
}

}  // namespace

sampling::FrameAnchor FindFrameAnchor(const hotspot::VmStructs& structs, jvmtiEnv* jvmti,
                                      JNIEnv* jni) {
  const auto offsets = hotspot::ReadThreadOffsets(structs);
  const auto threads = JavaThreads::Find(jvmti, jni);
  if (!offsets || !threads) return {};
  const ptrdiff_t env_offset = threads->env_offset();
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

sampling::CodeFacts FindCodeFacts(const hotspot::VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni) {
  const auto offsets = hotspot::ReadCodeOffsets(structs);
  jclass type = offsets ? BootClass(jni, "java/lang/Thread") : nullptr;
  if (type == nullptr) return {};
  std::optional<uint32_t> last;
  bool fits = true;
  for (const auto& [name, signature] :
       {std::pair("run", "()V"), std::pair("toString", "()Ljava/lang/String;")}) {
    const jmethodID id = jni->GetMethodID(type, name, signature);
    if (id == nullptr) jni->ExceptionClear();
    const auto length = id == nullptr ? std::nullopt : LengthByJvmti(id, jvmti);
    fits = fits && length && LengthAt(id, *offsets) == length && length != last;
    last = length;
  }
  jni->DeleteLocalRef(type);
  if (!fits) return {};
  sampling::CodeFacts facts{.known = true,
                            .code_in_method = static_cast<uint32_t>(offsets->code_in_method),
                            .size_in_code = static_cast<uint32_t>(offsets->size_in_code),
                            .bytes_in_code = static_cast<uint32_t>(offsets->bytes_in_code)};
  for (size_t op = 0; op < facts.is_call.size(); ++op)
    facts.is_call[op] = hotspot::IsRunningCall(static_cast<uint8_t>(op));
  return facts;
}

}  // namespace iprof::vm
