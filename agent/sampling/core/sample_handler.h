// The sampling signal handler: from a signal to a counted stack.
//
// Guarantees: async-signal-safe: it calls only AsyncGetCallTrace, current_env, clock_gettime and
// this room's handler code. It keeps errno. Every signal has exactly one outcome, which is counted
// in its thread's slot or, if the thread has none, in OrphanCounters. A debug build traps any
// allocation while it runs.
// Threads: OnSampleSignal in signal handlers; OpenHandler and CloseHandler on a normal thread, one
// at a time.
// Failure: an outcome that says why there is no stack.
#pragma once

#include <signal.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "agent/sampling/arch/processor.h"
#include "agent/sampling/core/call_trace.h"
#include "agent/sampling/core/code_ranges.h"
#include "agent/sampling/core/sample_outcome.h"
#include "agent/sampling/core/sample_pace.h"
#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/core/trace_table.h"

namespace iprof::sampling {

// The offsets of a thread's last Java frame, state and stack from its JNIEnv. When the interpreter calls the VM,
// HotSpot does not store the program counter; it is in the word below the stored stack pointer,
// where the call pushed it.
struct FrameAnchor {
  bool known = false;
  ptrdiff_t sp_from_env = 0;
  ptrdiff_t pc_from_env = 0;
  // The thread's state, an int. In the two states below, no other thread walks this thread's stack.
  // -1: unknown.
  ptrdiff_t state_from_env = 0;
  int in_java = -1;
  int in_vm = -1;
  // The address above the stack, and its size. HotSpot writes them before a thread has its JNIEnv. They are the way to
  // the stack of a thread that the roll call finds: the C library knows that only on the thread itself, outside of a
  // signal handler.
  bool knows_stack = false;
  ptrdiff_t stack_base_from_env = 0;
  ptrdiff_t stack_size_from_env = 0;
};

// Where the length and the bytes of a method's code are: behind its jmethodID is a pointer to the method, and in it one
// to a part that never changes. The thread runs the method, so it stays loaded while the handler runs.
struct CodeFacts {
  bool known = false;
  uint32_t code_in_method = 0;      // of that pointer in the method
  uint32_t size_in_code = 0;        // of the length, 16 bits, in that part
  uint32_t bytes_in_code = 0;       // of the first byte
  std::array<bool, 256> is_call{};  // by the opcode as the interpreter keeps it
};

// What a running session gives to the handler. It must stay valid from OpenHandler until
// CloseHandler and a quiesce afterwards.
struct HandlerView {
  AsyncGetCallTraceFn get_call_trace;
  void* (*current_env)();
  int32_t depth;
  const Processor* processor;  // null: no recovery
  FrameAnchor anchor;
  InterpreterFacts interpreter;
  CodeFacts method_code;
  TraceTable* table;
  const CodeRanges* code;
  const std::atomic<bool>* stopped;
  const std::atomic<uint64_t>* began_ns;  // when the recording began, by MonotonicNs
  PaceCounters* pace;                     // null: the interval does not adapt
};

// Counts signals that arrived on threads without a slot.
struct OrphanCounters {
  std::array<std::atomic<uint64_t>, kSampleOutcomeCount> signals{};
  std::array<std::atomic<uint64_t>, kSampleOutcomeCount> weight{};
  std::atomic<uint64_t> received{0};
};

// The value of si_errno in signals that we queue ourselves. Together with the sender's pid it says
// that si_value is one of our slots.
inline constexpr int kQueuedMark = 0x6970726f;

void OnSampleSignal(int signal, siginfo_t* info, void* context);

// Returns false if another session is open.
bool OpenHandler(const HandlerView& view);
void CloseHandler();
OrphanCounters& Orphans();
void ResetOrphans();

}  // namespace iprof::sampling
