#include "agent/sampling/core/sample_pace.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>

namespace iprof::sampling {
namespace {

constexpr int64_t kMs = 1'000'000;

// A program that uses CPU time, under a kernel that ticks: it is looked at now and then, as the sampler does.
class Program {
 public:
  explicit Program(uint64_t tick_ms) : tick_ms_(tick_ms) {}

  // Until it has used this much more CPU time. Each handler takes `handler_ns`.
  void Run(uint64_t cpu_ms, uint64_t handler_ns = 2'000, bool has_stacks = true) {
    constexpr uint64_t kSlice = 200;
    for (uint64_t used = 0; used < cpu_ms; used += kSlice) {
      const uint64_t apart = std::max(tick_ms_, pace_.units());
      owed_ms_ += kSlice;
      const uint64_t signals = owed_ms_ / apart;
      owed_ms_ %= apart;
      if (has_stacks) {
        now_.stacks += signals;
        now_.stack_weight += signals * apart;
      }
      now_.signals += signals;
      now_.weight += signals * apart;
      now_.handler_ns += signals * handler_ns;
      if (pace_.Look(now_)) ++changes_;
    }
  }

  SamplePace& pace() { return pace_; }
  const PaceFigures& now() const { return now_; }
  uint64_t effective() const { return pace_.EffectiveSignals(now_); }
  uint64_t signals() const { return now_.stacks; }
  int changes() const { return changes_; }
  double cost() const {
    return static_cast<double>(now_.handler_ns) / static_cast<double>(now_.weight * kMs);
  }

 private:
  const uint64_t tick_ms_;
  SamplePace pace_{kMs};
  PaceFigures now_;
  uint64_t owed_ms_ = 0;
  int changes_ = 0;
};

TEST_CASE("a short run has as many signals as the kernel's tick allows") {
  for (const uint64_t tick_ms : {uint64_t{1}, uint64_t{4}, uint64_t{10}}) {
    Program program(tick_ms);
    program.Run(3000);
    CHECK(program.changes() == 0);
    CHECK(program.signals() == 3000 / tick_ms);
    CHECK(program.effective() == program.signals());
  }
}

TEST_CASE("the goal is reached as early as the tick allows, and stays reached") {
  for (const uint64_t tick_ms : {uint64_t{1}, uint64_t{4}, uint64_t{10}}) {
    Program program(tick_ms);
    program.Run(SamplePace::kGoal * tick_ms);
    CHECK(program.effective() >= SamplePace::kGoal);
    for (int i = 0; i < 200; ++i) {
      program.Run(5000);
      CHECK(program.effective() >= SamplePace::kGoal);
    }
  }
}

TEST_CASE("a long run gets thinner: ten times the CPU time gives few more signals") {
  Program program(4);
  program.Run(40'000);
  CHECK(program.signals() == SamplePace::kMostSignals);
  CHECK(program.pace().interval_ns() == 8 * kMs);  // not 2 ms, which the tick would make 4 again
  program.Run(40'000);
  CHECK(program.signals() == 15'000);
  program.Run(3'920'000);
  CHECK(program.signals() < 50'000);
  CHECK(program.effective() < 2 * SamplePace::kMostSignals);
}

TEST_CASE("expensive handlers get fewer signals, and reach the limit nearly") {
  Program program(4);
  program.Run(60'000, 40'000);  // 1 % at 250 a second
  CHECK(program.cost() < 1.1 * SamplePace::kMostCost);
  CHECK(program.cost() > 0.7 * SamplePace::kMostCost);
}

TEST_CASE("a short run does not pay for an expensive beginning") {
  Program program(4);
  program.Run(200, 70'000);  // 1.7 %: a JVM that starts
  CHECK(program.pace().units() == 16);
  program.Run(1800, 40'000);  // at 250 signals a second, 1 %
  CHECK(program.cost() < 1.05 * SamplePace::kMostCost);
  CHECK(program.signals() > 100);
}

TEST_CASE("a short run with handlers that are a little too expensive keeps most of its signals") {
  Program program(4);
  program.Run(2000, 28'000);  // 0.7 %
  CHECK(program.cost() < SamplePace::kMostCost);
  CHECK(program.signals() > 250);
}

TEST_CASE(
    "after a very expensive beginning, signals are dense again as soon as it is made up for") {
  Program program(4);
  program.Run(200, 400'000);  // 10 %
  CHECK(program.pace().units() >= 64);
  program.Run(5600, 10'000);
  CHECK(program.cost() < SamplePace::kMostCost);
  program.Run(2000, 10'000);
  CHECK(program.pace().units() <= 4);
  CHECK(program.signals() > 500);
}

TEST_CASE("if handlers are expensive at first only, the interval gets shorter again") {
  Program program(4);
  program.Run(1000, 60'000);
  CHECK(program.pace().units() > 4);
  program.Run(9000, 4'000);
  CHECK(program.pace().units() <= 4);
}

TEST_CASE("handlers that find no stack are judged by their cost") {
  Program program(4);
  program.Run(60'000, 40'000, false);
  CHECK(program.cost() < 1.1 * SamplePace::kMostCost);
  CHECK(program.cost() > 0.7 * SamplePace::kMostCost);
  CHECK(program.effective() == 0);
}

TEST_CASE("cheap signals without a stack do not count for the goal") {
  Program program(4);
  program.Run(200'000, 2'000, false);
  CHECK(program.changes() == 0);
  program.Run(20'000);
  CHECK(program.effective() == 5000);
}

TEST_CASE("too few signals are not judged") {
  Program program(5);
  program.Run(200, 1'000'000);
  CHECK(program.changes() == 0);
}

TEST_CASE("a new recording is dense again, and has only its own signals") {
  Program program(4);
  program.Run(100'000);
  CHECK(program.pace().units() > 1);
  CHECK(program.pace().Restart(program.now()));
  CHECK(program.pace().interval_ns() == kMs);
  CHECK(program.effective() == 0);
  program.Run(4000);
  CHECK(program.effective() == 1000);
  CHECK_FALSE(program.pace().Restart(program.now()));
}

TEST_CASE("handlers without a stack cost, too") {
  PaceCounters counters;
  counters.Add(true, 4, 3'000);
  counters.Add(false, 4, 5'000);
  const PaceFigures figures = counters.Read();
  CHECK(figures.stacks == 1);
  CHECK(figures.stack_weight == 4);
  CHECK(figures.signals == 2);
  CHECK(figures.weight == 8);
  CHECK(figures.handler_ns == 8'000);
}

}  // namespace
}  // namespace iprof::sampling
