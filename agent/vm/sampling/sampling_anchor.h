// SamplingAnchor: what the sampler's handler needs to know about the running HotSpot: the offsets of a
// thread's last Java frame from its JNIEnv, the layout of interpreted frames, and where the code of a method is.
//
// The offsets come from the tables that HotSpot exports (agent/hotspot/frame_facts.h says why they
// are needed), and from one thread's address in java.lang.Thread.
//
// Guarantees: nothing is guessed. Threads: any attached thread, in the live phase.
// Failure: if an offset is missing, the anchor is unknown, and such samples count as failed. If
// only the thread's state is missing, frames in C1's stubs are not recovered.
#pragma once

#include <jvmti.h>

#include "agent/hotspot/vm_structs.h"
#include "agent/sampling/core/sample_handler.h"

namespace iprof::vm {

sampling::FrameAnchor FindFrameAnchor(const hotspot::VmStructs& structs, jvmtiEnv* jvmti,
                                      JNIEnv* jni);

sampling::InterpreterFacts FindInterpreterFacts(const hotspot::VmStructs& structs);

// Compares what it finds with what JVMTI says about two methods. Unknown if they differ, as where a jmethodID is no
// pointer.
sampling::CodeFacts FindCodeFacts(const hotspot::VmStructs& structs, jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace iprof::vm
