// What the running JVM says about itself and its program.
//
// Guarantees: reads properties of the JVM and /proc/self only. Threads: any, in the OnLoad or live
// phase. Failure: what is not known is empty.
#pragma once

#include <jvmti.h>

#include <string>

#include "agent/settings/main_program.h"

namespace iprof::vm {

// A property that the JVM itself knows, as java.vm.version. Not those that Java code sets.
std::string SystemProperty(jvmtiEnv* jvmti, const char* name);

MainProgram RunningProgram(jvmtiEnv* jvmti);

}  // namespace iprof::vm
