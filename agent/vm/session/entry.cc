// The three functions that the library exports. The JVM finds them by name.
#include <jvmti.h>

#include "agent/vm/session/load.h"

extern "C" {

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* /*reserved*/) {
  return iprof::vm::LoadAgent(vm, options, iprof::vm::LoadReason::kStart);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void* /*reserved*/) {
  return iprof::vm::LoadAgent(vm, options, iprof::vm::LoadReason::kAttach);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM* /*vm*/) { iprof::vm::UnloadAgent(); }

}  // extern "C"
