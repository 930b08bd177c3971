#include "agent/vm/budget/cost_meter.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
using Reading = CostMeter::Reading;

// A meter whose increments cost half a nanosecond.
CostMeter HalfNanosecond() { return {0.5 / CostMeter::kRealPerLoop, false}; }

TEST_CASE("increments cost a share of the program's time", "[cost_meter]") {
  CostMeter meter = HalfNanosecond();
  meter.Note({}, false);
  CHECK(meter.share() == 0);
  // 1 s of CPU, of which 200 million increments take 0.1 s.
  meter.Note({.wall_ns = kSecond, .increments = 200'000'000, .process_cpu_ns = kSecond}, false);
  CHECK(meter.last_share() == Approx(0.1 / 0.9));
  CHECK(meter.counting_share() == Approx(0.1 / 0.9));
  // Nothing is counted any more.
  meter.Note({.wall_ns = 2 * kSecond, .increments = 200'000'000, .process_cpu_ns = 2 * kSecond},
             false);
  CHECK(meter.last_share() == 0);
  CHECK(meter.share() == Approx(0.1 / 1.9));
  CHECK(meter.counting_share() == Approx(0.075 / 1.675));
}

TEST_CASE("an increment costs more than in a loop, and with sites twice as much again",
          "[cost_meter]") {
  CHECK(CostMeter(0.4, false).ns_per_increment() == Approx(0.6));
  CHECK(CostMeter(0.4, true).ns_per_increment() == Approx(1.2));
  // It could not be measured.
  CHECK(CostMeter(0, false).ns_per_increment() == Approx(1.5 * CostMeter::kUsualIncrement));
}

TEST_CASE("a loop that gets slower makes increments cost more", "[cost_meter]") {
  CostMeter meter(0.4, false);
  meter.Note({}, false);
  meter.Note({.loop_ns = 0.8}, false);
  CHECK(meter.ns_per_increment() == Approx(1.5 * 0.44));
  for (int i = 0; i < 100; ++i) meter.Note({.loop_ns = 0.8}, false);
  CHECK(meter.ns_per_increment() == Approx(1.2).epsilon(0.001));
  meter.Note({.loop_ns = 0}, false);
  CHECK(meter.ns_per_increment() == Approx(1.2).epsilon(0.001));
}

// A second of CPU time in each of which the agent's threads take 10 ms.
struct Seconds {
  CostMeter meter = HalfNanosecond();
  Reading now{.wall_ns = 1, .process_cpu_ns = 1};

  Seconds() { meter.Note(now, false); }
  void Next(uint64_t compilers_ns, bool swapped = false) {
    now.wall_ns += kSecond;
    now.process_cpu_ns += kSecond;
    now.agent_cpu_ns += 10'000'000;
    now.compilers_cpu_ns += compilers_ns;
    meter.Note(now, swapped);
  }
};

TEST_CASE("the agent's threads count, after a swap compilers, and then worse code",
          "[cost_meter]") {
  constexpr uint64_t kCompiled = 300'000'000;
  Seconds s;
  s.Next(kCompiled);
  CHECK(s.meter.last_share() == Approx(0.01 / 0.99));
  for (const bool swapped : {true, false, false}) {
    s.Next(kCompiled, swapped);
    CHECK(s.meter.last_share() == Approx(0.265 / 0.735));
    CHECK(s.meter.counting_share() == 0);
  }
  s.Next(10'000'000);
  CHECK(s.meter.last_share() == Approx(0.074 / 0.926));
  CHECK(s.meter.counting_share() == 0);
  constexpr double kOwn = 5 * 0.01 + 3 * 0.255 + 0.064;
  CHECK(s.meter.share() == Approx(kOwn / (5 - kOwn)));
}

TEST_CASE("code that was compiled without profiles gets better with time, until the next swap",
          "[cost_meter]") {
  constexpr uint64_t kCompiled = 300'000'000;
  Seconds s;
  for (int swap = 0; swap < 2; ++swap) {
    for (const bool swapped : {true, false, false}) s.Next(kCompiled, swapped);
    s.Next(0);
    CHECK(s.meter.last_share() == Approx(0.074 / 0.926));
    for (int i = 0; i < 30; ++i) s.Next(0);
    CHECK(s.meter.last_share() == Approx(0.042 / 0.958));
  }
  for (int i = 0; i < 600; ++i) s.Next(0);
  CHECK(s.meter.last_share() == Approx(0.01 / 0.99).epsilon(0.001));
}

TEST_CASE("a range says how well the cost is known", "[cost_meter]") {
  Seconds s;
  CHECK(s.meter.range().most == 0);
  s.now.increments += 200'000'000;
  s.Next(0);
  CHECK(s.meter.range().least == Approx(0.06 / 0.94));
  CHECK(s.meter.range().most == Approx(0.21 / 0.79));
  s.meter.Restart();
  CHECK(s.meter.range().most == 0);
  for (const bool swapped : {true, false, false}) s.Next(200'000'000, swapped);
  CHECK(s.meter.range().least == Approx(0.11 / 0.89));
  CHECK(s.meter.range().most == Approx(0.41 / 0.59));
  s.Next(0);
  CHECK(s.meter.range().least == Approx((3 * 0.11 + 0.01) / (3 * 0.89 + 0.99)));
  CHECK(s.meter.range().most == Approx((3 * 0.41 + 0.202) / (3 * 0.59 + 0.798)));
}

TEST_CASE("a cost beyond the program's own time is shown, up to three times that time",
          "[cost_meter]") {
  CostMeter meter = HalfNanosecond();
  meter.Note({}, false);
  // Of 1 s of CPU, 1.4 billion increments take 0.7 s.
  meter.Note({.wall_ns = kSecond, .increments = 1'400'000'000, .process_cpu_ns = kSecond}, false);
  CHECK(meter.last_share() == Approx(7.0 / 3));
  // The compiler merged most of these: they would take more than there was.
  meter.Note({.wall_ns = 2 * kSecond, .increments = 9'400'000'000, .process_cpu_ns = 2 * kSecond},
             false);
  CHECK(meter.last_share() == Approx(CostMeter::kMostShare));
  CHECK(meter.share() == Approx(1.45 / 0.55));
}

TEST_CASE("one interval of many increments does not decide what counting costs, and a swap does",
          "[cost_meter]") {
  CostMeter meter = HalfNanosecond();
  Reading now;
  meter.Note(now, false);
  const auto next = [&](uint64_t increments, bool swapped = false) {
    now.wall_ns += kSecond;
    now.process_cpu_ns += kSecond;
    now.increments += increments;
    meter.Note(now, swapped);
    return meter.counting_share();
  };
  double before = 0;
  for (int i = 0; i < 20; ++i) before = next(200'000'000);
  CHECK(before == Approx(1.0 / 9));
  CHECK(next(9'000'000'000) < 0.4);
  for (int i = 0; i < 100; ++i) next(9'000'000'000);
  CHECK(meter.counting_share() == Approx(CostMeter::kMostShare));
  CHECK(next(20'000'000, true) == Approx(0.01 / 0.99));
}

TEST_CASE("after a reset the share in all begins again", "[cost_meter]") {
  CostMeter meter = HalfNanosecond();
  meter.Note({}, false);
  meter.Note({.wall_ns = kSecond, .increments = 200'000'000, .process_cpu_ns = kSecond}, false);
  meter.Restart();
  CHECK(meter.share() == 0);
  meter.Note({.wall_ns = 2 * kSecond, .increments = 400'000'000, .process_cpu_ns = 2 * kSecond},
             false);
  CHECK(meter.share() == Approx(0.1 / 0.9));
}

TEST_CASE("the first swap may cost what the warm-up did, the next one what the last one did",
          "[cost_meter]") {
  CostMeter meter = HalfNanosecond();
  meter.Skip({.compilers_cpu_ns = 1'000'000'000});
  meter.Note({.wall_ns = 1, .compilers_cpu_ns = 3'000'000'000}, false);
  CHECK(meter.next_swap_s() == Approx(4));
  meter.Note({.wall_ns = 2, .compilers_cpu_ns = 4'000'000'000}, true);
  CHECK(meter.next_swap_s() == Approx(2));
  meter.Note({.wall_ns = 3, .compilers_cpu_ns = 4'500'000'000}, false);
  CHECK(meter.next_swap_s() == Approx(3));
}

TEST_CASE("compilers that are busy for longer work for the swap until they are calm",
          "[cost_meter]") {
  Seconds s;
  s.Next(kSecond);
  CHECK(s.meter.swapped_s() == 0);
  s.Next(kSecond / 2, true);
  for (int i = 0; i < 5; ++i) s.Next(kSecond / 2);
  CHECK(s.meter.swapped_s() == Approx(6));
  s.Next(kSecond / 100);
  s.Next(kSecond / 2);  // for something else
  CHECK(s.meter.swapped_s() == Approx(6));
  CHECK(s.meter.last_swap_s() == Approx(6));
  // A program that always compiles does so for itself.
  s.Next(kSecond / 2, true);
  for (int i = 0; i < 100; ++i) s.Next(kSecond / 2);
  CHECK(s.meter.swapped_s() == Approx(6 + 30));
  CHECK(s.meter.last_swap_s() == Approx(30));
}

TEST_CASE("a pause is left out", "[cost_meter]") {
  CostMeter meter = HalfNanosecond();
  meter.Note({}, false);
  meter.Skip({.wall_ns = 9 * kSecond, .increments = 900'000'000, .process_cpu_ns = 9 * kSecond});
  meter.Note({.wall_ns = 10 * kSecond, .increments = 1'100'000'000, .process_cpu_ns = 10 * kSecond},
             false);
  CHECK(meter.share() == Approx(0.1 / 0.9));
  CHECK(meter.measured_s() == Approx(1));
  // The program waits for most of the next two seconds.
  meter.Note({.wall_ns = 12 * kSecond,
              .increments = 1'100'000'000,
              .process_cpu_ns = 10 * kSecond + kSecond / 2},
             false);
  CHECK(meter.measured_s() == Approx(1.5));
}

TEST_CASE("the clocks of this process go on", "[cost_meter]") {
  const Reading before = CostMeter::ReadClocks();
  CHECK(CostMeter::CalibrateIncrement() > 0);
  const Reading after = CostMeter::ReadClocks();
  CHECK(after.wall_ns > before.wall_ns);
  CHECK(after.process_cpu_ns > before.process_cpu_ns);
  CHECK(after.compilers_cpu_ns == 0);  // this process is no JVM
}

}  // namespace
}  // namespace iprof::vm
