// OwnJvm: the HotSpot that this agent runs in, as its own tables describe it. There is one in a process, and it never goes away.
//
// Why: Agent_OnLoad must know flags before it asks for hooks, when neither JNI nor management interfaces exist yet; and
// sampling needs functions and offsets that no interface offers.
//
// Any thread, any phase from Agent_OnLoad on. The first call takes some milliseconds at most.
#pragma once

#include <jni.h>

#include "agent/hotspot/loaded_jvm.h"

namespace iprof::vm {

const hotspot::LoadedJvm& OwnJvm(JavaVM* vm);

}  // namespace iprof::vm
