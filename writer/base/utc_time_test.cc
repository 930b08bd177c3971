#include "writer/base/utc_time.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("times are UTC to the millisecond, and what is no time is not known") {
  CHECK(UtcText(1'764'027'327'120) == "2025-11-24T23:35:27.120Z");
  for (const int64_t ms : {int64_t{1}, int64_t{1'764'000'000'999}, int64_t{253'402'300'799'999}})
    CHECK(ParseUtcText(UtcText(ms)) == ms);
  for (const char* text :
       {"", "now", "2026-11-24T23:35:27Z", "2026-11-24T23:35:27.120Zx", "1969-11-24T23:35:27.120Z"})
    CHECK(ParseUtcText(text) == 0);
}

TEST_CASE("a time without milliseconds") {
  CHECK(UtcTextForPeople(1'764'027'327'999) == "2025-11-24 23:35:27");
  CHECK(UtcTextOfSeconds(1'764'027'327) == "2025-11-24T23:35:27Z");
}

TEST_CASE("times that no text has become the nearest one that has") {
  CHECK(UtcText(-1) == "1970-01-01T00:00:00.000Z");
  CHECK(UtcText(INT64_MAX) == "9999-12-31T23:59:59.999Z");
  CHECK(UtcTextOfSeconds(INT64_MAX) == "9999-12-31T23:59:59Z");
}

}  // namespace
}  // namespace iprof
