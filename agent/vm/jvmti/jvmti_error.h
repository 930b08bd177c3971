// JvmtiError: readable names for JVMTI's error codes and events, and failures that contain them.
//
// Guarantees: needs no environment, unlike JVMTI's own GetErrorName. Threads: any, in any phase;
// pure functions. Failure: an unknown code gives a text that contains its number.
#pragma once

#include <jvmti.h>

#include <string>
#include <string_view>

#include "writer/base/status.h"

namespace iprof::vm {

// "MUST_POSSESS_CAPABILITY (99)", or "unknown error (7)" if JVMTI has no such code.
std::string JvmtiErrorText(jvmtiError error);

// The name in JVMTI's specification: "ClassFileLoadHook"; empty if JVMTI has no such event.
std::string_view JvmtiEventName(jvmtiEvent event);

// "cannot <step>: MUST_POSSESS_CAPABILITY (99)".
Status JvmtiFailure(std::string_view step, jvmtiError error);

}  // namespace iprof::vm
