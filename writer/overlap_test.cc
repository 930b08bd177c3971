#include "writer/overlap.h"

#include <catch2/catch.hpp>

#include "writer/merge.h"
#include "writer/operations_test_profiles.h"
#include "writer/sample_profiles.h"

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
  CHECK(*overlap.methods[1].tables[0].overlap == 1);  // within the method all is equal
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
