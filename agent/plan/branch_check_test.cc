#include "agent/plan/branch_check.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {
namespace {

BranchCheck Compared(std::vector<uint64_t> truth, std::vector<uint64_t> written) {
  BranchCheck check;
  check.Compare("A.f()V bci 7", truth, written);
  return check;
}

TEST_CASE("inverted: 70 % went one way, and less than half is written there") {
  const BranchCheck turned = Compared({534, 700}, {0, 534});
  CHECK(turned.inverted == 0);  // the true share was less than 70 %
  CHECK(turned.off == 1);
  const BranchCheck clear = Compared({1534, 0}, {0, 1534});
  CHECK(clear.inverted == 1);
  CHECK(clear.off == 1);
  CHECK(clear.largest_points == Approx(100));
  REQUIRE(clear.examples.size() == 1);
  CHECK(clear.examples[0] == "A.f()V bci 7: counted 1534:0, derived 0:1534");
}

TEST_CASE("off: more than one point") {
  CHECK(Compared({500, 500}, {509, 491}).off == 0);
  CHECK(Compared({500, 500}, {511, 489}).off == 1);
  CHECK(Compared({500, 500}, {511, 489}).inverted == 0);
  // Only shares matter, and a switch has more than two ways.
  CHECK(Compared({600, 300, 100}, {6000, 3000, 1000}).off == 0);
  CHECK(Compared({600, 300, 100}, {600, 280, 120}).off == 1);
}

TEST_CASE("branches with few executions are not looked at") {
  const BranchCheck few = Compared({999, 0}, {0, 999});
  CHECK(few.compared == 0);
  CHECK(few.off == 0);
  CHECK(Compared({1000, 0}, {0, 1000}).inverted == 1);
  // All counts are written as 0.
  CHECK(Compared({1000, 0}, {0, 0}).inverted == 1);
}

}  // namespace
}  // namespace iprof::instrument
