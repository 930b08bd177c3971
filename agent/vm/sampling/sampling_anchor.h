// SamplingAnchor: what the sampler's frame recovery needs to know of the running HotSpot: where a thread's last Java frame is
// noted, as offsets from its JNIEnv, and how interpreted frames are laid out.
//
// The offsets come from the tables that HotSpot exports (hotspot::ReadThreadOffsets says why they are needed), and from one
// thread's own address in java.lang.Thread; nothing is guessed. Where any of it is missing the
// anchor is unknown, and such samples are counted as failed. Where only the thread's state is not
// found, stubs of C1's are not recovered. Called in the live phase, on an attached thread.
#pragma once

#include <jvmti.h>

#include "agent/hotspot/vm_structs.h"
#include "agent/sampling/core/sample_handler.h"

namespace iprof::vm {

sampling::FrameAnchor FindFrameAnchor(const hotspot::VmStructs& structs, jvmtiEnv* jvmti,
                                      JNIEnv* jni);

sampling::InterpreterFacts FindInterpreterFacts(const hotspot::VmStructs& structs);

}  // namespace iprof::vm
