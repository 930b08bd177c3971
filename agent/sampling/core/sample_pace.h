// SamplePace: how long the interval of CPU sampling is, if the user leaves it to the agent (interval=auto).
//
// It begins with the first interval, which is shorter than a tick of most kernels. It gets longer
//  - when there are signals enough: at kMostSignals, counted in the newest interval. From then on the signals per
//    second fall as the recording gets longer.
//  - when the handlers have taken more than kMostCost of the CPU time, also those that find no stack. That is judged
//    early, because a JVM that starts makes them expensive, and most runs of tests are short. If they have taken less
//    than kLittleCost, it gets shorter again.
//
// The kernel's tick limits how often a thread can be signalled, so that a late signal stands for several intervals.
// So an interval is not simply doubled, but made twice as long as the time that signals really were apart.
// Example: first interval 1 ms, tick 4 ms. A signal weighs 4 on average. At 10,000 signals (40 s of CPU time) the
// interval becomes 8 ms. And if the first 50 signals (0.2 s) took 1.7 % of the CPU time, the interval becomes 16 ms, at which
// handlers of this kind take 0.4 %. When all have taken less than 0.4 %, it becomes as short as the newest signals allow: with
// handlers of 5 us, at once what it was.
//
// A signal weighs as many *first* intervals as it stands for: 8 in the example. So all weights of a
// recording have one unit, and no phase of the program counts for more than its CPU time. Against a later signal, one of
// before the interval was doubled has half the weight, and after two doublings a quarter.
//
// Guarantees: pure, apart from what it keeps; knows neither clocks nor threads. Weight times first
// interval is CPU time.
// Threads: PaceCounters in signal handlers and anywhere; SamplePace one at a time. Failure: none.
#pragma once

#include <atomic>
#include <cstdint>

namespace iprof::sampling {

// Sums over all threads, since the sampler began.
struct PaceFigures {
  uint64_t stacks = 0;        // signals that gave a stack
  uint64_t stack_weight = 0;  // theirs
  uint64_t signals = 0;       // all
  uint64_t weight = 0;        // of all signals
  uint64_t handler_ns = 0;    // their CPU time

  PaceFigures Since(const PaceFigures& earlier) const {
    return {stacks - earlier.stacks, stack_weight - earlier.stack_weight, signals - earlier.signals,
            weight - earlier.weight, handler_ns - earlier.handler_ns};
  }
};

// Handlers add to it.
class PaceCounters {
 public:
  void Add(bool has_stack, uint64_t weight, uint64_t handler_ns) {
    if (has_stack) {
      stacks_.fetch_add(1, std::memory_order_relaxed);
      stack_weight_.fetch_add(weight, std::memory_order_relaxed);
    }
    signals_.fetch_add(1, std::memory_order_relaxed);
    weight_.fetch_add(weight, std::memory_order_relaxed);
    handler_ns_.fetch_add(handler_ns, std::memory_order_relaxed);
  }
  PaceFigures Read() const {
    return {stacks_.load(std::memory_order_relaxed), stack_weight_.load(std::memory_order_relaxed),
            signals_.load(std::memory_order_relaxed), weight_.load(std::memory_order_relaxed),
            handler_ns_.load(std::memory_order_relaxed)};
  }

 private:
  std::atomic<uint64_t> stacks_{0};
  std::atomic<uint64_t> stack_weight_{0};
  std::atomic<uint64_t> signals_{0};
  std::atomic<uint64_t> weight_{0};
  std::atomic<uint64_t> handler_ns_{0};
};

class SamplePace {
 public:
  // What consumers of profiles want at most. A recording that has used the CPU time for it never has fewer.
  static constexpr uint64_t kGoal = 5000;
  // At twice as many the interval is doubled, so that the signals count as kGoal of the new interval.
  static constexpr uint64_t kMostSignals = 2 * kGoal;
  // Of CPU time.
  static constexpr double kMostCost = 0.005;
  static constexpr double kLittleCost = 0.004;  // the interval may be shorter again
  // Signals since the interval was last changed from which the cost is judged, and signals with a stack from which the
  // goal is. While the interval is longer than at first, a signal stands for more time, and fewer say enough.
  static constexpr uint64_t kEnoughForCost = 50;
  static constexpr uint64_t kEnoughOfLonger = 10;
  static constexpr uint64_t kEnoughForGoal = 250;

  explicit SamplePace(int64_t first_ns) : first_ns_(first_ns) {}

  // Returns whether the interval has changed.
  bool Look(const PaceFigures& now);
  // A new recording: from here on, with the first interval. Returns whether that is a change.
  bool Restart(const PaceFigures& now);

  int64_t first_ns() const { return first_ns_; }
  int64_t interval_ns() const { return first_ns_ * static_cast<int64_t>(units_); }
  // How many first intervals the interval is.
  uint64_t units() const { return units_; }
  // How many signals of equal weight would say as much as those since the last Restart: their number, if the interval
  // was always the same; otherwise the square of the sum of weights by the sum of their squares.
  uint64_t EffectiveSignals(const PaceFigures& now) const;

 private:
  PaceFigures Stage(const PaceFigures& now) const { return now.Since(stage_begin_); }
  double CostOf(const PaceFigures& figures) const;
  bool Change(uint64_t units, const PaceFigures& now);

  const int64_t first_ns_;
  uint64_t units_ = 1;
  PaceFigures begin_;        // of the recording
  PaceFigures stage_begin_;  // when the interval was last changed
  double squares_ = 0;       // of the weights of all signals before that
};

}  // namespace iprof::sampling
