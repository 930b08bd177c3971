// Sampler: one sampling session over all Java threads of the process.
//
// Guarantees:
//  - Each watched thread is interrupted once per interval of its own CPU time (kCpu) or of wall
//    time (kWall, sleeping and parked threads too), and its stack goes into a TraceTable. A signal
//    that stands for several intervals weighs as many, so that weights times interval follow the
//    clock.
//  - The time of threads that end between two signals is not lost (see CpuTimers).
//  - Every signal received ends in one SampleOutcome: after Stop(), good + recovered + failed =
//    received.
//  - The handler allocates nothing, takes no lock, keeps errno, and never runs inside itself.
//  - The signal is looked at before each timer is armed, and each second (each 100 ms where its
//    default action ends the process). When it is no longer ours, sampling ends as by Stop(); what
//    was sampled stays, and stats() says when and why.
//  - Threads that do not run cost nothing, apart from 64 looks a second at whether they still exist
//    (with kCpu).
//  - After Stop() no timer exists; handlers that were running have returned (or it says so).
//  - Traces hold raw frames: method keys and bcis as the running bytecode has them. Naming them is
//    the caller's part.
//
// One session at a time; a second Start() is refused until the first one is destroyed.
// Who calls: Start, RollCall, the readers and the destructor: a normal thread, one at a time; Stop
// from any thread at any time, while another one reads, calls the roll or stops, too.
// ThreadStarted and ThreadEnding: the thread itself. Nobody calls the JVM under our locks, except
// for current_env in the handler.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "agent/sampling/arch/adapter.h"
#include "agent/sampling/core/call_trace.h"
#include "agent/sampling/core/code_ranges.h"
#include "agent/sampling/core/sample_handler.h"
#include "agent/sampling/core/sample_outcome.h"
#include "agent/sampling/core/sample_signal.h"
#include "agent/sampling/core/sampler_options.h"
#include "agent/sampling/core/slot_queue.h"
#include "agent/sampling/core/thread_slot.h"
#include "agent/sampling/core/thread_timer.h"
#include "agent/sampling/core/trace_table.h"
#include "agent/sampling/sources/cpu_timers.h"
#include "writer/base/status.h"

namespace iprof::sampling {

struct SamplerHooks {
  AsyncGetCallTraceFn get_call_trace = nullptr;
  // The calling thread's JNIEnv or null; called in the handler, so it must be async-signal-safe.
  void* (*current_env)() = nullptr;
  const TimerCalls* timers = &SystemTimerCalls();
  FrameAnchor anchor;
  InterpreterFacts interpreter;
  // Null switches recovery off.
  const Processor* processor = ThisProcessor();
  // Without it a fault inside AsyncGetCallTrace ends the process; see CrashGuard.
  bool crash_guard = true;
  // Sampling has ended because another owner has the signal now. Called once, on the ticker's thread.
  std::function<void(int signal, SignalOwner owner)> on_signal_lost;
};

class Sampler {
 public:
  static Result<std::unique_ptr<Sampler>> Start(const SamplerOptions& options,
                                                const SamplerHooks& hooks);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void ThreadStarted(void* env);
  void ThreadEnding();
  // Finds the Java threads that were there before: every thread of the process is asked, by a
  // signal, whether it is one.
  void RollCall();

  CodeRanges& code() { return code_; }
  const SamplerOptions& options() const { return options_; }
  int signal() const { return signal_; }

  // Ends sampling for good. False: a handler was still running after a second (its thread is
  // stopped); what it adds may be missing, and nothing it uses is freed.
  bool Stop();

  // Waits until all samples whose signals had come are in the table. False: timed out, as for Stop.
  bool Drain();
  const TraceTable& traces() const { return *table_; }
  SampleStats stats();
  // CPU clocks of all threads watched so far, from when each was first watched.
  uint64_t watched_cpu_ns();

 private:
  Sampler(const SamplerOptions& options, const SamplerHooks& hooks, ThreadSlotPool* pool,
          std::unique_ptr<TraceTable> table);
  void Watch(ThreadSlot* slot);
  void Arm(ThreadSlot* slot);
  void Call(ThreadSlot* slot);
  void Dismiss(ThreadSlot* slot);
  bool Disarm(ThreadSlot* slot);
  void Settle();
  void TickerLoop();
  void Tick(uint64_t ticks);
  void LookForGone();
  bool SignalIsOurs();
  bool LookAtSignal();
  bool IsBusy();
  void EndSampling();

  const SamplerOptions options_;
  const SamplerHooks hooks_;
  ThreadSlotPool* const pool_;
  std::unique_ptr<TraceTable> table_;
  CodeRanges code_;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  int signal_ = 0;
  std::atomic<bool> stopped_{false};

  std::mutex lock_;  // slots' administration: timers, states other than the handler's answers
  uint64_t timer_failures_ = 0;
  uint64_t ended_cpu_ns_ = 0;
  CpuTimers cpu_timers_;
  SlotQueue queue_;
  std::chrono::steady_clock::time_point last_roll_call_;
  SignalOwner signal_owner_ = SignalOwner::kUs;
  uint64_t stopped_after_ns_ = 0;

  std::mutex ticker_lock_;
  std::condition_variable ticker_wake_;
  bool ticker_stop_ = false;
  pid_t ticker_tid_ = 0;  // the ticker's to write, before Start returns
  std::mutex join_lock_;  // guards what follows
  std::thread ticker_;
};

}  // namespace iprof::sampling
