#include "writer/ops/overlap.h"

#include <catch2/catch.hpp>

#include "writer/ops/merge.h"
#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"

namespace iprof {
namespace {

TEST_CASE("overlap by hand") {
  const Profile a = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[25]},{"ctx":"2:0","records":[75]}])");
  const Profile b = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[6]},{"ctx":"3:0","records":[4]}],)"
      R"("monitorProfiles":[{"ctx":"0:0","records":[10,1]}])");
  const ProfileOverlap overlap = ComputeOverlap(a, b, "a.Main");
  REQUIRE(overlap.tables.size() == kTableCount);
  const TableOverlap& calls = overlap.tables[0];
  CHECK(*calls.overlap == Approx(0.25));  // min(25/100, 6/10)
  CHECK(calls.keys_in_both == 1);
  CHECK(calls.keys_only_in_a == 1);
  CHECK(calls.keys_only_in_b == 1);
  CHECK_FALSE(overlap.tables[1].overlap);  // in neither
  CHECK(*overlap.tables[3].overlap == 0);  // in one
  REQUIRE(overlap.methods.size() == 2);    // loop, main: by name
  CHECK(*overlap.methods[0].tables[0].overlap == 0);
  CHECK(overlap.methods[1].method == "a.Main.main()void");
  CHECK(*overlap.methods[1].tables[0].overlap == 1);  // equal within the method
}

TEST_CASE("overlap is split by how sure the methods are in the less sure profile") {
  const auto calls = [](int main, int loop) {
    return ParseTables(R"(,"callCountProfiles":[{"ctx":"1:0","records":[)" + std::to_string(main) +
                       R"(]},{"ctx":"2:0","records":[)" + std::to_string(loop) +
                       R"(]},{"ctx":"3:0","records":[30]}],)" +
                       R"("samplingProfiles":[{"ctx":"2:0","records":[1]}])");
  };
  const Profile truth = calls(10, 20);
  CHECK(ComputeOverlap(truth, calls(10, 60)).by_sureness.empty());
  Profile estimated = calls(10, 60);
  for (const char* method : {"a.Main.loop()void", "a.Shape.area()void"})
    estimated.AddSureness(MethodNamed(estimated, method), Sureness::EstimatedFrom(64));
  const ProfileOverlap overlap = ComputeOverlap(truth, estimated);
  REQUIRE(overlap.by_sureness.size() == 2);
  const SurenessOverlap& exact = overlap.by_sureness[0];
  CHECK(exact.sureness == Sureness::Kind::kExact);
  REQUIRE(exact.tables.size() == 1);
  CHECK(*exact.tables[0].overlap == 1);
  const SurenessOverlap& rest = overlap.by_sureness[1];
  CHECK(rest.sureness == Sureness::Kind::kEstimated);
  REQUIRE(rest.tables.size() == 1);  // no samples
  CHECK(*rest.tables[0].overlap == Approx(20.0 / 50 + 30.0 / 90));
  CHECK(rest.tables[0].total_b == 90);
}

TEST_CASE("branches overlap by bci, with any order and numbers of their successors") {
  const auto overlap = [](const Profile& a, const Profile& b) {
    return ComputeOverlap(a, b).tables[static_cast<size_t>(Table::kConditionals)];
  };
  const auto branch = [](const std::string& records) {
    return ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[)" + records + "]}]");
  };
  const TableOverlap same = overlap(branch("53,0,1000,14,1,9000"), branch("14,0,9,53,1,1"));
  CHECK(*same.overlap == Approx(1));
  CHECK(same.keys_in_both == 2);
  CHECK(*overlap(branch("53,0,10,14,1,90"), branch("14,0,70,53,1,30")).overlap == Approx(0.8));
  // Keys of a switch that lead to the same target are one outcome.
  CHECK(*overlap(branch("40,0,1,30,1,6,-5,0,3"), branch("30,0,6,40,1,4")).overlap == Approx(1));
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    RepeatableRandom random(seed);
    const Profile a = MakeBranchProfile(random);
    const Profile b = RenumberedProfile(a, random);
    const Profile c = MakeBranchProfile(random);
    const TableOverlap ab = overlap(a, b);
    if (ab.overlap) REQUIRE(*ab.overlap == Approx(1));
    REQUIRE(ab.keys_only_in_a + ab.keys_only_in_b == 0);
    const TableOverlap ac = overlap(a, c);
    const TableOverlap bc = overlap(b, c);
    REQUIRE(ac.overlap.has_value() == bc.overlap.has_value());
    if (ac.overlap) REQUIRE(*ac.overlap == Approx(*bc.overlap));
  }
}

TEST_CASE("a profile overlaps itself and its multiples fully; overlap is symmetric") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const Profile a = MakeRandomProfile(2 * seed);
    const Profile b = MakeRandomProfile(2 * seed + 1);
    for (const TableOverlap& o : ComputeOverlap(a, a).tables) {
      if (o.overlap) REQUIRE(*o.overlap == Approx(1));
      REQUIRE(o.keys_only_in_a + o.keys_only_in_b == 0);
    }
    const ProfileOverlap ab = ComputeOverlap(a, b);
    const ProfileOverlap ba = ComputeOverlap(b, a);
    for (size_t t = 0; t < kTableCount; ++t) {
      REQUIRE(ab.tables[t].overlap.has_value() == ba.tables[t].overlap.has_value());
      if (!ab.tables[t].overlap) continue;
      REQUIRE(*ab.tables[t].overlap == Approx(*ba.tables[t].overlap));
      REQUIRE(*ab.tables[t].overlap >= 0);
      REQUIRE(*ab.tables[t].overlap <= 1);
    }
  }
}

}  // namespace
}  // namespace iprof
