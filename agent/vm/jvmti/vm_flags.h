// VmFlags: the flags and arguments of the JVM that this agent runs in; see hotspot::VmFlags for what they promise.
//
// Why: some start-up features of the JVM cannot be combined with early class-file hooks, and asking
// for such a hook would end the JVM. Agent_OnLoad must know before it asks.
//
// Any thread, any phase from Agent_OnLoad on; values may be read only while no one writes flags (start-up).
#pragma once

#include <jni.h>

#include "agent/hotspot/vm_flags.h"
#include "agent/vm/jvmti/own_jvm.h"

namespace iprof::vm {

class VmFlags : public hotspot::VmFlags {
 public:
  explicit VmFlags(JavaVM* vm) : hotspot::VmFlags(OwnJvm(vm).structs()) {}
};

}  // namespace iprof::vm
