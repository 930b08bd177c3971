// The sampling signal handler: from a signal to a counted stack.
//
// Guarantees: async-signal-safe (it calls AsyncGetCallTrace, current_env, clock_gettime and this
// room's handler code, nothing else); keeps errno; every signal ends in one outcome, counted in its
// thread's slot, or, where the thread has none, in the counters here. A debug build traps any
// allocation while it runs.
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
#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/core/trace_table.h"

namespace iprof::sampling {

// Where a thread's last Java frame is noted, from its JNIEnv. HotSpot leaves the program counter
// out when the interpreter calls the VM; it stands under the noted stack pointer, where the call
// put it.
struct FrameAnchor {
  bool known = false;
  ptrdiff_t sp_from_env = 0;
  ptrdiff_t pc_from_env = 0;
  // The thread's state, an int: in these two nobody else walks the thread's stack. -1: unknown.
  ptrdiff_t state_from_env = 0;
  int in_java = -1;
  int in_vm = -1;
};

// What a running session shows to the handler. Valid from OpenHandler to CloseHandler plus a
// quiesce.
struct HandlerView {
  AsyncGetCallTraceFn get_call_trace;
  void* (*current_env)();
  int32_t depth;
  const Processor* processor;  // null: nothing is recovered
  FrameAnchor anchor;
  InterpreterFacts interpreter;
  TraceTable* table;
  const CodeRanges* code;
  const std::atomic<bool>* stopped;
};

// Signals that met a thread without a slot.
struct OrphanCounters {
  std::array<std::atomic<uint64_t>, kSampleOutcomeCount> signals{};
  std::array<std::atomic<uint64_t>, kSampleOutcomeCount> weight{};
  std::atomic<uint64_t> received{0};
};

// In si_errno of the signals that we queue ourselves: with the sender's pid it says that si_value
// is a slot of ours.
inline constexpr int kQueuedMark = 0x6970726f;

void OnSampleSignal(int signal, siginfo_t* info, void* context);

// False: another session is open.
bool OpenHandler(const HandlerView& view);
void CloseHandler();
OrphanCounters& Orphans();

}  // namespace iprof::sampling
