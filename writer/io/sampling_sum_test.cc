#include "writer/io/sampling_sum.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof {
namespace {

const char* const kParts[] = {
    R"({"event":"cpu","intervalNs":10,"signals":5,"distinctStacks":3,"outcomes":{"good":[4,6],"x":[1,1]}})",
    R"({"event":"cpu","intervalNs":10,"signals":7,"distinctStacks":2,"outcomes":{"good":[7,7]},)"
    R"("stoppedAfterMs":90,"stopReason":"b"})",
    R"({"event":"cpu","intervalNs":10,"signals":1,"failed":1,"outcomes":{"x":[1,2]},)"
    R"("stoppedAfterMs":40,"stopReason":"a"})"};

TEST_CASE("numbers and outcomes add up, whatever the order and the grouping") {
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

}  // namespace
}  // namespace iprof
