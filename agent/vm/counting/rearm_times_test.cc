// When methods without probes count again.
#include "agent/vm/counting/rearm_times.h"

#include <catch2/catch.hpp>

namespace iprof::vm {
namespace {

TEST_CASE("methods count again after a period, and then after twice as long", "[rearm_times]") {
  RearmTimes times(2);
  CHECK_FALSE(times.IsDue(100, 0));
  times.Froze(100);
  times.Froze(101);  // more of them
  CHECK_FALSE(times.IsDue(101.9, 5));
  CHECK(times.IsDue(102, 5));
  CHECK(times.IsDue(103, 5));  // until they do
  CHECK(times.is_first());
  times.Begin();
  CHECK_FALSE(times.is_first());
  CHECK_FALSE(times.IsDue(103, 1));
  times.Froze(103);
  CHECK_FALSE(times.IsDue(106.9, 1));
  CHECK(times.IsDue(107, 1));
}

TEST_CASE("once all methods without probes are gone, nothing counts again", "[rearm_times]") {
  RearmTimes times(2);
  times.Froze(100);
  CHECK_FALSE(times.IsDue(102, 0));
  CHECK(times.is_first());
  // The next one has a period of its own.
  times.Froze(103);
  CHECK_FALSE(times.IsDue(104, 1));
  CHECK(times.IsDue(105, 1));
}

TEST_CASE("without a period, methods stay without probes", "[rearm_times]") {
  RearmTimes times(0);
  times.Froze(100);
  CHECK_FALSE(times.IsDue(1e9, 1));
}

}  // namespace
}  // namespace iprof::vm
