#include "writer/ops/count_scale.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "writer/io/agent_section.h"
#include "writer/io/harvest_note.h"
#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

Profile WithCalls(int64_t calls) {
  return ParseTables(R"(,"callCountProfiles":[{"ctx":"1:0","records":[)" + std::to_string(calls) +
                     "]}]");
}

CountKind KindWith(const HarvestNote& note) {
  Profile profile = WithCalls(7);
  SetAgentPart(profile, kHarvestPart, note.ToJson());
  return CountFactsOf(profile).kind;
}

TEST_CASE("the kind of a profile's counts follows from its note") {
  CHECK(CountFactsOf(Profile()).kind == CountKind::kNone);
  const Profile samples = ParseTables(R"(,"samplingProfiles":[{"ctx":"1:0","records":[9]}])");
  CHECK(CountFactsOf(samples).kind == CountKind::kNone);
  CHECK(CountFactsOf(WithCalls(7)).kind == CountKind::kExact);
  CHECK(CountFactsOf(WithCalls(7)).total == 7);
  HarvestNote note;
  CHECK(KindWith(note) == CountKind::kRaw);
  note.estimator = "flow-1";
  CHECK(KindWith(note) == CountKind::kEstimated);
  note.UniteExact();
  CHECK(KindWith(note) == CountKind::kMixed);
  Profile odd = WithCalls(7);
  SetAgentPart(odd, kHarvestPart, R"({"later":1})");
  CHECK(CountFactsOf(odd).kind == CountKind::kMixed);
}

TEST_CASE("inputs of several kinds are scaled to the largest, others are not") {
  const CountFacts exact{CountKind::kExact, 1000};
  const CountFacts small{CountKind::kExact, 10};
  const CountFacts raw{CountKind::kRaw, 20};
  const CountFacts nothing{CountKind::kNone, 0};
  for (const auto& inputs :
       {std::vector{exact, small}, {raw, raw}, {exact, nothing}, {nothing}, {}})
    CHECK(ScalesFor(inputs).empty());
  const std::vector inputs{raw, nothing, exact, small};
  const std::vector<CountScale> scales = ScalesFor(inputs);
  REQUIRE(scales.size() == 4);
  CHECK(scales[0].Of(Table::kCalls, 20) == 1000);
  CHECK(scales[1].Of(Table::kCalls, 20) == 20);
  CHECK(scales[2].Of(Table::kCalls, 20) == 20);
  CHECK(scales[3].Of(Table::kConditionals, 1) == 100);
  CHECK(scales[0].Of(Table::kSamples, 20) == 20);
  CHECK(scales[0].Of(Table::kMonitors, 20) == 20);
}

TEST_CASE("scaled counts are rounded, never become nothing, and saturate") {
  const CountScale scale{.to = 10, .from = 4};
  CHECK(scale.Of(Table::kCalls, 0) == 0);
  CHECK(scale.Of(Table::kCalls, 1) == 3);  // 2.5
  CHECK(scale.Of(Table::kVirtualInvokes, 2) == 5);
  CHECK(CountScale{.to = 1, .from = 1000}.Of(Table::kCalls, 1) == 1);
  CHECK(CountScale{.to = kMost, .from = 1}.Of(Table::kCalls, kMost) == kMost);
  CHECK(CountScale{.to = kMost, .from = kMost - 1}.Of(Table::kCalls, 5) == 5);
}

}  // namespace
}  // namespace iprof
