// OwnJvm: the HotSpot that this agent runs in, as its own tables describe it. A process has one,
// and it is never unloaded.
//
// Why: Agent_OnLoad must know flags before it requests hooks, when neither JNI nor management
// interfaces exist yet. And sampling needs functions and offsets that no interface offers.
//
// Guarantees: the first call takes a few milliseconds at most. Threads: any, in any phase from
// Agent_OnLoad on.
// Failure: if the JVM is not a HotSpot, lookups find nothing (hotspot/loaded_jvm.h).
#pragma once

#include <jni.h>

#include "agent/hotspot/loaded_jvm.h"

namespace iprof::vm {

const hotspot::LoadedJvm& OwnJvm(JavaVM* vm);

}  // namespace iprof::vm
