// The possible outcomes of a sampling signal, and the counters for all of them.
//
// Guarantees: every signal that the handler receives has exactly one outcome, so good + recovered +
// failed is the number of signals received. No sample disappears uncounted.
// Threads: any, also in signal handlers; plain data and pure functions. Failure: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/sampling/core/sample_signal.h"

namespace iprof::sampling {

enum class SampleOutcome : uint8_t {
  // good
  kGood,         // AsyncGetCallTrace returned a stack on the first call
  kNoJavaFrame,  // the thread has no Java frame, so there is nothing to record; not a failure
  // recovered
  kRecovered,  // a stack was found after the leaf or stub frame was popped
  // failed: HotSpot's reason, after recovery was tried where it can help
  kNoClassLoad,
  kGcActive,
  kUnknownNotJava,
  kNotWalkableNotJava,
  kUnknownJava,
  kNotWalkableJava,
  kUnknownState,
  kThreadExit,
  kDeoptimizing,
  kSafepoint,
  kUnknownCode,  // a code that this version does not know
  // failed: our own reasons
  kTableFull,    // there was a stack but no room for it
  kNoStackRoom,  // too close to the end of the thread's stack to call anything
  kNotJava,      // the thread has no JNIEnv, or no longer
  kLate,         // arrived after the thread or the sampler had ended
  kCrashed,      // AsyncGetCallTrace faulted; the fault was caught
  kAfterCrash,   // the thread is not sampled any more since a caught fault
  kReentered,    // arrived while a sample was being taken on the same thread
  kForeign,      // the signal did not come from our timers
};
inline constexpr size_t kSampleOutcomeCount = 22;
static_assert(static_cast<size_t>(SampleOutcome::kForeign) + 1 == kSampleOutcomeCount);

enum class OutcomeClass : uint8_t { kGood, kRecovered, kFailed };

OutcomeClass ClassOf(SampleOutcome outcome);

// The name in the statistics, such as "unknown_java". Scripts read these names, so they must not
// change.
std::string_view NameOf(SampleOutcome outcome);

// The outcome for a num_frames that is zero or negative.
SampleOutcome OutcomeOfCode(int32_t num_frames);

// Sums over all threads. "signals" counts signals; "weight" counts intervals (1 + overruns), and
// first intervals where the interval adapts (SamplePace). A
// timer's signal that arrives while its thread is ending has no weight, because its intervals are
// then counted in ended_weight.
struct SampleStats {
  std::array<uint64_t, kSampleOutcomeCount> signals{};
  std::array<uint64_t, kSampleOutcomeCount> weight{};
  uint64_t received = 0;    // counted on entry, independently of the outcomes
  uint64_t raw_failed = 0;  // first calls that returned neither a stack nor "no Java frame"
  uint64_t raw_failed_weight = 0;
  uint64_t cut = 0;         // samples whose outer frames were cut off by depth=
  uint64_t handler_ns = 0;  // in the handler: wall time, or CPU time if the interval adapts
  uint64_t threads_seen = 0;
  uint64_t timer_failures = 0;  // timers and roll-call signals that the system refused (each try)
  uint64_t threads_without_timer = 0;  // live threads that wait for a retry now
  // ended_weight: the intervals between the threads' last clock tick and their end. The weights
  // above include them.
  // unseen_weight: the intervals of threads that ended before their first clock tick. Other threads
  // get these intervals; this is what no thread has got yet. The weights above do not include it.
  uint64_t ended_weight = 0;
  uint64_t unseen_weight = 0;
  // If sampling ended early because another owner took the signal: which one, and how long after
  // the start.
  SignalOwner signal_owner = SignalOwner::kUs;
  uint64_t stopped_after_ns = 0;
  // CPU time of the threads that have ended, from when each was first watched.
  uint64_t ended_cpu_ns = 0;

  uint64_t Signals(OutcomeClass outcome_class) const;
  uint64_t Weight(OutcomeClass outcome_class) const;
  uint64_t Weight() const;
  // What a run has counted since an earlier moment, `earlier`.
  SampleStats Since(const SampleStats& earlier) const;
};

}  // namespace iprof::sampling
