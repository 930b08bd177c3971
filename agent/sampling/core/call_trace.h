// The ABI of HotSpot's AsyncGetCallTrace, without any JVM header.
//
// Why a copy: only agent/vm may see JNI types, and this function has never had a public header. A
// method is an opaque key here (a jmethodID there); nothing in this room dereferences it. Plain
// data: usable in a signal handler.
#pragma once

#include <cstdint>

namespace iprof::sampling {

// One frame as HotSpot writes it: the field it calls "lineno" holds the bci, or kNativeFrame.
struct CallFrame {
  int32_t bci;
  void* method;  // a jmethodID; null where the class had none yet
};
static_assert(sizeof(CallFrame) == 16, "must match ASGCT_CallFrame");

// HotSpot's bci of a native method, which has no bytecode.
inline constexpr int32_t kNativeFrame = -3;

struct CallTrace {
  void* env;           // the thread's JNIEnv
  int32_t num_frames;  // frames written (innermost first), or one of the codes below
  CallFrame* frames;
};

// The reasons in num_frames, by HotSpot's numbers.
enum class CallTraceCode : int32_t {
  kNoJavaFrame = 0,
  kNoClassLoad = -1,         // JVMTI's ClassLoad event is off
  kGcActive = -2,            // a collection stopped the world
  kUnknownNotJava = -3,      // in native or VM code, top frame unknown
  kNotWalkableNotJava = -4,  // in native or VM code, stack not walkable
  kUnknownJava = -5,         // in Java code, top frame unknown
  kNotWalkableJava = -6,     // in Java code, stack not walkable
  kUnknownState = -7,        // the thread is between states
  kThreadExit = -8,          // no such Java thread (any more)
  kDeoptimizing = -9,        // inside the deoptimisation handler
  kSafepoint = -10,          // at a safepoint (no longer used by HotSpot)
};

using AsyncGetCallTraceFn = void (*)(CallTrace* trace, int32_t depth, void* ucontext);

}  // namespace iprof::sampling
