#include "writer/profile/io/sampling_sum.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/model.h"

namespace iprof {
namespace {

const char* const kParts[] = {
    R"({"event":"cpu","intervalNs":10,"signals":5,"distinctStacks":3,"outcomes":{"good":[4,6],"x":[1,1]}})",
    R"({"event":"cpu","intervalNs":10,"signals":7,"distinctStacks":2,"outcomes":{"good":[7,7]},)"
    R"("stoppedAfterMs":90,"stopReason":"b"})",
    R"({"event":"cpu","intervalNs":10,"signals":1,"failed":1,"outcomes":{"x":[1,2]},)"
    R"("stoppedAfterMs":40,"stopReason":"a"})"};

TEST_CASE("numbers and outcomes add up in any order and grouping") {
  std::vector<int> order{0, 1, 2};
  do {
    for (const bool is_right : {false, true}) {
      SamplingSum first = *SamplingSum::Parse(kParts[order[0]]);
      SamplingSum second = *SamplingSum::Parse(kParts[order[1]]);
      const SamplingSum third = *SamplingSum::Parse(kParts[order[2]]);
      if (is_right) {
        second.Add(third);
        first.Add(second);
      } else {
        first.Add(second);
        first.Add(third);
      }
      REQUIRE(first.ToJson() ==
              R"({"event":"cpu","intervalNs":10,"distinctStacks":3,"failed":1,"signals":13,)"
              R"("stoppedAfterMs":40,"stopReason":"a; b","outcomes":{"good":[11,13],"x":[2,3]}})");
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a sum reads back, and a weight is so many inputs") {
  SamplingSum twice = *SamplingSum::Parse(kParts[1]);
  twice.Add(*SamplingSum::Parse(kParts[1]));
  CHECK(SamplingSum::Parse(kParts[1], 2)->ToJson() == twice.ToJson());
  CHECK(SamplingSum::Parse(twice.ToJson())->ToJson() == twice.ToJson());
  CHECK(twice.Number("signals") == 14);
}

TEST_CASE("other shapes are refused") {
  for (const char* text :
       {"", "{}", R"({"signals":2})", R"({"event":"cpu","intervalNs":10,"a":[1]})",
        R"({"event":"cpu","intervalNs":10,"outcomes":{"good":[1]}})",
        R"({"event":"cpu","intervalNs":10,"a":1,"a":2})",
        R"({"event":"cpu","intervalNs":10,"a":-1})"}) {
    INFO(text);
    CHECK_FALSE(SamplingSum::Parse(text));
  }
}

// 250 signals in a second of CPU time, at 1 ms, and 250 in two more, at 8 ms.
const char* const kAdapted =
    R"({"event":"cpu","intervalNs":6000000,"firstIntervalNs":1000000,"lastIntervalNs":8000000,"signals":500,)"
    R"("good":490,"recovered":9,"writtenWeight":500,"outcomes":{"good":[488,488],"no_java_frame":[2,4],"recovered":[9,12]}})";

TEST_CASE("first and last interval of a sum are the shortest and the longest") {
  SamplingSum sum = *SamplingSum::Parse(kAdapted);
  CHECK(sum.Adapted() == std::pair<int64_t, int64_t>(1'000'000, 8'000'000));
  CHECK(sum.GoodSignals() == 497);
  sum.Add(*SamplingSum::Parse(
      R"({"event":"cpu","intervalNs":6000000,"firstIntervalNs":500000,"lastIntervalNs":4000000})"));
  CHECK(sum.Adapted() == std::pair<int64_t, int64_t>(500'000, 8'000'000));
  CHECK(SamplingSum::Parse(kAdapted, 3)->Adapted() ==
        std::pair<int64_t, int64_t>(1'000'000, 8'000'000));
  CHECK(SamplingSum::Parse(sum.ToJson())->ToJson() == sum.ToJson());
}

TEST_CASE("an interval that is always the same did not adapt") {
  CHECK_FALSE(SamplingSum::Parse(R"({"event":"cpu","intervalNs":10})")->Adapted());
  CHECK_FALSE(SamplingSum::Parse(
                  R"({"event":"cpu","intervalNs":10,"firstIntervalNs":10,"lastIntervalNs":10})")
                  ->Adapted());
}

TEST_CASE("a first interval without a last one did not adapt") {
  CHECK_FALSE(
      SamplingSum::Parse(R"({"event":"cpu","intervalNs":20,"firstIntervalNs":10})")->Adapted());
}

TEST_CASE("a sum of given intervals did not adapt, and one with an interval that did says so") {
  const auto at_7_ms = [](const char* part) {
    SamplingSum sum = *SamplingSum::Parse(part);
    sum.Rescale(7'000'000);
    return sum;
  };
  const SamplingSum every_1_ms = at_7_ms(
      R"({"event":"cpu","intervalNs":1000000,"firstIntervalNs":1000000,"lastIntervalNs":1000000})");
  const SamplingSum every_10_ms = at_7_ms(
      R"({"event":"cpu","intervalNs":10000000,"firstIntervalNs":10000000,"lastIntervalNs":10000000})");
  SamplingSum sum = every_1_ms;
  sum.Add(every_10_ms);
  CHECK_FALSE(sum.Adapted());
  CHECK(sum.ToJson() == R"({"event":"cpu","intervalNs":7000000,"outcomes":{}})");
  sum.Add(at_7_ms(kAdapted));
  CHECK(sum.Adapted() == std::pair<int64_t, int64_t>(1'000'000, 8'000'000));
}

TEST_CASE("weights of another interval are other numbers, signals are not") {
  SamplingSum sum = *SamplingSum::Parse(kAdapted);
  sum.Rescale(12'000'000);
  CHECK(sum.Kind() == std::pair<std::string, int64_t>("cpu", 12'000'000));
  CHECK(sum.Number("writtenWeight") == 250);
  CHECK(sum.Number("signals") == 500);
  CHECK(sum.ToJson().ends_with(
      R"("outcomes":{"good":[488,244],"no_java_frame":[2,2],"recovered":[9,6]}})"));
}

TEST_CASE("weights of a raw file count first intervals") {
  CHECK(SamplingSum::Parse(kAdapted)->ScaleFromFirst().Of(3000) == 500);
  CHECK_FALSE(SamplingSum::Parse(R"({"event":"cpu","intervalNs":10})")->ScaleFromFirst().changes());
}

TEST_CASE("samples are from so many signals") {
  CHECK(SignalsBehind(2000, kAdapted) == 497);
  CHECK(SignalsBehind(300, kAdapted) == 300);  // some had no frame that is in the profile
  CHECK(SignalsBehind(2000, std::nullopt) == 2000);
  CHECK(SignalsBehind(2000, R"({"event":"cpu","intervalNs":10})") == 2000);
}

TEST_CASE("a profile says for which time a sample stands, or does not") {
  Profile profile;
  CHECK_FALSE(SampleTimeOf(profile));
  SetAgentPart(profile, kSamplingPart, R"({"event":"wall","intervalNs":10000000})");
  const auto time = SampleTimeOf(profile);
  REQUIRE(time);
  CHECK(time->event == "wall");
  CHECK(time->interval_ns == 10'000'000);
  SetAgentPart(profile, kSamplingPart, R"({"event":1})");
  CHECK_FALSE(SampleTimeOf(profile));
}

}  // namespace
}  // namespace iprof
