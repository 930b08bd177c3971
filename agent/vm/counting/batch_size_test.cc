#include "agent/vm/counting/batch_size.h"

#include <catch2/catch.hpp>
#include <random>

namespace iprof::vm {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

// A JVM whose pauses have a fixed part and a part for each class.
struct Vm {
  nanoseconds fixed;
  nanoseconds each;
  nanoseconds PauseOf(size_t classes) const { return fixed + each * static_cast<long>(classes); }
};

struct Outcome {
  nanoseconds longest{};  // after the batches of one class
  nanoseconds sum{};
};

Outcome Retransform(const Vm& vm, BatchSize& sizes, size_t classes) {
  Outcome outcome;
  while (classes > 0) {
    const size_t size = std::min(classes, sizes.Next());
    const nanoseconds pause = vm.PauseOf(size);
    sizes.Note(size, pause);
    if (size > 1) outcome.longest = std::max(outcome.longest, pause);
    outcome.sum += pause;
    classes -= size;
  }
  return outcome;
}

TEST_CASE("pauses stay near the budget where a single class needs less") {
  BatchSize sizes(milliseconds(100));
  const Outcome outcome = Retransform({milliseconds(10), nanoseconds(500'000)}, sizes, 12'000);
  CHECK(sizes.Limit() == milliseconds(100));
  CHECK(outcome.longest <= milliseconds(125));
  CHECK(outcome.sum < milliseconds(12'000 / 2) * 13 / 10);  // 0.5 ms per class, plus a third
}

TEST_CASE("where a single class needs more than the budget, batches may take half as much again") {
  BatchSize sizes(milliseconds(50));
  const Vm vm{milliseconds(200), nanoseconds(300'000)};
  const Outcome outcome = Retransform(vm, sizes, 12'000);
  CHECK(outcome.longest <= vm.PauseOf(1) * 2);
  // With one class at a time there would be 12,000 fixed parts.
  CHECK(outcome.sum < vm.PauseOf(1) * 12'000 / 50);
}

TEST_CASE("on a busy machine, where pauses vary by themselves, batches do not become small") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    BatchSize sizes(milliseconds(100));
    std::minstd_rand random(seed);
    size_t batches = 0;
    for (size_t left = 8000; left > 0; ++batches) {
      const size_t size = std::min(left, sizes.Next());
      const nanoseconds quiet = milliseconds(100) + nanoseconds(200'000) * static_cast<long>(size);
      sizes.Note(size, quiet * (70 + static_cast<long>(random() % 131)) / 100);  // 0.7 to 2 times
      left -= size;
    }
    INFO("seed " << seed);
    CHECK(batches <= 120);
  }
}

TEST_CASE(
    "the first pause, in which compiled code is thrown away, does not raise the limit for good") {
  BatchSize sizes(milliseconds(50));
  sizes.Note(1, milliseconds(900));
  for (const int pause : {20, 22, 19, 21}) sizes.Note(1, milliseconds(pause));
  CHECK(sizes.Limit() == milliseconds(50));
  CHECK(sizes.Next() > 1);
}

TEST_CASE("pauses over the limit make batches smaller, but not uselessly small") {
  BatchSize sizes(milliseconds(10));
  for (int i = 0; i < 5; ++i) sizes.Note(1, milliseconds(1));
  for (int i = 0; i < 10; ++i) sizes.Note(sizes.Next(), milliseconds(1));
  CHECK(sizes.Next() == BatchSize::kMost);
  sizes.Note(sizes.Next(), milliseconds(400));
  CHECK(sizes.Next() == BatchSize::kMost / 2);
  for (int i = 0; i < 20; ++i) sizes.Note(sizes.Next(), milliseconds(sizes.Next() == 1 ? 1 : 1000));
  if (sizes.Next() == 1) sizes.Note(1, milliseconds(1));
  CHECK(sizes.Next() == BatchSize::kLeast);
  for (int i = 0; i < 40; ++i) sizes.Note(sizes.Next(), milliseconds(1));
  CHECK(sizes.Next() == BatchSize::kMost);
}

TEST_CASE("where the fixed part has grown since it was measured, it is measured again") {
  BatchSize sizes(milliseconds(50));
  for (int i = 0; i < 5; ++i) sizes.Note(1, milliseconds(5));
  const Vm vm{milliseconds(120), nanoseconds(200'000)};
  size_t batches = 0;
  nanoseconds longest{};
  for (size_t left = 10'000; left > 0; ++batches) {
    const size_t size = std::min(left, sizes.Next());
    const nanoseconds pause = vm.PauseOf(size);
    sizes.Note(size, pause);
    longest = std::max(longest, pause);
    left -= size;
  }
  CHECK(batches <= 60);  // with the smallest batches, 313
  CHECK(longest <= vm.PauseOf(1) * 2);
}

TEST_CASE("a short last batch does not make batches small") {
  BatchSize sizes(milliseconds(10));
  for (int i = 0; i < 5; ++i) sizes.Note(1, milliseconds(1));
  sizes.Note(sizes.Next(), milliseconds(1));
  const size_t before = sizes.Next();
  REQUIRE(before > 2);
  sizes.Note(2, milliseconds(1));
  CHECK(sizes.Next() == before);
}

}  // namespace
}  // namespace iprof::vm
