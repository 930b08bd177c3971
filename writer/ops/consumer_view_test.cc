#include "writer/ops/consumer_view.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"

namespace iprof {
namespace {

// One loop (2) called from main (1) at 7 and from area (3) at 4.
const char kTables[] =
    R"(,"callCountProfiles":[{"ctx":"2:0","records":[5]},{"ctx":"2:0<1:7","records":[30]},)"
    R"({"ctx":"2:0<1:7<3:4","records":[100]}],)"
    R"("conditionalProfiles":[{"ctx":"2:3","records":[53,0,1,14,1,9]},)"
    R"({"ctx":"2:3<1:7","records":[53,0,8,14,1,2]}],)"
    R"("virtualInvokeProfiles":[{"ctx":"2:9","records":[11,3,12,1]}])";

struct World {
  Profile profile = ParseTables(kTables);
  MethodIndex main = MethodNamed(profile, "a.Main.main()void");
  MethodIndex loop = MethodNamed(profile, "a.Main.loop()void");
  MethodIndex area = MethodNamed(profile, "a.Shape.area()void");
  ConsumerView view{profile};

  BranchView BranchUnder(std::vector<Frame> callers) const { return view.Branch(loop, 3, callers); }
};

TEST_CASE("a method's calls are all of its contexts") {
  const World w;
  CHECK(w.view.Calls(w.loop).count == 135);
  const Frame main7[] = {{w.main, 7}};
  CHECK(w.view.Calls(w.loop, main7).count == 130);  // including entries that continue the chain
  const Frame deep[] = {{w.main, 7}, {w.area, 4}};
  CHECK(w.view.Calls(w.loop, deep).count == 100);
  const Frame deeper[] = {{w.main, 7}, {w.main, 1}};
  const CallView cut = w.view.Calls(w.loop, deeper);
  CHECK(cut.count == 30);  // the remaining executions, under the shorter chain
  CHECK(cut.match.callers_matched == 1);
  CHECK_FALSE(cut.match.exact);
  CHECK_FALSE(w.view.Calls(w.main).match.found);
}

TEST_CASE("branches: the most specific context answers") {
  const World w;
  const BranchView under = w.BranchUnder({{w.main, 7}});
  REQUIRE(under.outcomes.size() == 2);
  CHECK(under.match.exact);
  CHECK(under.outcomes[0].bci == 14);
  CHECK(under.outcomes[0].probability == Approx(0.2));
  const BranchView elsewhere = w.BranchUnder({{w.area, 4}});
  CHECK(elsewhere.match.callers_matched == 0);
  CHECK(elsewhere.outcomes[0].probability == Approx(0.9));
  // No chain: all entries, 1 + 8 of 20 to bci 53.
  CHECK(w.BranchUnder({}).outcomes[1].probability == Approx(0.45));
  CHECK(w.BranchUnder({}).total == 20);
  CHECK_FALSE(w.view.Branch(w.loop, 4).match.found);
}

std::vector<BranchView::Outcome> Outcomes(std::vector<Successor> s) { return ConsumerOutcomes(s); }

TEST_CASE("the consumer's arithmetic") {
  // Further keys of a switch are added to their index, in any order.
  const auto sw = Outcomes({{40, 0, 1}, {30, 1, 2}, {-5, 0, 3}, {20, 2, 4}});
  REQUIRE(sw.size() == 3);
  CHECK(sw[0].bci == 20);
  CHECK(sw[0].probability == Approx(0.4));
  CHECK(sw[2].probability == Approx(0.4));
  CHECK(sw[2].count == 4);
  // Zero becomes 1e-6, and the others are scaled down: the sum remains 1.
  const auto never = Outcomes({{9, 0, 0}, {4, 1, 10}});
  CHECK(never[1].probability == Approx(1e-6));
  CHECK(never[0].probability == Approx(1 - 1e-6).epsilon(1e-9));
  // If one bci has two indices, the last one wins.
  const auto twice = Outcomes({{9, 0, 1}, {9, 1, 3}});
  REQUIRE(twice.size() == 1);
  CHECK(twice[0].probability == Approx(0.75));
  CHECK(Outcomes({{9, 0, 0}, {4, 1, 0}}).empty());
  CHECK(Outcomes({{9, -1, 5}, {4, 1, 0}}).empty());
  CHECK(Outcomes({{9, kMaxSuccessorIndex + 1, 5}}).empty());
  CHECK(Outcomes({}).empty());
}

TEST_CASE("contexts that number a branch's successors differently are added by bci") {
  const Profile p =
      ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[53,0,1000,14,1,9000]},)"
                  R"({"ctx":"2:3<1:7","records":[14,0,9000,53,1,1000]}])");
  const BranchView view = ConsumerView(p).Branch(MethodNamed(p, "a.Main.loop()void"), 3);
  REQUIRE(view.outcomes.size() == 2);
  CHECK(view.match.entries == 2);
  CHECK(view.outcomes[0].bci == 14);
  CHECK(view.outcomes[0].probability == Approx(0.9));
  CHECK(view.total == 20000);
}

// CPU seconds to look up a switch of this many keys in two contexts, the least of five runs.
double SecondsToView(int64_t keys) {
  Profile p = ParseTables("");
  const MethodIndex loop = MethodNamed(p, "a.Main.loop()void");
  Successors list;
  for (int64_t i = 0; i < keys; ++i) list.push_back({i % 2 == 0 ? i : -5, i / 2, 1});
  const ContextIndex caller = p.AddContext(kNoContext, MethodNamed(p, "a.Main.main()void"), 7);
  p.AddSuccessors(p.AddContext(kNoContext, loop, 3), list);
  p.AddSuccessors(p.AddContext(caller, loop, 3), list);
  const ConsumerView view(p);
  double least = 1e9;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t start = std::clock();
    const BranchView branch = view.Branch(loop, 3);
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    REQUIRE(branch.total == 2 * keys);
    REQUIRE(branch.outcomes.size() == static_cast<size_t>(keys) / 2);
  }
  return least;
}

TEST_CASE("a long record takes time in proportion") {
  // Four times the keys would take 16 times the time with a quadratic search.
  CHECK(SecondsToView(64000) < 10 * SecondsToView(16000));
}

TEST_CASE("receivers are scaled to 1") {
  const World w;
  const Frame callers[] = {{w.main, 7}};
  const ReceiverView view = w.view.Receivers(Table::kVirtualInvokes, w.loop, 9, callers);
  REQUIRE(view.receivers.size() == 2);
  CHECK(view.match.found);
  CHECK(w.profile.TypeName(view.receivers[0].type) == "a.Shape");
  CHECK(view.receivers[0].probability == Approx(0.75));
  CHECK_FALSE(w.view.Receivers(Table::kVirtualInvokes, w.loop, 10).match.found);
}

TEST_CASE("every record is found in its own context") {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const Profile p = MakeRandomProfile(seed);
    const ConsumerView view(p);
    for (const EntryIndex entry : EntriesOf(p, Table::kConditionals)) {
      std::vector<Frame> frames = p.Frames(p.EntryContext(Table::kConditionals, entry));
      const Frame innermost = frames.front();
      frames.erase(frames.begin());
      const BranchView branch = view.Branch(innermost.method, innermost.bci, frames);
      REQUIRE(branch.match.exact);
      REQUIRE(branch.match.callers_matched == frames.size());
      REQUIRE(branch.total >= p.EntryTotal(Table::kConditionals, entry));
      if (branch.match.entries != 1) continue;
      const auto alone = ConsumerOutcomes(p.EntrySuccessors(entry));
      REQUIRE(branch.match.found == !alone.empty());
      REQUIRE(branch.outcomes.size() == alone.size());
    }
  }
}

}  // namespace
}  // namespace iprof
