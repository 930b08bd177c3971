// The ABI of HotSpot's AsyncGetCallTrace, without any JVM header.
//
// Why a copy: only agent/vm may use JNI types, and this function never had a public header.
//
// Guarantees: plain data, usable in a signal handler. A method is an opaque key here (in fact a
// jmethodID); only the handler looks behind it, and only where CodeFacts say how.
// Threads: any. Failure: num_frames holds one of the codes below.
#pragma once

#include <cstddef>
#include <cstdint>

#include "writer/base/code_stamp.h"

namespace iprof::sampling {

// One frame as HotSpot writes it. HotSpot calls the first field "lineno"; it holds the bci or
// kNativeFrame.
struct CallFrame {
  CallFrame() = default;
  CallFrame(int32_t at, void* in, CodeStamp stamp = {}) : bci(at), code(stamp), method(in) {}

  int32_t bci;
  CodeStamp code;  // in what HotSpot leaves free; the handler fills it
  void* method;    // a jmethodID; null if the method had none yet
};
static_assert(sizeof(CallFrame) == 16 && offsetof(CallFrame, method) == 8,
              "must match ASGCT_CallFrame");

// The bci that HotSpot gives for a native method, which has no bytecode.
inline constexpr int32_t kNativeFrame = -3;

struct CallTrace {
  void* env;           // the thread's JNIEnv
  int32_t num_frames;  // frames written (innermost first), or one of the codes below
  CallFrame* frames;
};

// The codes in num_frames, as HotSpot defines them.
enum class CallTraceCode : int32_t {
  kNoJavaFrame = 0,
  kNoClassLoad = -1,         // JVMTI's ClassLoad event is off
  kGcActive = -2,            // a stop-the-world collection is running
  kUnknownNotJava = -3,      // in native or VM code, top frame unknown
  kNotWalkableNotJava = -4,  // in native or VM code, stack not walkable
  kUnknownJava = -5,         // in Java code, top frame unknown
  kNotWalkableJava = -6,     // in Java code, stack not walkable
  kUnknownState = -7,        // the thread is in transition between states
  kThreadExit = -8,          // there is no such Java thread, or no longer
  kDeoptimizing = -9,        // inside the deoptimisation handler
  kSafepoint = -10,          // at a safepoint (no longer used by HotSpot)
};

using AsyncGetCallTraceFn = void (*)(CallTrace* trace, int32_t depth, void* ucontext);

}  // namespace iprof::sampling
