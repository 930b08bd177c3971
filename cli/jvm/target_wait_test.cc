// How long a tool pauses between two looks.
#include "cli/jvm/target_wait.h"

#include <unistd.h>

#include <catch2/catch.hpp>

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;

TEST_CASE("pauses grow, but stay short in the first second") {
  CHECK(NextPause(2ms, 0ms) == 3ms);
  CHECK(NextPause(9ms, 0ms) == 10ms);
  CHECK(NextPause(10ms, 999ms) == 10ms);
  CHECK(NextPause(10ms, 1s) == 15ms);
  CHECK(NextPause(90ms, 2s) == 100ms);
  CHECK(NextPause(100ms, 1h) == 100ms);
}

TEST_CASE("a wait knows what is left of it") {
  const Result<Process> own = Process::Open(getpid());
  REQUIRE(own.ok());
  CHECK(TargetWait(*own, 0ms).left() == 0ms);
  const TargetWait wait(*own, 1h);
  CHECK(wait.left() > 0ms);
  CHECK(wait.left() <= 1h);
}

}  // namespace
}  // namespace iprof::jvm
