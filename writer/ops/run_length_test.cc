#include "writer/ops/run_length.h"

#include <catch2/catch.hpp>

#include "writer/ops/diff.h"
#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

std::string RunOf(const std::string& start, int64_t recorded_ms) {
  return R"(,"iprofagent":{"version":1,"provenance":{"runs":[{"run":")" + start +
         R"(","agent":"1","program":"app.jar","start":")" + start + R"(","recorded_ms":)" +
         std::to_string(recorded_ms) + "}]}}";
}

const std::string kMorning = "2026-11-24T08:00:00.000Z";
const std::string kNoon = "2026-11-24T12:00:00.000Z";

// Main does a start-up and loops: the start-up of 1000 calls makes area of Circle, which loops make, too. The start-up takes
// the branch in 9 of 10 cases, loops in 1 of 10.
Profile Made(const std::string& run, int64_t loops, int64_t loops_with_more = 0) {
  const auto text = [](int64_t number) { return std::to_string(number); };
  return ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[1000]},{"ctx":"2:0","records":[)" +
      text(loops) + R"(]},{"ctx":"3:0","records":[)" + text(300 + loops) +
      R"(]},{"ctx":"4:0","records":[)" + text(5 * loops) +
      R"(]}],"conditionalProfiles":[{"ctx":"2:3","records":[53,0,)" +
      text(9000 + loops + 8 * loops_with_more) + ",14,1," + text(1000 + 9 * loops) + "]}]" + run);
}

TEST_CASE("runs that claim to be endless do not overflow their sum") {
  const std::string run = R"({"agent":"1","program":"app.jar","start":")" + kMorning +
                          R"(","recorded_ms":9223372036854775807})";
  const std::string other = R"({"agent":"1","program":"app.jar","start":")" + kNoon +
                            R"(","recorded_ms":9223372036854775807})";
  const std::string endless =
      R"(,"iprofagent":{"version":1,"provenance":{"runs":[)" + run + "," + other + "]}}";
  CHECK(LongerOf(ParseTables(endless), ParseTables(RunOf(kMorning, 1000))) == LongerRun::kA);
}

TEST_CASE("which run was longer") {
  const auto longer = [](const std::string& a, const std::string& b) {
    return LongerOf(ParseTables(a), ParseTables(b));
  };
  CHECK(longer(RunOf(kMorning, 1000), RunOf(kMorning, 1010)) == LongerRun::kB);
  CHECK(longer(RunOf(kMorning, 1010), RunOf(kMorning, 1000)) == LongerRun::kA);
  CHECK(longer(RunOf(kMorning, 1000), RunOf(kMorning, 1000)) == LongerRun::kNeither);
  CHECK(longer(RunOf(kMorning, 1000), RunOf(kNoon, 1100)) == LongerRun::kNeither);
  CHECK(longer(RunOf(kMorning, 1000), RunOf(kNoon, 1300)) == LongerRun::kB);
  CHECK(longer(RunOf(kMorning, 1000), "") == LongerRun::kNeither);
  CHECK(longer("", "") == LongerRun::kNeither);
}

TEST_CASE("the growth of repeated work is that of what was added") {
  CHECK(GrowthOfRepeatedWork({}) == 1);
  CHECK(GrowthOfRepeatedWork({{1000, 1000}, {1000, 999}}) == 1);
  CHECK(GrowthOfRepeatedWork({{1000, 1000}, {10, 70}, {300, 360}, {20, 140}}) == 7);
  // What only one run did, and a little that grew much more.
  CHECK(GrowthOfRepeatedWork({{0, 1000}, {1000, 0}, {1000, 7000}, {1, 100}}) == 7);
}

TEST_CASE("two dumps of one server do not differ, however much is start-up") {
  for (const int64_t loops : {10, 100, 1000, 100000}) {
    INFO(loops);
    const Profile early = Made(RunOf(kMorning, 60000), loops);
    const Profile late = Made(RunOf(kMorning, 300000), 7 * loops);
    const DiffOptions options{.min_weight = 0, .chance = 0};
    CHECK(DiffProfiles(early, late, options).items.empty());
    CHECK(DiffProfiles(late, early, options).items.empty());
  }
}

TEST_CASE("without times, the start-up makes a difference") {
  CHECK_FALSE(DiffProfiles(Made("", 10), Made("", 70), {.chance = 0}).items.empty());
}

TEST_CASE("a longer run that does something else differs") {
  const Profile early = Made(RunOf(kMorning, 60000), 100000);
  const Profile changed = Made(RunOf(kNoon, 300000), 700000, 700000);
  const ProfileDiff diff = DiffProfiles(early, changed, {.chance = 0});
  REQUIRE(diff.items.size() == 1);
  CHECK(diff.items[0].table == Table::kConditionals);
  // From 1 of 10 to 9 of 18.
  CHECK(diff.items[0].movement == Approx(0.4).margin(0.05));
  const ProfileDiff back = DiffProfiles(changed, early, {.chance = 0});
  REQUIRE(back.items.size() == diff.items.size());
  for (size_t i = 0; i < diff.items.size(); ++i)
    CHECK(back.items[i].movement == Approx(diff.items[i].movement));
}

}  // namespace
}  // namespace iprof
