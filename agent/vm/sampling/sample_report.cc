#include "agent/vm/sampling/sample_report.h"

#include <fmt/core.h>

#include <cmath>

#include "agent/sampling/core/sample_signal.h"
#include "writer/base/grouped.h"

namespace iprof::vm {
namespace {

using sampling::OutcomeClass;
using sampling::SampleOutcome;

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// The time that a weight of 1 in the profile stands for.
int64_t IntervalNs(const SampleFigures& figures) {
  const sampling::IntervalFacts& interval = figures.interval;
  const auto weight_of = [&](SampleOutcome outcome) {
    return figures.stats.weight[static_cast<size_t>(outcome)];
  };
  const uint64_t weight = weight_of(SampleOutcome::kGood) + weight_of(SampleOutcome::kRecovered);
  if (interval.effective_signals == 0 || weight == 0) return interval.first_ns;
  const double all = static_cast<double>(weight) * static_cast<double>(interval.first_ns);
  return std::llround(all / static_cast<double>(interval.effective_signals));
}

}  // namespace

WeightScale ScaleOf(const SampleFigures& figures) {
  return {static_cast<uint64_t>(figures.interval.first_ns),
          static_cast<uint64_t>(IntervalNs(figures))};
}

std::string SampleStatisticsJson(const SampleFigures& figures) {
  const auto& [options, stats, usage, written, watched_cpu_ns, interval, signal,
               classes_without_ids, other_threads] = figures;
  const auto scaled = [&](uint64_t weight) { return ScaleOf(figures).Of(weight); };
  std::string json = fmt::format(
      "{{\"event\":\"{}\",\"intervalNs\":{},\"firstIntervalNs\":{},\"lastIntervalNs\":{},"
      "\"signals\":{},\"good\":{},"
      "\"recovered\":{},\"failed\":"
      "{},"
      "\"rawFailed\":{},\"goodWeight\":{},\"recoveredWeight\":{},"
      "\"failedWeight\":{},"
      "\"rawFailedWeight\":{},\"watchedCpuNs\":{},\"handlerNs\":{},\"threads\":"
      "{},"
      "\"endedWeight\":{},\"unseenWeight\":{},\"timerFailures\":{},"
      "\"threadsWithoutTimer\":{},\"cutSamples\":{},\"distinctStacks\":{},"
      "\"tableBytes\":{},"
      "\"writtenWeight\":{},\"emptyWeight\":{},\"cutContexts\":{},"
      "\"linkageFrames\":{},"
      "\"carrierFrames\":{},\"unnamedFrames\":{},\"unstableFrames\":{},"
      "\"endsAtNoCall\":{},\"endsAtUnknown\":{},\"unknownLeaves\":{},"
      "\"outcomes\":{{",
      options.event == sampling::SampleEvent::kCpu ? "cpu" : "wall", IntervalNs(figures),
      interval.first_ns, interval.last_ns, stats.received, stats.Signals(OutcomeClass::kGood),
      stats.Signals(OutcomeClass::kRecovered), stats.Signals(OutcomeClass::kFailed),
      stats.raw_failed, scaled(stats.Weight(OutcomeClass::kGood)),
      scaled(stats.Weight(OutcomeClass::kRecovered)), scaled(stats.Weight(OutcomeClass::kFailed)),
      scaled(stats.raw_failed_weight), watched_cpu_ns, stats.handler_ns, stats.threads_seen,
      scaled(stats.ended_weight), scaled(stats.unseen_weight), stats.timer_failures,
      stats.threads_without_timer, stats.cut, usage.distinct, usage.bytes_used,
      scaled(written.weight), scaled(written.empty_weight), written.cut_contexts,
      written.linkage_frames, written.carrier_frames, written.unnamed_frames,
      written.unstable_frames, written.ends_at_no_call, written.ends_at_unknown,
      written.unknown_leaves);
  bool first = true;
  for (size_t i = 0; i < sampling::kSampleOutcomeCount; ++i) {
    if (stats.signals[i] == 0) continue;
    json += fmt::format("{}\"{}\":[{},{}]", first ? "" : ",", NameOf(static_cast<SampleOutcome>(i)),
                        stats.signals[i], scaled(stats.weight[i]));
    first = false;
  }
  json += '}';
  if (stats.signal_owner != sampling::SignalOwner::kUs) {
    json += fmt::format(",\"stoppedAfterMs\":{},\"stopReason\":\"{}\"",
                        stats.stopped_after_ns / 1000000,
                        sampling::LossText(signal, stats.signal_owner));
  }
  return json + '}';
}

std::string SampleSummary(const SampleFigures& figures) {
  const sampling::SampleStats& stats = figures.stats;
  const int signal = figures.signal;
  const uint64_t failed = stats.Signals(OutcomeClass::kFailed);
  std::string report = fmt::format("sampled: {} of {} signals gave a stack{}\n",
                                   Grouped(stats.received - failed), Grouped(stats.received),
                                   failed == 0 ? "" : "; verbose=2 says why the others did not");
  if (const uint64_t count = figures.classes_without_ids; count > 0) {
    report += fmt::format("classes without names for samples, because memory ran out: {}\n", count);
  }
  if (const uint64_t count = figures.other_threads; count > 0) {
    report += fmt::format("threads without a name of their own, because there are too many: {}\n",
                          Grouped(count));
  }
  if (stats.timer_failures > 0) {
    report += fmt::format(
        "timers: {} refused by the system (is the limit on pending signals, ulimit -i, too low?); "
        "{} threads have none\n",
        stats.timer_failures, stats.threads_without_timer);
  }
  if (stats.signal_owner != sampling::SignalOwner::kUs) {
    report += fmt::format("sampling ended {:.1f} s after its start: {}\n",
                          static_cast<double>(stats.stopped_after_ns) / 1e9,
                          sampling::LossText(signal, stats.signal_owner));
  }
  return report;
}

std::string SampleReport(const SampleFigures& figures) {
  const auto& [options, stats, usage, written, cpu_ns, interval, signal, classes_without_ids,
               other_threads] = figures;
  std::string report = fmt::format(
      "samples: {} signals = {} good + {} recovered + {} failed "
      "({:.2f} %; before recovery {:.2f} "
      "%)\n",
      stats.received, stats.Signals(OutcomeClass::kGood), stats.Signals(OutcomeClass::kRecovered),
      stats.Signals(OutcomeClass::kFailed),
      Percent(stats.Weight(OutcomeClass::kFailed), stats.Weight()),
      Percent(stats.raw_failed_weight, stats.Weight()));
  for (size_t i = 0; i < sampling::kSampleOutcomeCount; ++i) {
    const auto outcome = static_cast<SampleOutcome>(i);
    if (stats.signals[i] == 0 || outcome == SampleOutcome::kGood) continue;
    if (outcome == SampleOutcome::kRecovered) continue;
    report += fmt::format("  {}: {} signals, weight {}\n", NameOf(outcome), stats.signals[i],
                          stats.weight[i]);
  }
  const double represented =
      static_cast<double>(stats.Weight()) * static_cast<double>(options.interval_ns) / 1e9;
  if (options.event == sampling::SampleEvent::kCpu) {
    report += fmt::format(
        "samples stand for {:.2f} s of {:.2f} s of CPU time in {} "
        "threads; handlers took {:.2f} % "
        "of it\n",
        represented, static_cast<double>(cpu_ns) / 1e9, stats.threads_seen,
        Percent(stats.handler_ns, cpu_ns));
  }
  if (options.adapts) {
    report += fmt::format("  the interval was {} ms at first and is {} ms now\n",
                          static_cast<double>(interval.first_ns) / 1e6,
                          static_cast<double>(interval.last_ns) / 1e6);
  }
  if (stats.ended_weight + stats.unseen_weight > 0) {
    report += fmt::format(
        "  weight of threads that ended between two clock ticks: {}; of threads that ended unseen, "
        "and so is missing: {}\n",
        stats.ended_weight, stats.unseen_weight);
  }
  report += fmt::format(
      "stacks: {} distinct, {} KiB of {}; {} samples were cut at depth={}; {} contexts written; "
      "frames left out: {} linkage, {} carriers, {} without a name, {} with a name of this run "
      "only\n",
      usage.distinct, usage.bytes_used / 1024, usage.bytes_capacity / 1024, stats.cut,
      options.depth, written.contexts, written.linkage_frames, written.carrier_frames,
      written.unnamed_frames, written.unstable_frames);
  report += fmt::format(
      "positions: {} contexts end where a class was loaded or initialised, {} where a caller's "
      "position is not "
      "known; {} begin at a position that is not known\n",
      written.ends_at_no_call, written.ends_at_unknown, written.unknown_leaves);
  return report;
}

}  // namespace iprof::vm
