#include "writer/flow/receiver_split.h"

#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

namespace iprof {
namespace {

using Rows = std::vector<std::pair<uint32_t, uint64_t>>;

struct Divided {
  std::map<uint32_t, double> shares;
  double rest = 0;
};

// Class 1 runs method 10, classes 2 and 3 run 20, class 4 nothing that matters, and class 5 is not known.
Divided Divide(const Rows& rows, uint64_t lost, double calls, double at_least) {
  const std::map<uint32_t, RunByReceiver> runs{{1, {.is_known = true, .method = 10}},
                                               {2, {.is_known = true, .method = 20}},
                                               {3, {.is_known = true, .method = 20}},
                                               {4, {.is_known = true, .method = {}}},
                                               {5, {.is_known = false, .method = {}}}};
  Divided made;
  made.rest = SplitByReceivers(
                  rows, lost, at_least, [&](uint32_t klass) { return runs.at(klass); },
                  [&](uint32_t method, double share) { made.shares[method] += share; })
                  .Of(calls);
  return made;
}

TEST_CASE("classes that run one method share it", "[receiver_split]") {
  const Divided made = Divide({{1, 60}, {2, 30}, {3, 6}, {4, 4}}, 0, 100, 100);
  CHECK(made.shares.at(10) == Approx(0.6));
  CHECK(made.shares.at(20) == Approx(0.36));
  CHECK(made.rest == 0);
}

TEST_CASE("what was lost, what is not known and calls without an object are the rest",
          "[receiver_split]") {
  const Divided made = Divide({{1, 50}, {5, 20}}, 10, 100, 100);
  CHECK(made.shares.at(10) == Approx(0.5));
  CHECK(made.rest == Approx(50));
  CHECK(Divide({}, 0, 7, 7).rest == 7);
}

TEST_CASE("where objects stopped to be counted, they divide all calls", "[receiver_split]") {
  const Divided made = Divide({{1, 60}, {2, 30}}, 10, 200, 0);
  CHECK(made.shares.at(10) == Approx(0.6));
  CHECK(made.shares.at(20) == Approx(0.3));
  CHECK(made.rest == Approx(20));
  CHECK(Divide({}, 0, 7, 0).rest == 0);
  CHECK(Divide({{1, 0}}, 0, 7, 0).shares.empty());
}

TEST_CASE("more objects than calls shrink in proportion", "[receiver_split]") {
  const Divided made = Divide({{1, 150}, {2, 30}}, 20, 100, 100);
  CHECK(made.shares.at(10) == Approx(0.75));
  CHECK(made.shares.at(20) == Approx(0.15));
  CHECK(made.rest == Approx(10));
}

}  // namespace
}  // namespace iprof
