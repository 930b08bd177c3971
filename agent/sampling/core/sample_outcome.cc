#include "agent/sampling/core/sample_outcome.h"

#include <algorithm>

#include "agent/sampling/core/call_trace.h"

namespace iprof::sampling {

OutcomeClass ClassOf(SampleOutcome outcome) {
  switch (outcome) {
    case SampleOutcome::kGood:
    case SampleOutcome::kNoJavaFrame:
      return OutcomeClass::kGood;
    case SampleOutcome::kRecovered:
      return OutcomeClass::kRecovered;
    default:
      return OutcomeClass::kFailed;
  }
}

std::string_view NameOf(SampleOutcome outcome) {
  switch (outcome) {
    case SampleOutcome::kGood:
      return "good";
    case SampleOutcome::kNoJavaFrame:
      return "no_java_frame";
    case SampleOutcome::kRecovered:
      return "recovered";
    case SampleOutcome::kNoClassLoad:
      return "no_class_load";
    case SampleOutcome::kGcActive:
      return "gc_active";
    case SampleOutcome::kUnknownNotJava:
      return "unknown_not_java";
    case SampleOutcome::kNotWalkableNotJava:
      return "not_walkable_not_java";
    case SampleOutcome::kUnknownJava:
      return "unknown_java";
    case SampleOutcome::kNotWalkableJava:
      return "not_walkable_java";
    case SampleOutcome::kUnknownState:
      return "unknown_state";
    case SampleOutcome::kThreadExit:
      return "thread_exit";
    case SampleOutcome::kDeoptimizing:
      return "deoptimizing";
    case SampleOutcome::kSafepoint:
      return "safepoint";
    case SampleOutcome::kUnknownCode:
      return "unknown_code";
    case SampleOutcome::kTableFull:
      return "table_full";
    case SampleOutcome::kNoStackRoom:
      return "no_stack_room";
    case SampleOutcome::kNotJava:
      return "not_java";
    case SampleOutcome::kLate:
      return "late";
    case SampleOutcome::kCrashed:
      return "crashed";
    case SampleOutcome::kAfterCrash:
      return "after_crash";
    case SampleOutcome::kReentered:
      return "reentered";
    case SampleOutcome::kForeign:
      return "foreign";
  }
  return "invalid";
}

SampleOutcome OutcomeOfCode(int32_t num_frames) {
  switch (static_cast<CallTraceCode>(num_frames)) {
    case CallTraceCode::kNoJavaFrame:
      return SampleOutcome::kNoJavaFrame;
    case CallTraceCode::kNoClassLoad:
      return SampleOutcome::kNoClassLoad;
    case CallTraceCode::kGcActive:
      return SampleOutcome::kGcActive;
    case CallTraceCode::kUnknownNotJava:
      return SampleOutcome::kUnknownNotJava;
    case CallTraceCode::kNotWalkableNotJava:
      return SampleOutcome::kNotWalkableNotJava;
    case CallTraceCode::kUnknownJava:
      return SampleOutcome::kUnknownJava;
    case CallTraceCode::kNotWalkableJava:
      return SampleOutcome::kNotWalkableJava;
    case CallTraceCode::kUnknownState:
      return SampleOutcome::kUnknownState;
    case CallTraceCode::kThreadExit:
      return SampleOutcome::kThreadExit;
    case CallTraceCode::kDeoptimizing:
      return SampleOutcome::kDeoptimizing;
    case CallTraceCode::kSafepoint:
      return SampleOutcome::kSafepoint;
  }
  return SampleOutcome::kUnknownCode;
}

namespace {

uint64_t SumOver(const std::array<uint64_t, kSampleOutcomeCount>& values, OutcomeClass wanted) {
  uint64_t sum = 0;
  for (size_t i = 0; i < values.size(); ++i)
    if (ClassOf(static_cast<SampleOutcome>(i)) == wanted) sum += values[i];
  return sum;
}

}  // namespace

uint64_t SampleStats::Signals(OutcomeClass outcome_class) const {
  return SumOver(signals, outcome_class);
}

uint64_t SampleStats::Weight(OutcomeClass outcome_class) const {
  return SumOver(weight, outcome_class);
}

uint64_t SampleStats::Weight() const {
  uint64_t sum = 0;
  for (const uint64_t each : weight) sum += each;
  return sum;
}

SampleStats SampleStats::Since(const SampleStats& earlier) const {
  SampleStats since = *this;
  for (size_t i = 0; i < kSampleOutcomeCount; ++i) {
    since.signals[i] -= earlier.signals[i];
    since.weight[i] -= earlier.weight[i];
  }
  since.received -= earlier.received;
  since.raw_failed -= earlier.raw_failed;
  since.raw_failed_weight -= earlier.raw_failed_weight;
  since.cut -= earlier.cut;
  since.handler_ns -= earlier.handler_ns;
  since.timer_failures -= earlier.timer_failures;
  since.ended_weight -= std::min(ended_weight, earlier.ended_weight);
  since.unseen_weight -= std::min(unseen_weight, earlier.unseen_weight);
  since.ended_cpu_ns -= earlier.ended_cpu_ns;
  return since;
}

}  // namespace iprof::sampling
