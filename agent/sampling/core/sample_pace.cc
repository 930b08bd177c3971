#include "agent/sampling/core/sample_pace.h"

#include <algorithm>
#include <cmath>

namespace iprof::sampling {
namespace {

constexpr int64_t kMostIntervalNs = 60'000'000'000;

// The mean weight of signals with a stack; 0: there are none.
double MeanOfStacks(const PaceFigures& figures) {
  if (figures.stacks == 0) return 0;
  return static_cast<double>(figures.stack_weight) / static_cast<double>(figures.stacks);
}

// The sum of squares, as if all signals of a stage had the same weight. How late they come is chance, which says nothing
// about their value.
double SquaresOf(const PaceFigures& stage) {
  return static_cast<double>(stage.stack_weight) * MeanOfStacks(stage);
}

// The power of two that is nearest to it, but at most that many.
uint64_t NearestPower(double number, uint64_t most) {
  constexpr double kMiddle = 1.5;
  uint64_t power = 1;
  while (static_cast<double>(power) * kMiddle <= number && power <= most / 2) power *= 2;
  return power;
}

}  // namespace

double SamplePace::CostOf(const PaceFigures& figures) const {
  const double cpu_ns = static_cast<double>(figures.weight) * static_cast<double>(first_ns_);
  return cpu_ns == 0 ? 0 : static_cast<double>(figures.handler_ns) / cpu_ns;
}

bool SamplePace::Look(const PaceFigures& now) {
  const auto most = static_cast<uint64_t>(std::max<int64_t>(kMostIntervalNs / first_ns_, 1));
  const PaceFigures stage = Stage(now);
  if (stage.signals < (units_ > 1 ? kEnoughOfLonger : kEnoughForCost)) return false;
  // How far apart signals really were, also those without a stack.
  const double mean = static_cast<double>(stage.weight) / static_cast<double>(stage.signals);
  const PaceFigures all = now.Since(begin_);
  // What all took decides, so that an expensive beginning is made up for, unless the handlers are cheap enough by now.
  const bool costs_much = CostOf(all) > kMostCost && CostOf(stage) > kLittleCost;
  // With a stack, as signals of the newest interval.
  const double signals = static_cast<double>(all.stack_weight) / mean;
  const bool are_enough =
      stage.stacks >= kEnoughForGoal && signals >= static_cast<double>(kMostSignals);
  if (are_enough || costs_much) {
    const uint64_t longer = NearestPower(std::max(2.0, CostOf(stage) / kMostCost) * mean, most);
    return longer > units_ && Change(longer, now);
  }
  constexpr double kFarFromGoal = 0.9;
  const bool wants_more = signals < kFarFromGoal * static_cast<double>(kGoal);
  if (units_ == 1 || CostOf(all) >= kLittleCost || !wants_more) return false;
  const double handler_ns =
      static_cast<double>(stage.handler_ns) / static_cast<double>(stage.signals);
  const uint64_t allowed =
      NearestPower(handler_ns / kMostCost / static_cast<double>(first_ns_), most);
  return allowed < units_ && Change(allowed, now);
}

bool SamplePace::Change(uint64_t units, const PaceFigures& now) {
  squares_ += SquaresOf(Stage(now));
  stage_begin_ = now;
  units_ = units;
  return true;
}

bool SamplePace::Restart(const PaceFigures& now) {
  const bool changes = units_ != 1;
  units_ = 1;
  begin_ = stage_begin_ = now;
  squares_ = 0;
  return changes;
}

uint64_t SamplePace::EffectiveSignals(const PaceFigures& now) const {
  const PaceFigures stage = Stage(now);
  const double squares = squares_ + SquaresOf(stage);
  if (squares == 0) return 0;
  const auto sum = static_cast<double>(now.Since(begin_).stack_weight);
  return static_cast<uint64_t>(std::llround(sum * sum / squares));
}

}  // namespace iprof::sampling
