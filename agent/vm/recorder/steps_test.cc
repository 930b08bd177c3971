#include "agent/vm/recorder/steps.h"

#include <catch2/catch.hpp>
#include <new>
#include <thread>
#include <vector>

namespace iprof::vm {
namespace {

using control::Progress;
using control::Step;
using Clock = std::chrono::steady_clock;

TEST_CASE("what takes long is heard of from time to time, and not after the hearing") {
  Steps steps;
  std::vector<Progress> heard;
  steps.At(Step::kClasses, 1, 9);
  {
    const Clock::time_point start = Clock::now();
    const Steps::Hearing hearing(steps,
                                 [&](const Progress& progress) { heard.push_back(progress); });
    uint64_t done = 0;
    while (heard.size() < 2) {
      steps.At(Step::kProfile, ++done, 1'000'000'000);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(Clock::now() - start >= 2 * Steps::kEvery);
    CHECK(heard[0].done < heard[1].done);
    CHECK(heard[1] == Progress{Step::kProfile, done, 1'000'000'000});
  }
  std::this_thread::sleep_for(Steps::kEvery);
  steps.At(Step::kClasses, 1, 9);
  CHECK(heard.size() == 2);
}

TEST_CASE("the work goes on if what is heard cannot be passed on") {
  Steps steps;
  int calls = 0;
  const Steps::Hearing hearing(steps, [&](const Progress& /*progress*/) {
    ++calls;
    throw std::bad_alloc();
  });
  while (calls == 0) {
    steps.At(Step::kClasses, 1, 9);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  steps.At(Step::kClasses, 2, 9);
  CHECK(calls == 1);
}

}  // namespace
}  // namespace iprof::vm
