#include "agent/vm/budget/cost_meter.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
using Reading = CostMeter::Reading;

TEST_CASE("increments cost a share of the program's time", "[cost_meter]") {
  CostMeter meter(0.5, false);
  meter.Note({}, false);
  CHECK(meter.share() == 0);
  // 1 s of CPU, of which 200 million increments take 0.1 s.
  meter.Note({.wall_ns = 1'000'000'000, .increments = 200'000'000, .process_cpu_ns = 1'000'000'000},
             false);
  CHECK(meter.last_share() == Approx(0.1 / 0.9));
  // A tenth of 0.9 s are 90 ms, which is 180 million increments.
  CHECK(meter.IncrementsPerSecond(0.1) == Approx(180e6));
  // Nothing is counted any more.
  meter.Note({.wall_ns = 2'000'000'000, .increments = 200'000'000, .process_cpu_ns = 2'000'000'000},
             false);
  CHECK(meter.last_share() == 0);
  CHECK(meter.share() == Approx(0.1 / 1.9));
}

TEST_CASE("where an increment cannot be measured, it costs something, too", "[cost_meter]") {
  CostMeter meter(0, false);
  CHECK(meter.ns_per_increment() == CostMeter::kUsualIncrement);
  meter.Note({}, false);
  meter.Note({.wall_ns = kSecond, .increments = 200'000'000, .process_cpu_ns = kSecond}, false);
  CHECK(meter.last_share() == Approx(0.2 / 0.8));
  CHECK(meter.IncrementsPerSecond(0.1) == Approx(80e6));
}

TEST_CASE("the agent's thread counts, and compilers only after a swap", "[cost_meter]") {
  CostMeter meter(0.5, false);
  Reading now{.wall_ns = 1, .process_cpu_ns = 1};
  meter.Note(now, false);
  const auto next = [&](bool swapped, uint64_t compilers_ns = 300'000'000) {
    now.wall_ns += kSecond;
    now.process_cpu_ns += kSecond;
    now.thread_cpu_ns += 10'000'000;
    now.compilers_cpu_ns += compilers_ns;
    meter.Note(now, swapped);
    return meter.last_share();
  };
  CHECK(next(false) == Approx(0.01 / 0.99));
  CHECK(next(true) == Approx(0.31 / 0.69));
  CHECK(next(false) == Approx(0.31 / 0.69));
  CHECK(next(false) == Approx(0.31 / 0.69));
  CHECK(next(false, 10'000'000) == Approx(0.01 / 0.99));
  CHECK(meter.IncrementsPerSecond(0.005) == 0);  // the thread costs more than that
  // The program's part in these five intervals, the last of which has a weight of a quarter.
  double program = 0.99;
  for (const double next_part : {0.69, 0.69, 0.69, 0.99}) program += (next_part - program) / 4;
  // The compilers' time after a swap leaves increments their share.
  CHECK(meter.IncrementsPerSecond(0.05) == Approx((program * 0.05 - 0.01) * 2e9));
}

TEST_CASE("a cost beyond the program's own time is shown, up to three times that time",
          "[cost_meter]") {
  CostMeter meter(0.5, false);
  meter.Note({}, false);
  // Of 1 s of CPU, 1.4 billion increments take 0.7 s.
  meter.Note(
      {.wall_ns = 1'000'000'000, .increments = 1'400'000'000, .process_cpu_ns = 1'000'000'000},
      false);
  CHECK(meter.last_share() == Approx(7.0 / 3));
  // The compiler merged most of these: they would take more than there was.
  meter.Note(
      {.wall_ns = 2'000'000'000, .increments = 9'400'000'000, .process_cpu_ns = 2'000'000'000},
      false);
  CHECK(meter.last_share() == Approx(CostMeter::kMostShare));
  CHECK(meter.share() == Approx(1.45 / 0.55));
}

TEST_CASE("increments that seem to take all of the time leave a limit", "[cost_meter]") {
  CostMeter meter(0.5, false);
  Reading now;
  meter.Note(now, false);
  const auto next = [&](uint64_t increments) {
    now.wall_ns += 1'000'000'000;
    now.process_cpu_ns += 1'000'000'000;
    now.increments += increments;
    meter.Note(now, false);
    return meter.IncrementsPerSecond(0.1);
  };
  const double before = next(200'000'000);
  CHECK(before == Approx(180e6));
  // One such second changes the limit by less than a quarter.
  const double after_one = next(9'000'000'000);
  CHECK(after_one < before);
  CHECK(after_one > 0.75 * before);
  for (int i = 0; i < 100; ++i) next(9'000'000'000);
  // A tenth of a quarter of a second.
  CHECK(meter.IncrementsPerSecond(0.1) == Approx(50e6));
}

TEST_CASE("after a reset the share in all begins anew", "[cost_meter]") {
  CostMeter meter(0.5, false);
  meter.Note({}, false);
  meter.Note({.wall_ns = 1'000'000'000, .increments = 200'000'000, .process_cpu_ns = 1'000'000'000},
             false);
  meter.Restart();
  CHECK(meter.share() == 0);
  meter.Note({.wall_ns = 2'000'000'000, .increments = 400'000'000, .process_cpu_ns = 2'000'000'000},
             false);
  CHECK(meter.share() == Approx(0.1 / 0.9));
}

TEST_CASE("the compilers' time counts from the last swap", "[cost_meter]") {
  CostMeter meter(0.5, false);
  meter.Skip({.compilers_cpu_ns = 1'000'000'000});
  meter.Note({.wall_ns = 1, .compilers_cpu_ns = 3'000'000'000}, false);
  CHECK(meter.compiled_s() == Approx(2));
  meter.Note({.wall_ns = 2, .compilers_cpu_ns = 4'000'000'000}, true);
  CHECK(meter.compiled_s() == Approx(1));
  meter.Note({.wall_ns = 3, .compilers_cpu_ns = 4'500'000'000}, false);
  CHECK(meter.compiled_s() == Approx(1.5));
}

TEST_CASE("compilers that are busy for longer work for the swap until they are calm",
          "[cost_meter]") {
  CostMeter meter(1, false);
  Reading now;
  meter.Note(now, false);
  const auto interval = [&](uint64_t compilers_ns, bool swapped = false) {
    now.wall_ns += kSecond;
    now.process_cpu_ns += kSecond;
    now.compilers_cpu_ns += compilers_ns;
    meter.Note(now, swapped);
  };
  interval(kSecond);
  CHECK(meter.swapped_s() == 0);
  interval(kSecond / 2, true);
  for (int i = 0; i < 5; ++i) interval(kSecond / 2);
  CHECK(meter.swapped_s() == Approx(3));
  interval(kSecond / 100);
  interval(kSecond / 2);  // for something else
  CHECK(meter.swapped_s() == Approx(3));
  CHECK(meter.last_swap_s() == Approx(3));
  CHECK(meter.compiled_s() == Approx(3.51));
  // A program that always compiles does so for itself.
  interval(kSecond / 2, true);
  for (int i = 0; i < 100; ++i) interval(kSecond / 2);
  CHECK(meter.swapped_s() == Approx(3 + 15));
  CHECK(meter.last_swap_s() == Approx(15));
}

TEST_CASE("a pause is left out, and with sites an increment costs double", "[cost_meter]") {
  CostMeter meter(0.5, true);
  meter.Note({}, false);
  meter.Skip(
      {.wall_ns = 9'000'000'000, .increments = 900'000'000, .process_cpu_ns = 9'000'000'000});
  meter.Note(
      {.wall_ns = 10'000'000'000, .increments = 1'000'000'000, .process_cpu_ns = 10'000'000'000},
      false);
  CHECK(meter.share() == Approx(0.1 / 0.9));
  CHECK(meter.measured_s() == Approx(1));
  // The program waits for most of the next two seconds.
  meter.Note(
      {.wall_ns = 12'000'000'000, .increments = 1'000'000'000, .process_cpu_ns = 10'500'000'000},
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
