// JvmtiError: readable names for JVMTI's error codes and events, and failures that carry them.
//
// Pure; any thread and phase. JVMTI's own GetErrorName is not used: it needs an environment that works.
#pragma once

#include <jvmti.h>

#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

// "MUST_POSSESS_CAPABILITY (99)"; "unknown error (7)" where JVMTI has no such code.
std::string JvmtiErrorText(jvmtiError error);

// As in JVMTI's specification: "ClassFileLoadHook"; empty where JVMTI has no such event.
std::string_view JvmtiEventName(jvmtiEvent event);

// "cannot <step>: MUST_POSSESS_CAPABILITY (99)".
Status JvmtiFailure(std::string_view step, jvmtiError error);

}  // namespace iprof::vm
