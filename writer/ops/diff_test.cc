#include "writer/ops/diff.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <iterator>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"

namespace iprof {
namespace {

// Nothing is too small, and nothing is chance.
constexpr DiffOptions kEverything{.threshold = 0, .min_weight = 0, .chance = 0};
constexpr DiffOptions kNoChance{.min_weight = 0, .chance = 0};

TEST_CASE("a changed branch in hot code comes before a reversed one in cold code") {
  const Profile a =
      ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[53,0,900,14,1,100]},)"
                  R"({"ctx":"2:9","records":[70,0,1,80,1,0]}])");
  const Profile b =
      ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[53,0,700,14,1,300]},)"
                  R"({"ctx":"2:9","records":[70,0,0,80,1,1]}])");
  const ProfileDiff diff = DiffProfiles(a, b, kNoChance);
  REQUIRE(diff.items.size() == 2);
  CHECK(diff.items[0].context == "a.Main.loop()void:3");
  CHECK(diff.items[0].movement == Approx(0.2));
  CHECK(diff.items[0].outcomes[0].share_a ==
        Approx(0.9 * (diff.items[0].outcomes[0].name == "bci 53") +
               0.1 * (diff.items[0].outcomes[0].name == "bci 14")));
  CHECK(diff.items[1].movement == Approx(1));
  CHECK(diff.items[0].importance > diff.items[1].importance);
  CHECK(DiffProfiles(a, b, {.threshold = 0.5, .min_weight = 0, .chance = 0}).items.size() == 1);
}

TEST_CASE("items that only one profile has, and shares that changed") {
  const Profile a = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[50]},{"ctx":"2:0","records":[50]}],)"
      R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[11,3,12,1]}])");
  const Profile b = Parse(
      R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
      R"({"id":12,"name":"a.Circle"},{"id":11,"name":"a.Shape"},{"id":13,"name":"a.New"}],"methods":[)"
      R"({"id":1,"name":"main","signature":[10,8]},{"id":5,"name":"other","signature":[13,8]},)"
      R"({"id":2,"name":"loop","signature":[10,8]}],"callCountProfiles":[{"ctx":"1:0","records":[75]},)"
      R"({"ctx":"5:0","records":[25]}],"virtualInvokeProfiles":[{"ctx":"2:7","records":[12,4]}]})");
  const ProfileDiff diff = DiffProfiles(a, b, kNoChance);
  REQUIRE(diff.items.size() == 4);
  CHECK(diff.items[0].table == Table::kVirtualInvokes);
  CHECK(diff.items[0].movement == Approx(0.75));
  CHECK(diff.items[1].kind == DiffKind::kOnlyInA);
  CHECK(diff.items[1].context == "a.Main.loop()void:0");
  CHECK(diff.items[2].importance == Approx(0.25));
  CHECK(diff.methods_only_in_a ==
        std::vector<std::string>{"a.Circle.area()void", "a.Shape.area()void"});
  CHECK(diff.methods_only_in_b == std::vector<std::string>{"a.New.other()void"});
  CHECK(diff.types_only_in_b == std::vector<std::string>{"a.New"});
}

TEST_CASE("positions of other code are not compared, calls and samples by method are") {
  const auto with_code = [](uint64_t hash, const std::string& calls, const std::string& records) {
    Profile profile =
        ParseTables(R"(,"callCountProfiles":[{"ctx":"2:0","records":[)" + calls +
                    R"(]},{"ctx":"3:0","records":[50]},{"ctx":"4:0<2:7","records":[)" + calls +
                    R"(]}],"conditionalProfiles":[{"ctx":"2:3","records":[)" + records +
                    R"(]},{"ctx":"1:3","records":[)" + records + R"(]}],)" +
                    R"("samplingProfiles":[{"ctx":"3:2<2:7","records":[)" + calls +
                    R"(]},{"ctx":"1:2","records":[50]}])");
    if (hash != 0) profile.SetCodeHash(MethodNamed(profile, "a.Main.loop()void"), hash);
    return profile;
  };
  constexpr uint64_t kOld = uint64_t{1} << 40;
  constexpr uint64_t kNew = uint64_t{2} << 40;
  const auto differences = [&](uint64_t hash_a, uint64_t hash_b) {
    const Profile a = with_code(hash_a, "50", "53,0,90,14,1,10");
    const Profile b = with_code(hash_b, "10", "53,0,10,14,1,90");
    std::vector<std::string> found;
    for (const DiffItem& item : DiffProfiles(a, b, kNoChance).items) {
      const char* const scope = item.scope == DiffScope::kEntry  ? ""
                                : item.scope == DiffScope::kLeaf ? " leaf"
                                                                 : " any";
      found.push_back(std::to_string(static_cast<int>(item.table)) + " " + item.context + scope);
    }
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto all = differences(kOld, kOld);
  const auto comparable = differences(kOld, kNew);
  CHECK(differences(0, kNew) == all);
  CHECK(differences(0, 0) == all);
  std::vector<std::string> left_out;
  std::set_difference(all.begin(), all.end(), comparable.begin(), comparable.end(),
                      std::back_inserter(left_out));
  const auto of = [](Table table, const std::string& what) {
    return std::to_string(static_cast<int>(table)) + " " + what;
  };
  std::vector<std::string> expected = {
      of(Table::kCalls, "a.Circle.area()void:0 < a.Main.loop()void:7"),
      of(Table::kConditionals, "a.Main.loop()void:3"),
      of(Table::kSamples, "a.Shape.area()void:2 < a.Main.loop()void:7")};
  std::sort(expected.begin(), expected.end());
  CHECK(left_out == expected);
  CHECK(std::includes(all.begin(), all.end(), comparable.begin(), comparable.end()));
  CHECK(std::count(comparable.begin(), comparable.end(),
                   of(Table::kConditionals, "a.Main.main()void:3")) == 1);
  CHECK(std::count(comparable.begin(), comparable.end(),
                   of(Table::kCalls, "a.Main.loop()void:0")) == 1);
  CHECK(std::count(comparable.begin(), comparable.end(),
                   of(Table::kSamples, "a.Main.loop()void any")) == 1);
}

TEST_CASE("another order or numbering of successors is no difference") {
  const auto branch = [](const std::string& records) {
    return ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[)" + records + "]}]");
  };
  CHECK(DiffProfiles(branch("53,0,1000,14,1,9000"), branch("14,0,9,53,1,1"), kEverything)
            .items.empty());
  const ProfileDiff moved =
      DiffProfiles(branch("53,0,10,14,1,90"), branch("14,0,70,53,1,30"), kNoChance);
  REQUIRE(moved.items.size() == 1);
  CHECK(moved.items[0].movement == Approx(0.2));
  REQUIRE(moved.items[0].outcomes.size() == 2);
  CHECK(moved.items[0].outcomes[0].name == "bci 14");
  CHECK(moved.items[0].outcomes[0].share_b == Approx(0.7));
  // Several triples of one target mean the same as one triple with the sum.
  CHECK(DiffProfiles(branch("14,0,90,14,1,10"), branch("14,0,100"), kEverything).items.empty());
  CHECK(DiffProfiles(branch("40,0,1,30,1,2,-5,0,3"), branch("40,0,4,30,1,2"), kEverything)
            .items.empty());
  const ProfileDiff meets =
      DiffProfiles(branch("14,0,90,14,1,10"), branch("53,0,90,14,1,10"), kNoChance);
  REQUIRE(meets.items.size() == 1);
  CHECK(meets.items[0].movement == Approx(0.9));
  CHECK(meets.items[0].outcomes[0].name == "bci 14");
  CHECK(meets.items[0].outcomes[0].share_a == Approx(1.0));

  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    RepeatableRandom random(seed);
    const Profile a = MakeBranchProfile(random);
    const Profile b = RenumberedProfile(a, random);
    REQUIRE(DiffProfiles(a, b, kEverything).items.empty());
    // Comparing either with a third profile gives the same result.
    const Profile c = MakeBranchProfile(random);
    const ProfileDiff ac = DiffProfiles(a, c, kEverything);
    const ProfileDiff bc = DiffProfiles(b, c, kEverything);
    REQUIRE(ac.items.size() == bc.items.size());
    for (size_t i = 0; i < ac.items.size(); ++i) {
      REQUIRE(ac.items[i].movement == Approx(bc.items[i].movement));
    }
  }
}

TEST_CASE("changes of a branch are those that the consumer sees with one triple per target") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    RepeatableRandom random(seed);
    const Profile a = WithOneTripleEach(MakeBranchProfile(random));
    const Profile b = WithOneTripleEach(MakeBranchProfile(random));
    const ConsumerView view_a(a);
    const ConsumerView view_b(b);
    for (const DiffItem& item : DiffProfiles(a, b, kEverything).items) {
      if (item.kind != DiffKind::kMoved) continue;
      const Bci bci = std::stoi(item.context.substr(item.context.rfind(':') + 1));
      const auto shares = [&](const Profile& profile, const ConsumerView& view) {
        std::map<std::string, double> found;
        for (const auto& o : view.Branch(MethodNamed(profile, "a.Main.loop()void"), bci).outcomes) {
          found["bci " + std::to_string(o.bci)] = o.probability;
        }
        return found;
      };
      auto in_a = shares(a, view_a);
      auto in_b = shares(b, view_b);
      for (const DiffOutcome& o : item.outcomes) {
        if (o.name == "no bci") continue;
        REQUIRE(o.share_a == Approx(in_a[o.name]).margin(1e-4));
        REQUIRE(o.share_b == Approx(in_b[o.name]).margin(1e-4));
      }
    }
  }
}

TEST_CASE("no difference to itself; sides swap") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const Profile a = MakeRandomProfile(2 * seed);
    const Profile b = MakeRandomProfile(2 * seed + 1);
    REQUIRE(DiffProfiles(a, a, kEverything).items.empty());
    const ProfileDiff ab = DiffProfiles(a, b, kEverything);
    const ProfileDiff ba = DiffProfiles(b, a, kEverything);
    REQUIRE(ab.items.size() == ba.items.size());
    REQUIRE(ab.methods_only_in_a == ba.methods_only_in_b);
    for (size_t i = 0; i < ab.items.size(); ++i) {
      REQUIRE(ab.items[i].importance == Approx(ba.items[i].importance));
      if (i > 0) REQUIRE(ab.items[i - 1].importance >= ab.items[i].importance);
      REQUIRE(ab.items[i].movement <= 1);
    }
  }
}

std::string Branch(int64_t taken, int64_t other) {
  return R"(,"conditionalProfiles":[{"ctx":"2:3","records":[53,0,)" + std::to_string(taken) +
         ",14,1," + std::to_string(other) + "]}]";
}

std::string Calls(int64_t main, int64_t loop, int64_t area) {
  const auto entry = [](int id, int64_t count) {
    return R"({"ctx":")" + std::to_string(id) + R"(:0","records":[)" + std::to_string(count) + "]}";
  };
  return R"(,"callCountProfiles":[)" + entry(1, main) + "," + entry(2, loop) + "," +
         entry(3, area) + "]";
}

size_t Differences(const std::string& a, const std::string& b, const DiffOptions& options = {}) {
  const size_t there = DiffProfiles(ParseTables(a), ParseTables(b), options).items.size();
  CHECK(DiffProfiles(ParseTables(b), ParseTables(a), options).items.size() == there);
  return there;
}

TEST_CASE("what chance explains is no difference, and the same shares of more executions are one") {
  CHECK(Differences(Branch(9, 1), Branch(7, 3)) == 0);
  CHECK(Differences(Branch(9'000, 1'000), Branch(7'000, 3'000)) == 1);
  CHECK(Differences(Branch(9, 1), Branch(7, 3), {.chance = 0}) == 1);
  CHECK(Differences(Branch(1, 0), Branch(0, 1)) == 0);
}

TEST_CASE("chance is less than one in a hundred for all entries of a table together") {
  // A thousand fair branches, executed a hundred times in each of two profiles.
  RepeatableRandom random(5);
  const auto make = [&] {
    Profile profile = ParseTables("");
    for (Bci bci = 0; bci < 1000; ++bci) {
      int64_t taken = 0;
      for (int run = 0; run < 100; ++run) taken += static_cast<int64_t>(random.Below(2));
      profile.AddSuccessors(profile.AddContext(kNoContext, MethodIndex{0}, bci),
                            std::vector<Successor>{{2000, 0, taken}, {3000, 1, 100 - taken}});
    }
    return profile;
  };
  size_t differ = 0;
  for (int pair = 0; pair < 20; ++pair) {
    const Profile a = make();
    const Profile b = make();
    if (!DiffProfiles(a, b).items.empty()) ++differ;
    CHECK(DiffProfiles(a, b, kNoChance).items.size() > 100);
  }
  CHECK(differ <= 1);
}

TEST_CASE("a longer run of the same loop is no difference") {
  // main and loop are of the start-up.
  CHECK(Differences(Calls(1'000, 50'000, 1'000'000), Calls(1'000, 50'000, 3'000'000)) == 0);
  CHECK(Differences(Calls(1'000, 50'000, 1'000'000), Calls(3'000, 150'000, 3'000'000)) == 0);
  CHECK(Differences(Calls(1'000, 50'000, 1'000'000), Calls(1'000, 200'000, 1'000'000)) == 1);
  CHECK(Differences(Calls(1'000, 50'000, 1'000'000), Calls(1'000, 5'000, 1'000'000)) == 1);
}

TEST_CASE("entries of little weight are left out") {
  CHECK(Differences(Calls(1'000'000, 500, 10), Calls(1'000'000, 900, 10)) == 0);
  CHECK(Differences(Calls(1'000'000, 500, 10), Calls(1'000'000, 900, 10), {.min_weight = 0.0001}) ==
        1);
}

TEST_CASE("samples are also compared by leaf and by method") {
  // Each stack has few samples: the leaf is in area, called from many places in loop.
  const auto stacks = [](int in_area, int in_loop) {
    std::string text = R"(,"samplingProfiles":[)";
    for (int bci = 0; bci < 200; ++bci) {
      text += (bci == 0 ? "" : ",") + std::string(R"({"ctx":"3:1<2:)") + std::to_string(bci) +
              R"(<1:5","records":[)" + std::to_string(in_area) + R"(]},{"ctx":"2:)" +
              std::to_string(bci) + R"(<1:5","records":[)" + std::to_string(in_loop) + "]}";
    }
    return text + "]";
  };
  CHECK(Differences(stacks(3, 3), stacks(3, 3)) == 0);
  const ProfileDiff diff = DiffProfiles(ParseTables(stacks(4, 2)), ParseTables(stacks(2, 4)));
  std::vector<std::string> found;
  for (const DiffItem& item : diff.items) {
    CHECK(item.table == Table::kSamples);
    found.push_back((item.scope == DiffScope::kLeaf ? "leaf " : "method ") + item.context);
  }
  CHECK(found == std::vector<std::string>{"leaf a.Main.loop()void", "leaf a.Shape.area()void"});
  REQUIRE(diff.items.size() == 2);
  CHECK(diff.items[0].movement == Approx(0.5));
}

TEST_CASE("samples that stand for several intervals have a larger error") {
  const auto samples = [](int in_area, int in_loop, const std::string& statistics) {
    return R"(,"samplingProfiles":[{"ctx":"3:1","records":[)" + std::to_string(in_area) +
           R"(]},{"ctx":"2:1","records":[)" + std::to_string(in_loop) + "]}]" + statistics;
  };
  const auto statistics = [](int signals) {
    return R"(,"iprofagent":{"version":1,"sampling":{"event":"cpu","intervalNs":1000000,"signals":)" +
           std::to_string(signals) + R"(,"good":)" + std::to_string(signals) +
           R"(,"goodWeight":600}})";
  };
  const auto differences = [&](const std::string& statistics_of_both) {
    return Differences(samples(300, 300, statistics_of_both),
                       samples(400, 200, statistics_of_both));
  };
  CHECK(differences("") > 0);
  CHECK(differences(statistics(600)) > 0);
  CHECK(differences(statistics(150)) == 0);
}

TEST_CASE("a file that claims endless samples is compared at once") {
  const auto samples = [](const std::string& good) {
    return R"(,"samplingProfiles":[{"ctx":"3:1","records":[9223372036854775807]}],"iprofagent":)"
           R"({"version":1,"sampling":{"event":"cpu","intervalNs":1000000,"good":)" +
           good + R"(,"recovered":)" + good + "}}";
  };
  for (const char* good : {"1000000000000000", "2305843009213693952", "9223372036854775807"})
    CHECK(Differences(samples(good), samples(good)) == 0);
}

TEST_CASE("a method without a sample in a short run may have been missed by chance") {
  const auto samples = [](int in_area, int in_loop) {
    const std::string area =
        in_area == 0 ? "" : R"({"ctx":"3:1","records":[)" + std::to_string(in_area) + "]},";
    return R"(,"samplingProfiles":[)" + area + R"({"ctx":"2:1","records":[)" +
           std::to_string(in_loop) + "]}]";
  };
  // A ninth of the run would have had three or four samples of 30, and ten of 90.
  CHECK(Differences(samples(0, 100), samples(30, 900)) == 0);
  CHECK(Differences(samples(30, 900), samples(0, 100)) == 0);
  CHECK(Differences(samples(0, 100), samples(90, 900)) > 0);
  CHECK(Differences(samples(90, 900), samples(0, 100)) > 0);
}

TEST_CASE("the classes of locked objects are compared as counts are") {
  const auto locks = [](int64_t a, int64_t b) {
    return R"(,"monitorProfiles":[{"ctx":"0:0","records":[11,)" + std::to_string(a) + ",12," +
           std::to_string(b) + "]}]";
  };
  CHECK(Differences(locks(100, 9'000), locks(100, 20'000)) == 0);
  CHECK(Differences(locks(100, 9'000), locks(5'000, 9'000)) == 1);
}

}  // namespace
}  // namespace iprof
