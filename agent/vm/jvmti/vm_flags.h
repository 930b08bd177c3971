// VmFlags: the flags and arguments of the JVM that this agent runs in.
//
// Why: some start-up features of the JVM cannot be combined with early class-file hooks. Requesting
// such a hook would end the JVM, so Agent_OnLoad must know first.
//
// Guarantees and failure: as hotspot::VmFlags. Threads: any, in any phase from Agent_OnLoad on, but
// only while no thread writes flags (start-up).
#pragma once

#include <jni.h>

#include "agent/hotspot/vm_flags.h"
#include "agent/vm/jvmti/own_jvm.h"

namespace iprof::vm {

class VmFlags : public hotspot::VmFlags {
 public:
  explicit VmFlags(JavaVM* vm) : hotspot::VmFlags(Found(vm)) {}

 private:
  // Looked for once, because searching HotSpot's tables takes a part of the time that a start may.
  static const hotspot::VmFlags& Found(JavaVM* vm) {
    static const hotspot::VmFlags found(OwnJvm(vm).structs());
    return found;
  }
};

}  // namespace iprof::vm
