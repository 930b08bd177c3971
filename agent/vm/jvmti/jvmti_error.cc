#include "agent/vm/jvmti/jvmti_error.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace iprof::vm {
namespace {

struct ErrorName {
  int code;
  std::string_view name;
};

constexpr std::array kErrors{
    ErrorName{0, "NONE"},
    ErrorName{10, "INVALID_THREAD"},
    ErrorName{11, "INVALID_THREAD_GROUP"},
    ErrorName{12, "INVALID_PRIORITY"},
    ErrorName{13, "THREAD_NOT_SUSPENDED"},
    ErrorName{14, "THREAD_SUSPENDED"},
    ErrorName{15, "THREAD_NOT_ALIVE"},
    ErrorName{20, "INVALID_OBJECT"},
    ErrorName{21, "INVALID_CLASS"},
    ErrorName{22, "CLASS_NOT_PREPARED"},
    ErrorName{23, "INVALID_METHODID"},
    ErrorName{24, "INVALID_LOCATION"},
    ErrorName{25, "INVALID_FIELDID"},
    ErrorName{26, "INVALID_MODULE"},
    ErrorName{31, "NO_MORE_FRAMES"},
    ErrorName{32, "OPAQUE_FRAME"},
    ErrorName{34, "TYPE_MISMATCH"},
    ErrorName{35, "INVALID_SLOT"},
    ErrorName{40, "DUPLICATE"},
    ErrorName{41, "NOT_FOUND"},
    ErrorName{50, "INVALID_MONITOR"},
    ErrorName{51, "NOT_MONITOR_OWNER"},
    ErrorName{52, "INTERRUPT"},
    ErrorName{60, "INVALID_CLASS_FORMAT"},
    ErrorName{61, "CIRCULAR_CLASS_DEFINITION"},
    ErrorName{62, "FAILS_VERIFICATION"},
    ErrorName{63, "UNSUPPORTED_REDEFINITION_METHOD_ADDED"},
    ErrorName{64, "UNSUPPORTED_REDEFINITION_SCHEMA_CHANGED"},
    ErrorName{65, "INVALID_TYPESTATE"},
    ErrorName{66, "UNSUPPORTED_REDEFINITION_HIERARCHY_CHANGED"},
    ErrorName{67, "UNSUPPORTED_REDEFINITION_METHOD_DELETED"},
    ErrorName{68, "UNSUPPORTED_VERSION"},
    ErrorName{69, "NAMES_DONT_MATCH"},
    ErrorName{70, "UNSUPPORTED_REDEFINITION_CLASS_MODIFIERS_CHANGED"},
    ErrorName{71, "UNSUPPORTED_REDEFINITION_METHOD_MODIFIERS_CHANGED"},
    ErrorName{72, "UNSUPPORTED_REDEFINITION_CLASS_ATTRIBUTE_CHANGED"},
    ErrorName{79, "UNMODIFIABLE_CLASS"},
    ErrorName{80, "UNMODIFIABLE_MODULE"},
    ErrorName{98, "NOT_AVAILABLE"},
    ErrorName{99, "MUST_POSSESS_CAPABILITY"},
    ErrorName{100, "NULL_POINTER"},
    ErrorName{101, "ABSENT_INFORMATION"},
    ErrorName{102, "INVALID_EVENT_TYPE"},
    ErrorName{103, "ILLEGAL_ARGUMENT"},
    ErrorName{104, "NATIVE_METHOD"},
    ErrorName{106, "CLASS_LOADER_UNSUPPORTED"},
    ErrorName{110, "OUT_OF_MEMORY"},
    ErrorName{111, "ACCESS_DENIED"},
    ErrorName{112, "WRONG_PHASE"},
    ErrorName{113, "INTERNAL"},
    ErrorName{115, "UNATTACHED_THREAD"},
    ErrorName{116, "INVALID_ENVIRONMENT"},
};

struct EventName {
  jvmtiEvent event;
  std::string_view name;
};

constexpr std::array kEvents{
    EventName{JVMTI_EVENT_VM_INIT, "VMInit"},
    EventName{JVMTI_EVENT_VM_DEATH, "VMDeath"},
    EventName{JVMTI_EVENT_THREAD_START, "ThreadStart"},
    EventName{JVMTI_EVENT_THREAD_END, "ThreadEnd"},
    EventName{JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, "ClassFileLoadHook"},
    EventName{JVMTI_EVENT_CLASS_LOAD, "ClassLoad"},
    EventName{JVMTI_EVENT_CLASS_PREPARE, "ClassPrepare"},
    EventName{JVMTI_EVENT_VM_START, "VMStart"},
    EventName{JVMTI_EVENT_EXCEPTION, "Exception"},
    EventName{JVMTI_EVENT_EXCEPTION_CATCH, "ExceptionCatch"},
    EventName{JVMTI_EVENT_SINGLE_STEP, "SingleStep"},
    EventName{JVMTI_EVENT_FRAME_POP, "FramePop"},
    EventName{JVMTI_EVENT_BREAKPOINT, "Breakpoint"},
    EventName{JVMTI_EVENT_FIELD_ACCESS, "FieldAccess"},
    EventName{JVMTI_EVENT_FIELD_MODIFICATION, "FieldModification"},
    EventName{JVMTI_EVENT_METHOD_ENTRY, "MethodEntry"},
    EventName{JVMTI_EVENT_METHOD_EXIT, "MethodExit"},
    EventName{JVMTI_EVENT_NATIVE_METHOD_BIND, "NativeMethodBind"},
    EventName{JVMTI_EVENT_COMPILED_METHOD_LOAD, "CompiledMethodLoad"},
    EventName{JVMTI_EVENT_COMPILED_METHOD_UNLOAD, "CompiledMethodUnload"},
    EventName{JVMTI_EVENT_DYNAMIC_CODE_GENERATED, "DynamicCodeGenerated"},
    EventName{JVMTI_EVENT_DATA_DUMP_REQUEST, "DataDumpRequest"},
    EventName{JVMTI_EVENT_MONITOR_WAIT, "MonitorWait"},
    EventName{JVMTI_EVENT_MONITOR_WAITED, "MonitorWaited"},
    EventName{JVMTI_EVENT_MONITOR_CONTENDED_ENTER, "MonitorContendedEnter"},
    EventName{JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, "MonitorContendedEntered"},
    EventName{JVMTI_EVENT_RESOURCE_EXHAUSTED, "ResourceExhausted"},
    EventName{JVMTI_EVENT_GARBAGE_COLLECTION_START, "GarbageCollectionStart"},
    EventName{JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, "GarbageCollectionFinish"},
    EventName{JVMTI_EVENT_OBJECT_FREE, "ObjectFree"},
    EventName{JVMTI_EVENT_VM_OBJECT_ALLOC, "VMObjectAlloc"},
    EventName{JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, "SampledObjectAlloc"},
};

}  // namespace

std::string JvmtiErrorText(jvmtiError error) {
  const int code = static_cast<int>(error);
  const auto* const found = std::find_if(kErrors.begin(), kErrors.end(),
                                         [&](const ErrorName& one) { return one.code == code; });
  return fmt::format("{} ({})", found == kErrors.end() ? "unknown error" : found->name, code);
}

std::string_view JvmtiEventName(jvmtiEvent event) {
  const auto* const found = std::find_if(kEvents.begin(), kEvents.end(),
                                         [&](const EventName& one) { return one.event == event; });
  return found == kEvents.end() ? std::string_view() : found->name;
}

Status JvmtiFailure(std::string_view step, jvmtiError error) {
  return {Code::kInternal, fmt::format("cannot {}: {}", step, JvmtiErrorText(error))};
}

}  // namespace iprof::vm
