// Sampler: samples all Java threads of the process, in one or more sessions.
//
// Guarantees:
// - Each watched thread is interrupted once per interval of its own CPU time (kCpu) or of wall time
//   (kWall, also sleeping and parked threads), and its stack is added to a TraceTable. A signal
//   that stands for several intervals has their weight, so total weight times interval follows the
//   clock. If the interval adapts, weights count first intervals (SamplePace).
// - The time of threads that end between two signals is not lost (see CpuTimers).
// - Every signal received has one SampleOutcome: after Stop(), good + recovered + failed =
//   received.
// - The handler allocates nothing, takes no lock, keeps errno, and never runs inside itself.
// - The sampler checks that the signal is still its own before it arms a timer, and every second
//   (every 100 ms if the signal's default action ends the process). If it is not, sampling ends as
//   after Stop(): the samples stay, and stats() says when and why.
// - Threads that do not run cost nothing, except that with kCpu 64 of them per second are checked
//   for whether they still exist.
// - After Stop() no timer exists and no handler is running; if a handler does not return, Stop()
//   says so.
// - Traces hold raw frames: method keys, and bcis in the running bytecode. The caller resolves
//   names. They know in which period of the recording (writer/base/time_period.h) they were seen; pauses are part of it.
//
// Threads: Start, RollCall, the readers and the destructor on a normal thread, one at a time. Stop
// on any thread at any time, also while another thread reads, calls the roll, stops or continues.
// ThreadStarted and ThreadEnding on the thread itself, also during and after Stop: a watched thread
// must announce its end, because its JNIEnv does not outlive it. While one of our locks is held, the JVM is
// not called, except for current_env in the handler.
// Failure: Start and Continue return a Status, and then nothing is sampled. Only one Sampler can be in a session. What
// the system refuses (timers, signals) is retried and counted.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "agent/sampling/arch/adapter.h"
#include "agent/sampling/core/call_trace.h"
#include "agent/sampling/core/code_ranges.h"
#include "agent/sampling/core/sample_handler.h"
#include "agent/sampling/core/sample_outcome.h"
#include "agent/sampling/core/sample_pace.h"
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
  // Returns the calling thread's JNIEnv or null. The handler calls it, so it must be
  // async-signal-safe.
  void* (*current_env)() = nullptr;
  const TimerCalls* timers = &SystemTimerCalls();
  FrameAnchor anchor;
  InterpreterFacts interpreter;
  CodeFacts
      method_code;  // unknown: samples do not say in which version of a method's code they are
  // The number of what a thread is called, by its JNIEnv; 0: not known. Null: samples do not know their threads. Called under a
  // lock: it must not call the JVM.
  std::function<uint32_t(const void* env)> thread_of;
  // Where code is, from Sampler::NewCode; null: of its own.
  std::shared_ptr<CodeRanges> code = nullptr;
  // Null disables recovery.
  const Processor* processor = ThisProcessor();
  // Without the guard, a fault inside AsyncGetCallTrace ends the process; see CrashGuard.
  bool crash_guard = true;
  // Called once, on the ticker's thread, after sampling has ended because the signal has another
  // owner.
  std::function<void(int signal, SignalOwner owner)> on_signal_lost;
};

// The interval of a sampler, and what its weights are worth.
struct IntervalFacts {
  int64_t first_ns = 0;
  int64_t last_ns = 0;
  // Of signals with a stack; 0 if the interval does not adapt. See SamplePace.
  uint64_t effective_signals = 0;
};

class Sampler {
 public:
  static Result<std::unique_ptr<Sampler>> Start(const SamplerOptions& options,
                                                const SamplerHooks& hooks);
  // After Stop: goes on with the same options, stacks and statistics. Refused where a handler of the session before
  // still runs. Not while another thread continues.
  Status Continue();
  // For sessions of this depth. It can be filled before the session starts.
  static std::shared_ptr<CodeRanges> NewCode(int32_t depth);
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  void ThreadStarted(void* env);
  void ThreadEnding();
  // Asks again what the threads are called, because that may change.
  void NameThreads();
  // Finds the Java threads that existed before the sampler: asks every thread of the process, by a
  // signal, whether it is one.
  void RollCall();

  CodeRanges& code() { return *shared_->code; }
  const SamplerOptions& options() const { return options_; }
  int signal() const { return signal_.load(std::memory_order_relaxed); }

  // Ends the session. Returns false if a handler was still running after a second (its thread
  // is suspended). Samples that it adds later may be missing, and nothing that it uses is freed.
  bool Stop();
  // Whether it was stopped, or has lost its signal.
  bool has_ended() const { return shared_->stopped.load(std::memory_order_relaxed); }

  // Waits until all samples whose signals have arrived are in the table. Returns false on timeout,
  // as for Stop.
  bool Drain();
  const TraceTable& traces() const { return *shared_->table; }
  SampleStats stats();
  // Since the last RestartPace. One after the other with stats(), not at the same moment.
  IntervalFacts interval();
  // A new recording begins, with its first period. If the interval adapts, it is the first one again.
  void RestartPace();
  // Native memory, without that of code().
  size_t memory_bytes() const { return shared_->table->memory_bytes() + pool_->memory_bytes(); }
  // CPU time of all threads watched so far, from when each was first watched.
  uint64_t watched_cpu_ns();

 private:
  // What handlers use, for all sessions.
  struct Shared {
    Shared(std::unique_ptr<TraceTable> traces, std::shared_ptr<CodeRanges> ranges)
        : table(std::move(traces)), code(std::move(ranges)) {}

    const std::unique_ptr<TraceTable> table;
    const std::shared_ptr<CodeRanges> code;
    std::atomic<bool> stopped{true};
    std::atomic<uint64_t> began_ns{0};  // the recording
    PaceCounters pace;
    Shared* other = nullptr;  // of the list of those that are never freed
  };

  Sampler(const SamplerOptions& options, const SamplerHooks& hooks, ThreadSlotPool* pool,
          std::unique_ptr<TraceTable> table);
  Status Begin();
  Status StartTicker();
  void Watch(ThreadSlot* slot);
  void Name(ThreadSlot* slot);
  void Arm(ThreadSlot* slot);
  void Call(ThreadSlot* slot);
  void Dismiss(ThreadSlot* slot);
  bool Disarm(ThreadSlot* slot);
  void Settle();
  void TickerLoop();
  void Tick(uint64_t ticks);
  void LookForGone();
  bool Adapts() const { return options_.adapts && options_.event == SampleEvent::kCpu; }
  void KeepPace();
  void UseInterval();
  bool SignalIsOurs();
  bool LookAtSignal();
  bool IsBusy();
  void EndSampling();

  const SamplerOptions options_;
  const SamplerHooks hooks_;
  ThreadSlotPool* const pool_;
  std::unique_ptr<Shared> shared_;  // only the destructor changes the pointer
  std::atomic<int> signal_{0};      // 0: there was no session

  std::mutex
      lock_;  // guards what follows, and slots: their timers, and their states except the handler's answers
  std::chrono::steady_clock::time_point started_;  // the last session
  uint64_t timer_failures_ = 0;
  uint64_t ended_cpu_ns_ = 0;
  CpuTimers cpu_timers_;
  SamplePace pace_;
  SlotQueue queue_;
  std::chrono::steady_clock::time_point last_roll_call_;
  SignalOwner signal_owner_ = SignalOwner::kUs;
  uint64_t stopped_after_ns_ = 0;

  std::mutex ticker_lock_;
  std::condition_variable ticker_wake_;
  bool ticker_stop_ = false;
  pid_t ticker_tid_ = 0;     // written by the ticker before Start returns
  std::mutex session_lock_;  // held while a session begins or ends; guards ticker_
  std::thread ticker_;
};

}  // namespace iprof::sampling
