// What can become of one sampling signal, and the counters of all of them.
//
// Guarantees: every signal that the handler receives ends in exactly one outcome, so that good +
// recovered + failed is the number of signals received; no sample disappears without a name. Plain
// data and pure functions, usable anywhere.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/sampling/core/sample_signal.h"

namespace iprof::sampling {

enum class SampleOutcome : uint8_t {
  // good
  kGood,         // AsyncGetCallTrace gave a stack at the first call
  kNoJavaFrame,  // the thread has no Java frame: nothing to write down, nothing failed
  // recovered
  kRecovered,  // a stack after the leaf or stub frame was popped
  // failed: what HotSpot said, after recovery was tried where it makes sense
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
  kUnknownCode,  // a number that HotSpot had not used when this was written
  // failed: our own reasons
  kTableFull,    // a stack, but no room for it
  kNoStackRoom,  // too close to the end of the thread's stack to call anything
  kNotJava,      // the thread has no JNIEnv (any more)
  kLate,         // arrived after the thread or the sampler had ended
  kCrashed,      // AsyncGetCallTrace faulted; the fault was caught
  kAfterCrash,   // the thread is no longer sampled since a caught fault
  kReentered,    // came while a sample was being taken on the same thread
  kForeign,      // the signal did not come from our timers
};
inline constexpr size_t kSampleOutcomeCount = 22;
static_assert(static_cast<size_t>(SampleOutcome::kForeign) + 1 == kSampleOutcomeCount);

enum class OutcomeClass : uint8_t { kGood, kRecovered, kFailed };

OutcomeClass ClassOf(SampleOutcome outcome);

// Words for the statistics: "unknown_java"; stable, since scripts read them.
std::string_view NameOf(SampleOutcome outcome);

// The outcome that a non-positive num_frames stands for.
SampleOutcome OutcomeOfCode(int32_t num_frames);

// Sums over threads. "weight" counts intervals (1 + overruns), "signals" signals. A timer's signal
// that comes when its thread has taken its leave has no weight: its intervals were weighed then.
struct SampleStats {
  std::array<uint64_t, kSampleOutcomeCount> signals{};
  std::array<uint64_t, kSampleOutcomeCount> weight{};
  uint64_t received = 0;    // counted on entry, apart from the outcomes
  uint64_t raw_failed = 0;  // first calls that gave neither a stack nor "no Java frame"
  uint64_t raw_failed_weight = 0;
  uint64_t cut = 0;         // samples whose outer end was cut off by depth=
  uint64_t handler_ns = 0;  // wall time inside the handler
  uint64_t threads_seen = 0;
  uint64_t timer_failures = 0;         // timers, roll-call signals the system refused (each try)
  uint64_t threads_without_timer = 0;  // live threads that wait for a retry now
  // Intervals that threads had used since their last clock tick when they ended; they are in the
  // weights above. And those of threads that ended before any, not yet given to another.
  uint64_t ended_weight = 0;
  uint64_t unseen_weight = 0;
  // Where sampling ended early because the signal was taken away: by whom, and when after its start.
  SignalOwner signal_owner = SignalOwner::kUs;
  uint64_t stopped_after_ns = 0;
  uint64_t ended_cpu_ns =
      0;  // CPU clocks of the threads that ended, from when they were first watched

  uint64_t Signals(OutcomeClass outcome_class) const;
  uint64_t Weight(OutcomeClass outcome_class) const;
  uint64_t Weight() const;
};

}  // namespace iprof::sampling
