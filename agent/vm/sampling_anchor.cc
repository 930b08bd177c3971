#include "agent/vm/sampling_anchor.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace iprof::vm {
namespace {

// A symbol of libjvm, however it was loaded.
const void* Symbol(const char* name) {
  if (const void* found = dlsym(RTLD_DEFAULT, name)) return found;
  void* library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD);
  return library == nullptr ? nullptr : dlsym(library, name);
}

std::optional<uint64_t> Number(const char* name) {
  const void* at = Symbol(name);
  if (at == nullptr) return std::nullopt;
  uint64_t value = 0;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

// The offset of a field that is not static.
std::optional<ptrdiff_t> OffsetOf(std::string_view type, std::string_view field) {
  const auto table = Number("gHotSpotVMStructs");
  const auto type_at = Number("gHotSpotVMStructEntryTypeNameOffset");
  const auto field_at = Number("gHotSpotVMStructEntryFieldNameOffset");
  const auto offset_at = Number("gHotSpotVMStructEntryOffsetOffset");
  const auto stride = Number("gHotSpotVMStructEntryArrayStride");
  if (!table || !type_at || !field_at || !offset_at || !stride || *table == 0) return std::nullopt;
  for (const char* entry = reinterpret_cast<const char*>(*table);; entry += *stride) {
    const char* entry_type = nullptr;
    const char* entry_field = nullptr;
    std::memcpy(&entry_type, entry + *type_at, sizeof(entry_type));
    std::memcpy(&entry_field, entry + *field_at, sizeof(entry_field));
    if (entry_type == nullptr) return std::nullopt;
    if (entry_field == nullptr || entry_type != type || entry_field != field) continue;
    uint64_t offset = 0;
    std::memcpy(&offset, entry + *offset_at, sizeof(offset));
    return static_cast<ptrdiff_t>(offset);
  }
}

std::optional<int> Constant(std::string_view wanted) {
  const auto table = Number("gHotSpotVMIntConstants");
  const auto name_at = Number("gHotSpotVMIntConstantEntryNameOffset");
  const auto value_at = Number("gHotSpotVMIntConstantEntryValueOffset");
  const auto stride = Number("gHotSpotVMIntConstantEntryArrayStride");
  if (!table || !name_at || !value_at || !stride || *table == 0) return std::nullopt;
  for (const char* entry = reinterpret_cast<const char*>(*table);; entry += *stride) {
    const char* name = nullptr;
    std::memcpy(&name, entry + *name_at, sizeof(name));
    if (name == nullptr) return std::nullopt;
    if (name != wanted) continue;
    int32_t value = 0;
    std::memcpy(&value, entry + *value_at, sizeof(value));
    return value;
  }
}

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
  const auto anchor = OffsetOf("JavaThread", "_anchor");
  const auto sp = OffsetOf("JavaFrameAnchor", "_last_Java_sp");
  const auto pc = OffsetOf("JavaFrameAnchor", "_last_Java_pc");
  const auto java_thread = OwnJavaThread(jvmti, jni);
  if (!anchor || !sp || !pc || !java_thread || *java_thread == 0) return {};
  // The JNIEnv is a part of the JavaThread.
  const auto env = reinterpret_cast<uintptr_t>(jni);
  constexpr uintptr_t kLargestThread = 1 << 16;
  if (env < *java_thread || env - *java_thread > kLargestThread) return {};
  const auto env_offset = static_cast<ptrdiff_t>(env - *java_thread);
  const auto from_env = *anchor - env_offset;
  sampling::FrameAnchor found{true, from_env + *sp, from_env + *pc};
  const auto state = OffsetOf("JavaThread", "_thread_state");
  const auto in_java = Constant("_thread_in_Java");
  const auto in_vm = Constant("_thread_in_vm");
  if (state && in_java && in_vm) {
    found.state_from_env = *state - env_offset;
    found.in_java = *in_java;
    found.in_vm = *in_vm;
  }
  return found;
}

}  // namespace iprof::vm
