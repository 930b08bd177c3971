#include "writer/flow/uncounted_flow.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "writer/flow/flow_solver.h"

namespace iprof {
namespace {

constexpr double kNoLimit = 1e12;

TEST_CASE("what comes from outside grows like what calls explain", "[uncounted_flow]") {
  // The example of the header: f and g usually have 500 and 1,650 calls.
  const auto total = SettleUncounted(
      {.methods = {{.explained = 1000, .usual_explained = 500, .outside = 50, .most = kNoLimit},
                   {.explained = 0, .usual_explained = 1650, .most = kNoLimit}},
       .edges = {{0, 1, 3}}});
  CHECK(total[0] == Approx(1100).epsilon(1e-3));
  CHECK(total[1] == Approx(3300).epsilon(1e-3));
}

TEST_CASE("only entries that were not counted call on", "[uncounted_flow]") {
  // 40 of 100 entries were counted, and their calls, too.
  const auto total = SettleUncounted(
      {.methods = {{.counted = 40, .explained = 100, .usual_explained = 100, .most = kNoLimit},
                   {.explained = 80, .usual_explained = 200, .most = kNoLimit}},
       .edges = {{0, 1, 2}}});
  CHECK(total[0] == Approx(100));
  CHECK(total[1] == Approx(80 + 60 * 2));
}

TEST_CASE("a settled method has what was counted, and no more", "[uncounted_flow]") {
  const auto total =
      SettleUncounted({.methods = {{.explained = 10, .usual_explained = 10, .most = kNoLimit},
                                   {.is_settled = true, .counted = 7}},
                       .edges = {{0, 1, 5}, {1, 0, 5}}});
  CHECK(total[0] == Approx(10));  // a settled method misses no entries
  CHECK(total[1] == 7);
}

TEST_CASE("recursion adds up", "[uncounted_flow]") {
  // Half of the entries of f come from f itself, and a third of those of g by way of h.
  const auto total =
      SettleUncounted({.methods = {{.explained = 10, .usual_explained = 20, .most = kNoLimit},
                                   {.explained = 20, .usual_explained = 30, .most = kNoLimit},
                                   {.explained = 0, .usual_explained = 10, .most = kNoLimit}},
                       .edges = {{0, 0, 0.5}, {1, 2, 1. / 3}, {2, 1, 1}}});
  CHECK(total[0] == Approx(20).epsilon(1e-4));
  CHECK(total[1] == Approx(30).epsilon(1e-4));
  CHECK(total[2] == Approx(10).epsilon(1e-4));
}

TEST_CASE("a cycle that multiplies ends at its limit, and long ways are followed to their ends",
          "[uncounted_flow]") {
  const auto fed =
      SettleUncounted({.methods = {{.explained = 1, .usual_explained = 1, .most = 1000},
                                   {.explained = 0, .usual_explained = 1, .most = 1000}},
                       .edges = {{0, 1, 2}, {1, 0, 2}}});
  CHECK(fed[0] == 1000);
  CHECK(fed[1] == 1000);
  const auto self =
      SettleUncounted({.methods = {{.explained = 1, .usual_explained = 1, .most = 2 * kMostTotal}},
                       .edges = {{0, 0, 5}}});
  CHECK(self[0] == Approx(1e6));

  UncountedFlow chain;
  for (uint32_t m = 0; m < 1000; ++m) {
    chain.methods.push_back({.explained = m == 999 ? 5. : 0., .most = kNoLimit});
    if (m > 0) chain.edges.push_back({m, m - 1, 1});  // against the order of the rounds
  }
  CHECK(SettleUncounted(chain)[0] == Approx(5));
}

TEST_CASE("nothing is nothing", "[uncounted_flow]") {
  CHECK(SettleUncounted({}).empty());
  const auto total = SettleUncounted({.methods = {{}}, .edges = {}});
  CHECK(total[0] == 0);
}

}  // namespace
}  // namespace iprof
