#include "writer/base/time_period.h"

#include <catch2/catch.hpp>
#include <vector>

namespace iprof {

TEST_CASE("periods begin at powers of two and in the middle between them") {
  std::vector<uint32_t> begins;
  for (uint32_t period = 0; period < 13; ++period) begins.push_back(BeginOf(period));
  CHECK(begins == std::vector<uint32_t>{0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64});
  CHECK(BeginOf(kLastPeriod) == 49'152);
}

TEST_CASE("each second is in the last period that has begun") {
  uint32_t period = 0;
  for (uint64_t second = 0; second < 70'000; ++second) {
    if (period < kLastPeriod && second == BeginOf(period + 1)) ++period;
    if (PeriodAt(second) != period) FAIL("second " << second << ": period " << PeriodAt(second));
    if (BeginsPeriod(static_cast<int64_t>(second)) != (second == BeginOf(period)))
      FAIL("second " << second);
  }
  CHECK(period == kLastPeriod);
  CHECK(PeriodAt(UINT64_MAX) == kLastPeriod);
  CHECK_FALSE(BeginsPeriod(-1));
}

}  // namespace iprof
