#include "agent/vm/budget/budget.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "writer/records/testing_program.h"

namespace iprof::vm {
namespace {

using Numbers = std::vector<size_t>;
using Names = std::set<std::string, std::less<>>;
using Act = Budget::Act;
using Reasons = std::vector<KeptReason>;

constexpr uint64_t kSecond = 1'000'000'000;

Budget::Candidate Load(uint64_t counted, double increments_per_s,
                       std::optional<WhyKept> why = std::nullopt) {
  return {.first = {},
          .class_name = {},
          .method = {},
          .counted = counted,
          .increments_per_s = increments_per_s,
          .why = why};
}

Budget::Candidate Named(std::string class_name, std::string method, double increments_per_s) {
  Budget::Candidate made = Load(0, increments_per_s);
  made.class_name = std::move(class_name);
  made.method = std::move(method);
  return made;
}

Budget NewBudget(const Budget::Setting& setting) {
  CostMeter meter(1, false);
  meter.Skip({});
  return Budget(setting, meter);
}

TEST_CASE("methods that have counted enough freeze, hottest first", "[budget]") {
  const Budget::Choice choice{.candidates = {Load(5000, 30'000), Load(999, 9e6), Load(1000, 2e6),
                                             Load(90'000, Budget::kIdle - 1),
                                             Load(90'000, 8e6, WhyKept::kLoop)}};
  CHECK(Budget::Ready(choice, 1000) == Numbers{2, 0});
}

TEST_CASE("a round pays if it saves what it costs in ten times the time so far", "[budget]") {
  CHECK_FALSE(Budget::RoundPays(0.1, 5.9, 6));
  CHECK(Budget::RoundPays(0.1, 6, 6));
  CHECK(Budget::RoundPays(0.1, 1, 0));
  CHECK_FALSE(Budget::RoundPays(0, 1, 0));
}

TEST_CASE("a short run loses at most a round, and a long one little more than a round",
          "[budget]") {
  constexpr double kSaved = 0.4;
  constexpr double kRound = 6;
  for (const double run_s : {1.0, 3.5, 4.0, 10.0, 15.0, 100.0, 1000.0}) {
    double swapped_at = 0;
    while (swapped_at < run_s && !Budget::RoundPays(kSaved, swapped_at, kRound)) swapped_at += 0.5;
    const bool swaps = swapped_at < run_s;
    const double cost = kSaved * std::min(swapped_at, run_s) + (swaps ? kRound : 0);
    const double best = std::min(kRound, kSaved * run_s);
    CHECK(cost <= best + kRound);
    if (run_s >= 15) CHECK(cost <= (1 + 1 / Budget::kLongRun) * best + kSaved);
  }
}

TEST_CASE("methods thaw once all swaps with that take a fiftieth of the time", "[budget]") {
  CHECK_FALSE(Budget::ThawPays({.recorded_s = 199, .swapped_s = 1, .last_swap_s = 1}, false));
  CHECK(Budget::ThawPays({.recorded_s = 200, .swapped_s = 1, .last_swap_s = 1}, false));
  CHECK_FALSE(Budget::ThawPays({.recorded_s = 200, .swapped_s = 1.1, .last_swap_s = 1}, false));
  CHECK(Budget::ThawPays({.recorded_s = 1}, false));
}

TEST_CASE("the first time, methods thaw once that takes a twentieth of the time", "[budget]") {
  CHECK_FALSE(Budget::ThawPays({.recorded_s = 59, .swapped_s = 1, .last_swap_s = 1}, true));
  CHECK(Budget::ThawPays({.recorded_s = 60, .swapped_s = 1, .last_swap_s = 1}, true));
}

TEST_CASE("in the long run, methods that thaw again and again take a fiftieth of the time",
          "[budget]") {
  constexpr double kRound = 1.5;
  double swapped_s = kRound;
  for (double now = 10; now < 6000; ++now) {
    if (Budget::ThawPays({.recorded_s = now, .swapped_s = swapped_s, .last_swap_s = kRound}, false))
      swapped_s += 3 * kRound;
    CHECK(swapped_s <= std::max(kRound, 0.02 * now));
  }
  CHECK(swapped_s > 0.018 * 6000);
}

TEST_CASE("methods are chosen ever more rarely, and only when an interval is long enough",
          "[budget]") {
  Budget budget = NewBudget({});
  CHECK(budget.Next(0.9, 5) == Act::kWait);
  CHECK(budget.Next(1, 0.8) == Act::kWait);
  CHECK(budget.Next(1, 0.9) == Act::kChoose);
  CHECK(budget.Next(2.4, 5) == Act::kWait);  // 1.5 seconds later
  CHECK(budget.Next(2.5, 5) == Act::kChoose);
  double now = 2.5;
  double last = now;
  double longest = 0;
  while (now < 500) {
    now += 0.25;
    if (budget.Next(now, 5) != Act::kChoose) continue;
    CHECK(now - last >= longest);
    longest = now - last;
    last = now;
  }
  CHECK(longest == Approx(20));
}

TEST_CASE("methods count again after a period, and then after twice as long", "[budget]") {
  Budget budget = NewBudget({.rearm_s = 2});
  const std::vector<uint64_t> counters(10);
  const auto freeze = [&](uint32_t first, double now_s) {
    budget.Freeze({{"a/B", {CounterIndex{first}}}}, now_s);
  };
  CHECK(budget.Next(100, 0) == Act::kWait);
  freeze(1, 100);
  freeze(2, 101);  // more of them
  CHECK(budget.Next(101.9, 0) == Act::kWait);
  CHECK(budget.Next(102, 0) == Act::kThaw);
  CHECK(budget.Next(103, 0) == Act::kThaw);  // until they do
  budget.Thaw({}, 103);
  CHECK(budget.Next(104, 0) == Act::kWait);
  budget.lives().Take(MethodEvent::kThawed, CounterIndex{1}, 105);
  budget.lives().Take(MethodEvent::kRefused, CounterIndex{2}, 105);
  budget.ThawEnded(counters, 105);
  CHECK(budget.Next(106.9, 5) == Act::kWait);
  CHECK(budget.Next(107, 5) == Act::kChoose);
  // One is frozen still.
  CHECK(budget.Next(108.9, 0) == Act::kWait);
  CHECK(budget.Next(109, 0) == Act::kThaw);
}

TEST_CASE("once all methods without probes are gone, nothing counts again", "[budget]") {
  Budget budget = NewBudget({.rearm_s = 2});
  budget.Freeze({{"a/B", {CounterIndex{1}}}}, 100);
  budget.Release({CounterIndex{1}, 1}, {});
  CHECK(budget.Next(102, 0) == Act::kWait);
  // The next one has a period of its own.
  budget.Freeze({{"a/B", {CounterIndex{4}}}}, 103);
  CHECK(budget.Next(104, 0) == Act::kWait);
  CHECK(budget.Next(105, 0) == Act::kThaw);
}

TEST_CASE("without a period, methods stay without probes", "[budget]") {
  Budget budget = NewBudget({});
  budget.Freeze({{"a/B", {CounterIndex{1}}}}, 100);
  CHECK(budget.Next(1e9, 0) == Act::kWait);
}

// p.A has hot, p.B has loops and p.C has slow.
struct Running {
  TestProgram program;
  CounterIndex hot, loops, beside, slow;
  Budget budget = NewBudget({.until = 1000});
  std::vector<uint64_t> counters;

  Running() {
    hot = program.Method(program.Class("p/A"), "hot");
    ClassRecord& b = program.Class("p/B");
    loops = program.Method(b, "loops");
    beside = program.Method(b, "beside");
    slow = program.Method(program.Class("p/C"), "slow");
    counters = {900'000, 3'000'000, 500'000, 4'000};
    budget.Measure({.wall_ns = kSecond, .process_cpu_ns = kSecond}, false);
  }
  std::vector<CounterIndex> Choose(const ShapeHistory::Verdicts& verdicts, double now_s = 1) {
    const RecordedClasses classes = program.Classes();
    Budget::Choice choice = budget.Candidates(classes, counters, now_s);
    hot_methods = choice.Hot();
    std::vector<CounterIndex> chosen;
    for (const auto& method : budget.Choose(std::move(choice), verdicts, now_s))
      chosen.push_back(method.first);
    return chosen;
  }
  std::vector<CounterIndex> hot_methods;
};

TEST_CASE("steady hot methods freeze, but for those of a class in which a loop runs", "[budget]") {
  Running r;
  CHECK(r.budget.IsAnyHot(r.counters, 1));
  using Firsts = std::vector<CounterIndex>;
  CHECK(r.Choose({.steady = {r.hot, r.beside, r.slow}, .looping = {r.loops}}) == Firsts{r.hot});
  CHECK(r.hot_methods == Firsts{r.hot, r.loops, r.beside});
  CHECK(r.budget.Kept() == Reasons{{"a loop in the class runs all the time (p.B.loops)", 2}});
  CHECK(r.Choose({.steady = {r.hot, r.loops}, .looping = {}}) == Firsts{r.loops, r.hot});
}

TEST_CASE("methods that are frozen or rest are not chosen", "[budget]") {
  Running r;
  const ShapeHistory::Verdicts all{.steady = {r.hot, r.loops, r.beside, r.slow}, .looping = {}};
  r.budget.Freeze({{"p/B", {r.loops}}}, 1);
  r.budget.lives().Take(MethodEvent::kNotCalled, r.beside, 1);
  using Firsts = std::vector<CounterIndex>;
  CHECK(r.Choose(all) == Firsts{r.hot});
  CHECK(r.budget.Kept() == Reasons{{"the callers are not counted (p.B.beside)", 1}});
  // What was counted before the last look is not hot any more.
  r.budget.Saw(r.counters, 2);
  CHECK(r.Choose(all, 3).empty());
  CHECK_FALSE(r.budget.IsAnyHot(r.counters, 3));
}

TEST_CASE("a round that does not pay yet waits, but not methods that thawed", "[budget]") {
  Running r;
  // The compilers took three seconds since the start, which is more than 4.4 million increments take in ten.
  r.budget.Measure(
      {.wall_ns = 2 * kSecond, .process_cpu_ns = 2 * kSecond, .compilers_cpu_ns = 3 * kSecond},
      false);
  const ShapeHistory::Verdicts all{.steady = {r.hot, r.loops, r.beside}, .looping = {}};
  CHECK(r.Choose(all).empty());
  CHECK(r.budget.Kept() == Reasons{{"taking them out has not paid yet (p.B.loops)", 3}});
  using Firsts = std::vector<CounterIndex>;
  r.budget.Freeze({{"p/B", {r.loops}}}, 1);
  r.budget.Thaw({}, 1);
  r.budget.lives().Take(MethodEvent::kThawed, r.loops, 1);
  CHECK(r.Choose(all) == Firsts{r.loops, r.hot, r.beside});
  r.budget.Freeze({{"p/B", {r.loops}}}, 1);
  CHECK(r.Choose(all).empty());
}

TEST_CASE("below the limit no method freezes, unless it thawed", "[budget]") {
  Budget budget = NewBudget({.until = 1000, .overhead = 0.05});
  const std::vector<uint64_t> counters{9'000'000};
  CHECK_FALSE(budget.IsAnyHot(counters, 1));
  budget.Thaw({}, 1);
  CHECK(budget.IsAnyHot(counters, 1));
  budget.Freeze({}, 1);
  CHECK_FALSE(budget.IsAnyHot(counters, 1));
  budget.Measure({.wall_ns = kSecond, .increments = 100'000'000, .process_cpu_ns = kSecond}, false);
  CHECK(budget.IsAnyHot(counters, 1));
}

// When a user may be told that overhead= was not reached.
struct Limited {
  Budget budget = NewBudget({.overhead = 0.05});
  CostMeter::Reading reading{};

  // A second in which counting costs more than a tenth of the program's time.
  bool IsOverLimitAfter(bool swapped = false) {
    reading.wall_ns += kSecond;
    reading.process_cpu_ns += kSecond;
    reading.increments += 100'000'000;
    budget.Measure(reading, swapped);
    return budget.IsOverLimit();
  }
};

TEST_CASE("without a choice the cost says nothing", "[budget]") {
  Limited l;
  CHECK_FALSE(l.IsOverLimitAfter());
  l.budget.Chose(false);
  CHECK(l.IsOverLimitAfter());
}

TEST_CASE("after methods froze, the cost has to be measured first", "[budget]") {
  Limited l;
  l.IsOverLimitAfter();
  l.budget.Chose(true);
  CHECK_FALSE(l.IsOverLimitAfter(true));  // in part with the methods
  CHECK(l.IsOverLimitAfter());
  l.budget.Chose(true);  // more of them: the limit was not reached before either
  CHECK(l.IsOverLimitAfter(true));
}

TEST_CASE("after a rearm, a reset or a pause the next choice decides", "[budget]") {
  for (const int how : {0, 1, 2}) {
    Limited l;
    l.IsOverLimitAfter();
    l.budget.Chose(false);
    REQUIRE(l.IsOverLimitAfter());
    if (how == 0) l.budget.Thaw({}, 1);
    if (how == 1) l.budget.Reset();
    if (how == 2) l.budget.Open({}, l.reading, 1);
    CHECK_FALSE(l.IsOverLimitAfter());
    CHECK_FALSE(l.IsOverLimitAfter());
    l.budget.Chose(false);
    CHECK(l.IsOverLimitAfter());
  }
}

TEST_CASE("what a user is told of the limit is what increments cost", "[budget]") {
  Limited l;
  l.budget.Keep(WhyKept::kLoop, Named("Solo", "main", 2e6));
  l.reading.agent_cpu_ns += kSecond / 2;  // is in the sum, but fewer methods would not make it less
  l.IsOverLimitAfter();
  CHECK(l.budget.LimitText().empty());
  l.budget.Chose(false);
  REQUIRE(l.IsOverLimitAfter());
  // An increment takes 1.5 ns.
  CHECK(l.budget.LimitText() ==
        "overhead=5% was not reached: counting costs about 17.6 % of the program's time; 1 method "
        "keeps its probes because a loop in the class runs all the time (Solo.main)");
}

TEST_CASE("increments of released counters are not lost", "[budget]") {
  Limited l;
  l.IsOverLimitAfter();
  const std::vector<uint64_t> raw{75'000'000, 25'000'000};
  l.budget.Release({CounterIndex{0}, 2}, raw);
  l.reading.increments -= 100'000'000;
  l.IsOverLimitAfter();
  CHECK(l.budget.meter().increments_per_s() == Approx(100e6));
}

TEST_CASE("each reason has a number and the hottest method", "[budget]") {
  Budget budget = NewBudget({});
  budget.Keep(WhyKept::kDoesNotPay, Named("a/B", "run", 5e6));
  budget.Keep(WhyKept::kLoop, Named("Solo", "leaf", 2e6));
  budget.Keep(WhyKept::kLoop, Named("com/acme/Solo$Part", "main", 9e6));
  budget.Keep(WhyKept::kLoop, Named("Solo", "step", 3e6));
  budget.Keep(WhyKept::kLoop, Named("Solo", "", 3e7));  // not hot
  const Reasons reasons = budget.Kept();
  CHECK(reasons == Reasons{{"a loop in the class runs all the time (com.acme.Solo$Part.main)", 3},
                           {"taking them out has not paid yet (a.B.run)", 1}});
  CHECK(DescribeKept(reasons) ==
        "3 methods keep their probes because a loop in the class runs all the time "
        "(com.acme.Solo$Part.main), and 1 because taking them out has not paid yet (a.B.run)");
  CHECK(budget.Next(1, 1) == Act::kChoose);
  CHECK(budget.Kept().empty());
  CHECK(DescribeKept({}).empty());
}

TEST_CASE("one method is one", "[budget]") {
  Budget budget = NewBudget({});
  budget.Keep(WhyKept::kUncalled, Named("A", "f", 0));
  CHECK(DescribeKept(budget.Kept()) ==
        "1 method keeps its probes because the callers are not counted (A.f)");
}

TEST_CASE("all reasons have a text", "[budget]") {
  Budget budget = NewBudget({});
  for (const WhyKept why :
       {WhyKept::kLoop, WhyKept::kUnsteady, WhyKept::kUncalled, WhyKept::kMissing,
        WhyKept::kUnchangeable, WhyKept::kSwapped, WhyKept::kDoesNotPay}) {
    budget.Keep(why, Named("A", "f", 1));
  }
  const Reasons reasons = budget.Kept();
  CHECK(reasons.size() == 7);
  for (const auto& reason : reasons) CHECK(reason.what.size() > sizeof(" (A.f)"));
}

}  // namespace
}  // namespace iprof::vm
