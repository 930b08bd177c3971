#include "agent/vm/classes/batch_size.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

namespace iprof::vm {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using Sizes = std::vector<size_t>;

// A JVM whose pauses have a fixed part and a part for each class, on a machine that can get busy.
struct Jvm {
  nanoseconds fixed;
  nanoseconds each;
  int slowness = 1;

  nanoseconds PauseOf(size_t classes) const {
    return slowness * (fixed + each * static_cast<long>(classes));
  }
};

// The sizes of the next batches.
Sizes Run(const Jvm& jvm, BatchSize& sizes, size_t batches) {
  Sizes run;
  while (run.size() < batches) {
    run.push_back(sizes.Next());
    sizes.Note(run.back(), jvm.PauseOf(run.back()));
  }
  return run;
}

struct Outcome {
  size_t batches = 0;
  nanoseconds longest{};
  nanoseconds sum{};
};

Outcome Retransform(const Jvm& jvm, BatchSize& sizes, size_t classes) {
  Outcome outcome;
  for (size_t left = classes; left > 0; ++outcome.batches) {
    const size_t size = std::min(left, sizes.Next());
    const nanoseconds pause = jvm.PauseOf(size);
    sizes.Note(size, pause);
    outcome.longest = std::max(outcome.longest, pause);
    outcome.sum += pause;
    left -= size;
  }
  return outcome;
}

TEST_CASE("the example in the header") {
  BatchSize sizes(milliseconds(50));
  Jvm jvm{milliseconds(5), nanoseconds(200'000)};
  CHECK(Run(jvm, sizes, 12) == Sizes{1, 2, 4, 8, 16, 32, 64, 128, 209, 223, 224, 224});
  CHECK(sizes.Limit() == milliseconds(50));
  jvm.slowness = 20;
  CHECK(Run(jvm, sizes, 9) == Sizes{224, 11, 1, 11, 15, 19, 22, 24, 25});
  CHECK(sizes.Limit() == milliseconds(208));
  jvm.slowness = 1;
  CHECK(Run(jvm, sizes, 5) == Sizes{26, 52, 104, 201, 222});
  CHECK(sizes.Limit() == milliseconds(50));
}

TEST_CASE("when pauses grow 20-fold, batches are down to what fits after two, and grow back") {
  struct Case {
    Jvm jvm;
    size_t fits;       // into the limit
    size_t fits_busy;  // when everything takes 20 times as long
  };
  const Case test = GENERATE(Case{{milliseconds(1), nanoseconds(200'000)}, 245, 7},
                             Case{{nanoseconds(500'000), milliseconds(1)}, 49, 2},
                             Case{{nanoseconds(100'000), milliseconds(8)}, 6, 2},
                             Case{{nanoseconds(0), milliseconds(10)}, 5, 2});
  Jvm jvm = test.jvm;
  CAPTURE(jvm.fixed.count(), jvm.each.count());
  BatchSize sizes(milliseconds(50));
  const auto settled = [&] { return Run(jvm, sizes, 20).back(); };
  const auto near = [](size_t size, size_t wanted) {
    CHECK(size <= wanted);
    CHECK(size >= wanted - wanted / 10 - 1);
  };
  near(settled(), test.fits);
  jvm.slowness = 20;
  Run(jvm, sizes, 2);
  CHECK(sizes.Next() <= test.fits_busy);
  // No later pause exceeds the budget and twice what one class takes.
  const nanoseconds limit = std::max(nanoseconds(milliseconds(50)), 2 * jvm.PauseOf(1));
  for (int i = 0; i < 50; ++i) {
    CHECK(jvm.PauseOf(sizes.Next()) <= limit);
    Run(jvm, sizes, 1);
  }
  near(settled(), test.fits_busy);
  jvm.slowness = 1;
  near(settled(), test.fits);
}

TEST_CASE("where one class takes longer than the budget, batches take twice as long as one class") {
  BatchSize sizes(milliseconds(50));
  const Jvm jvm{milliseconds(200), nanoseconds(300'000)};
  const Outcome outcome = Retransform(jvm, sizes, 12'000);
  CHECK(outcome.longest <= 2 * jvm.PauseOf(1));
  // With one class at a time, the fixed part would come 12,000 times.
  CHECK(outcome.batches <= 30);
}

TEST_CASE("pauses keep to the budget where a single class needs less") {
  BatchSize sizes(milliseconds(100));
  const Outcome outcome = Retransform({milliseconds(10), nanoseconds(500'000)}, sizes, 12'000);
  CHECK(outcome.longest <= milliseconds(100));
  CHECK(outcome.sum < milliseconds(12'000 / 2) * 13 / 10);  // 0.5 ms for each class, and a third
}

TEST_CASE("pauses that vary by themselves make batches neither small nor their pauses long") {
  size_t batches = 0;
  for (unsigned seed = 1; seed <= 100; ++seed) {
    BatchSize sizes(milliseconds(100));
    std::minstd_rand random(seed);
    const Jvm quiet{milliseconds(100), nanoseconds(200'000)};
    for (size_t left = 8000; left > 0; ++batches) {
      const size_t size = std::min(left, sizes.Next());
      // 0.7 to 2 times
      sizes.Note(size, quiet.PauseOf(size) * (70 + static_cast<long>(random() % 131)) / 100);
      left -= size;
    }
  }
  CHECK(batches <= 100 * 60);
}

TEST_CASE("the first pause, which discards compiled code, does not raise the limit for good") {
  BatchSize sizes(milliseconds(50));
  sizes.Note(1, milliseconds(900));
  sizes.Note(2, milliseconds(20));
  CHECK(sizes.Limit() == milliseconds(50));
  CHECK(sizes.Next() == 4);
}

TEST_CASE("a batch that is smaller than it may be, as the last one is") {
  BatchSize sizes(milliseconds(10));
  const Jvm jvm{milliseconds(1), nanoseconds(10'000)};
  Run(jvm, sizes, 6);
  const size_t before = sizes.Next();
  REQUIRE(before == 64);
  SECTION("does not make batches small") {
    sizes.Note(2, milliseconds(1));
    CHECK(sizes.Next() == before);
  }
  SECTION("makes them small if its pause is long") {
    sizes.Note(2, milliseconds(20));
    CHECK(sizes.Next() == 1);
  }
}

TEST_CASE("a clock that stands still, and one that goes back") {
  BatchSize sizes(milliseconds(10));
  for (int i = 0; i < 20; ++i) sizes.Note(sizes.Next(), nanoseconds(0));
  CHECK(sizes.Next() == BatchSize::kMost);
  sizes.Note(sizes.Next(), milliseconds(-5));
  CHECK(sizes.Next() == BatchSize::kMost);
}

}  // namespace
}  // namespace iprof::vm
