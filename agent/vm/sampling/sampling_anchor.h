// SamplingAnchor: where HotSpot keeps a thread's last Java frame, as offsets from its JNIEnv.
//
// Why: when the interpreter calls into the VM it notes the stack pointer of its frame but not the
// program counter, and HotSpot fills that in only when somebody is about to walk the stack.
// AsyncGetCallTrace does not, and so refuses every sample taken meanwhile: class loading, linking
// and allocation of a starting program, a tenth of its CPU time. The offsets let the sampler fill
// it in as HotSpot would (see sampling::FrameAnchor).
//
// They come from the tables that HotSpot exports for its serviceability agent, and from one
// thread's own address in java.lang.Thread; nothing is guessed. Where any of it is missing the
// anchor is unknown, and such samples are counted as failed. Where only the thread's state is not
// found, stubs of C1's are not recovered. Called once, in the live phase, on an attached thread.
#pragma once

#include <jvmti.h>

#include "agent/sampling/core/sample_handler.h"

namespace iprof::vm {

sampling::FrameAnchor FindFrameAnchor(jvmtiEnv* jvmti, JNIEnv* jni);

}  // namespace iprof::vm
