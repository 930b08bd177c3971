// What a merge does with a method that has different code in its inputs.
#include "writer/ops/method_versions.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "writer/ops/merge.h"
#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/run_note.h"

namespace iprof {
namespace {

constexpr uint64_t kOld = uint64_t{1} << 40;
constexpr uint64_t kNew = uint64_t{2} << 40;
constexpr uint64_t kOther = uint64_t{3} << 40;

// a.Main.loop with so many calls, an `if` at 3 that goes to `target`, and receivers at 7.
Profile Version(uint64_t hash, int calls, int target) {
  const std::string count = std::to_string(calls);
  Profile profile = ParseTables(R"(,"callCountProfiles":[{"ctx":"2:0","records":[)" + count +
                                R"(]}],"conditionalProfiles":[{"ctx":"2:3","records":[)" +
                                std::to_string(target) + ",0," + count + R"(,6,1,1]}],)" +
                                R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[11,)" + count +
                                "]}]," + R"("samplingProfiles":[{"ctx":"2:3<1:2","records":[1]}])");
  profile.SetCodeHash(MethodNamed(profile, "a.Main.loop()void"), hash);
  profile.SetCodeHash(MethodNamed(profile, "a.Main.main()void"), kOther);  // the same in all
  return profile;
}

Profile RecordedAt(Profile profile, int64_t end_ms) {
  RunNote run;
  run.end_ms = end_ms;
  RunList runs;
  runs.Add(run);
  SetAgentPart(profile, kProvenancePart, runs.ToJson());
  return profile;
}

struct Merged {
  Profile profile;
  VersionReport report;
};

Merged Merge(const std::vector<Profile>& inputs,
             PreferredVersion preferred = PreferredVersion::kHeaviest) {
  ProfileMerger merger(preferred);
  for (const Profile& input : inputs) merger.Add(input);
  Profile profile = merger.Finish();
  return {std::move(profile), merger.versions()};
}

template <typename... Profiles>
std::vector<Profile> List(Profiles... profiles) {
  std::vector<Profile> list;
  (list.push_back(std::move(profiles)), ...);
  return list;
}

// The target bcis of the `if`, with counts: "53:10 6:1".
std::string Branch(const Profile& profile) {
  std::string text;
  REQUIRE(profile.entry_count(Table::kConditionals) == 1);
  for (const Successor& s : profile.EntrySuccessors(EntryIndex{0})) {
    text += (text.empty() ? "" : " ") + std::to_string(s.bci) + ":" + std::to_string(s.count);
  }
  return text;
}

TEST_CASE("equal code is added up") {
  const Merged merged = Merge(List(Version(kOld, 5, 53), Version(kOld, 7, 53)));
  CHECK(Branch(merged.profile) == "53:12 6:2");
  CHECK(merged.profile.Total(Table::kVirtualInvokes) == 12);
  CHECK(merged.report.methods == 0);
  CHECK(merged.profile.CodeHash(MethodNamed(merged.profile, "a.Main.loop()void")) == kOld);
}

TEST_CASE("of different code the heaviest version keeps its positions, and calls add up") {
  const Merged merged = Merge(List(Version(kOld, 5, 53), Version(kNew, 7, 40)));
  CHECK(Branch(merged.profile) == "40:7 6:1");
  CHECK(merged.profile.Total(Table::kVirtualInvokes) == 7);
  CHECK(merged.profile.Total(Table::kCalls) == 12);
  CHECK(merged.profile.Total(Table::kSamples) == 2);
  CHECK(merged.report.methods == 1);
  CHECK(merged.report.examples == std::vector<std::string>{"a.Main.loop()void"});
  CHECK(merged.profile.CodeHash(MethodNamed(merged.profile, "a.Main.loop()void")) == kNew);
}

// The stacks of the samples, with counts: "loop:3<main:2 1".
std::vector<std::string> Stacks(const Profile& profile) {
  std::vector<std::string> stacks;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::string text;
    for (const Frame frame : profile.Frames(profile.EntryContext(Table::kSamples, entry))) {
      text += (text.empty() ? "" : "<") + std::string(profile.MethodName(frame.method)) + ":" +
              std::to_string(frame.bci);
    }
    stacks.push_back(text + " " + std::to_string(profile.EntryCount(Table::kSamples, entry)));
  }
  std::sort(stacks.begin(), stacks.end());
  return stacks;
}

using Texts = std::vector<std::string>;

TEST_CASE(
    "a sample in other code moves to its start, so that no position is behind the code's end") {
  const Merged merged = Merge(List(Version(kOld, 5, 53), Version(kNew, 7, 40)));
  CHECK(Stacks(merged.profile) == Texts{"loop:0<main:2 1", "loop:3<main:2 1"});
  CHECK(merged.report.samples == 1);
  const Merged same = Merge(List(Version(kOld, 5, 53), Version(0, 7, 53)));
  CHECK(Stacks(same.profile) == Texts{"loop:3<main:2 2"});
  CHECK(same.report.samples == 0);
}

TEST_CASE("a stack ends before a caller of other code, and so does any other context") {
  // Shape.area is called by loop, and that by main.
  const auto version = [](uint64_t hash, int calls, int site) {
    const std::string at = std::to_string(site);
    Profile profile = ParseTables(
        R"(,"callCountProfiles":[{"ctx":"2:0","records":[)" + std::to_string(calls) +
        R"(]},{"ctx":"3:0<2:)" + at + R"(<1:2","records":[10]}],"conditionalProfiles":[)" +
        R"({"ctx":"3:4<2:)" + at + R"(","records":[9,0,2,7,1,3]}],"samplingProfiles":[)" +
        R"({"ctx":"3:1<2:)" + at + R"(<1:2","records":[4]},{"ctx":"3:1","records":[1]}])");
    profile.SetCodeHash(MethodNamed(profile, "a.Main.loop()void"), hash);
    profile.SetCodeHash(MethodNamed(profile, "a.Main.main()void"), kOther);
    return profile;
  };
  const Merged merged = Merge(List(version(kOld, 5, 80), version(kNew, 7, 40)));
  CHECK(Stacks(merged.profile) == Texts{"area:1 6", "area:1<loop:40<main:2 4"});
  CHECK(merged.report.samples == 4);
  CHECK(merged.profile.Total(Table::kCalls) == 32);
  const MethodIndex area = MethodNamed(merged.profile, "a.Shape.area()void");
  const auto alone = merged.profile.FindContext(kNoContext, area, 4);
  REQUIRE(alone);
  const auto branch = merged.profile.FindEntry(Table::kConditionals, *alone);
  REQUIRE(branch);
  CHECK(merged.profile.EntryTotal(Table::kConditionals, *branch) == 5);
}

TEST_CASE("a stack of class loading is left out where it would lose the frames that say so") {
  const auto version = [](uint64_t hash) {
    Profile profile = Parse(
        R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":10,"name":"a.Main"},)"
        R"({"id":11,"name":"java.util.HashMap"},{"id":12,"name":"jdk.internal.loader.BootLoader"}],)"
        R"("methods":[{"id":1,"name":"main","signature":[10,8]},{"id":2,"name":"get","signature":[11,8]},)"
        R"({"id":3,"name":"load","signature":[12,8]}],"callCountProfiles":[{"ctx":"3:0","records":[1]}],)"
        R"("samplingProfiles":[{"ctx":"2:1<3:4<1:5","records":[40]},{"ctx":"2:1<1:9","records":[7]}]})");
    profile.SetCodeHash(MethodNamed(profile, "jdk.internal.loader.BootLoader.load()void"), hash);
    return profile;
  };
  const Merged merged = Merge(List(version(kOld), version(kNew)));
  CHECK(Stacks(merged.profile) == Texts{"get:1<load:4<main:5 40", "get:1<main:9 14"});
  CHECK(merged.report.samples == 40);
}

TEST_CASE("a method without a hash has no positions on stacks if code of its class differs") {
  const auto without_main = [](Profile profile) {
    profile.SetCodeHash(MethodNamed(profile, "a.Main.main()void"), 0);
    profile.AddCount(Table::kSamples,
                     profile.AddContext(kNoContext, MethodNamed(profile, "a.Main.main()void"), 9),
                     3);
    return profile;
  };
  // main is only on stacks, in the old version or the new one.
  const Merged merged =
      Merge(List(without_main(Version(kOld, 5, 53)), without_main(Version(kNew, 7, 40))));
  CHECK(Stacks(merged.profile) == Texts{"loop:0 1", "loop:3 1", "main:0 6"});
  CHECK(merged.report.samples == 8);
  // No code of the class is known to differ, so that of main is taken for the same.
  const Merged same =
      Merge(List(without_main(Version(kOld, 5, 53)), without_main(Version(kOld, 7, 53))));
  CHECK(Stacks(same.profile) == Texts{"loop:3<main:2 2", "main:9 6"});
  CHECK(same.report.samples == 0);
  const Merged unknown = Merge(List(Version(kOld, 5, 53), without_main(Version(0, 7, 53))));
  CHECK(Stacks(unknown.profile) == Texts{"loop:3<main:2 2", "main:9 3"});
  CHECK(unknown.report.samples == 0);
  // A profile without hashes, beside two versions: only the stacks of the kept one are whole.
  const Merged three =
      Merge(List(Version(kOld, 5, 53), Version(kNew, 7, 40), without_main(Version(0, 100, 53))));
  CHECK(Stacks(three.profile) ==
        Texts{"loop:0 1", "loop:0<main:2 1", "loop:3<main:2 1", "main:0 3"});
  CHECK(three.report.samples == 5);
}

TEST_CASE("the source lines of a method are those of the version that is kept") {
  const auto with_line = [](Profile profile, int line) {
    profile.notes().SetLine(MethodNamed(profile, "a.Main.loop()void"), 3, line);
    return profile;
  };
  const auto line_of = [](const Profile& profile) {
    return profile.notes().LineOf(MethodNamed(profile, "a.Main.loop()void"), 3);
  };
  CHECK(line_of(
            Merge(List(with_line(Version(kOld, 5, 53), 100), with_line(Version(kNew, 7, 40), 200)))
                .profile) == 200);
  CHECK(line_of(
            Merge(List(with_line(Version(kOld, 8, 53), 100), with_line(Version(kNew, 7, 40), 200)))
                .profile) == 100);
}

TEST_CASE("the weight of a version is that of all inputs that have it") {
  CHECK(Branch(Merge(List(Version(kOld, 5, 53), Version(kNew, 7, 40), Version(kOld, 5, 53)))
                   .profile) == "53:10 6:2");
}

TEST_CASE("the newest version can be preferred with any weight") {
  const auto newest = [](int64_t old_ms, int64_t new_ms) {
    return Branch(Merge(List(RecordedAt(Version(kOld, 50, 53), old_ms),
                             RecordedAt(Version(kNew, 7, 40), new_ms)),
                        PreferredVersion::kNewest)
                      .profile);
  };
  CHECK(newest(1000, 2000) == "40:7 6:1");
  CHECK(newest(2000, 1000) == "53:50 6:1");
  CHECK(newest(1000, 1000) == "53:50 6:1");  // as old: the heaviest
}

TEST_CASE("what has no hash is added to the version that is kept") {
  const Merged merged =
      Merge(List(Version(kOld, 5, 53), Version(0, 100, 53), Version(kNew, 7, 40)));
  CHECK(Branch(merged.profile) == "6:2 40:7 53:100");
  CHECK(merged.report.methods == 1);
  CHECK(merged.report.doubtful_methods == 1);
  const Merged unknown = Merge(List(Version(kOld, 5, 53), Version(0, 100, 53)));
  CHECK(Branch(unknown.profile) == "53:105 6:2");
  CHECK(unknown.report.methods == 0);
  CHECK(unknown.report.doubtful_methods == 1);
  CHECK(unknown.report.doubtful_examples == std::vector<std::string>{"a.Main.loop()void"});
  const Merged none = Merge(List(Version(0, 5, 53), Version(0, 1, 40)));
  CHECK(none.report.methods == 0);
  CHECK(none.report.doubtful_methods == 0);
  CHECK(Merge(List(Version(kOld, 5, 53), Version(kOld, 5, 53))).report.doubtful_methods == 0);
  // Calls have no positions.
  CHECK(Merge(List(Version(kOld, 5, 53),
                   ParseTables(R"(,"callCountProfiles":[{"ctx":"2:0","records":[5]}])")))
            .report.doubtful_methods == 0);
}

TEST_CASE("hashes survive the merge, and the next one uses them") {
  const Profile first = Merge(List(Version(kOld, 5, 53), Version(kOld, 7, 53))).profile;
  const Profile again = Parse(*WriteProfileText(first));
  CHECK(again.CodeHash(MethodNamed(again, "a.Main.loop()void")) == kOld);
  CHECK(Merge(List(Parse(*WriteProfileText(first)), Version(kNew, 7, 40))).report.methods == 1);
}

// A random profile whose methods each have one of a few versions.
Profile RandomVersions(uint64_t group, uint64_t number) {
  std::mt19937_64 random(group * 100 + number);
  Profile profile = MakeRandomProfile(group * 3 + number % 3);  // some have the same methods
  profile.RemoveExtras();
  constexpr uint64_t kHashes[] = {0, kOld, kOld, kNew, kOther};
  for (const MethodIndex method : MethodsOf(profile))
    profile.SetCodeHash(method, kHashes[random() % std::size(kHashes)]);
  return RecordedAt(std::move(profile), static_cast<int64_t>(1 + random() % 3));
}

TEST_CASE("order, grouping and weights make no difference, to the byte") {
  size_t with_differences = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    const auto preferred = seed % 2 == 0 ? PreferredVersion::kHeaviest : PreferredVersion::kNewest;
    std::vector<Profile> inputs;
    for (uint64_t i = 0; i < 5; ++i) inputs.push_back(RandomVersions(seed, i));
    ProfileMerger all(preferred);
    for (const Profile& input : inputs) all.Add(input);
    all.Add(inputs[2]);
    const std::string text = Text(all.Finish());
    with_differences += all.versions().methods > 0 ? 1 : 0;

    ProfileMerger groups[2] = {ProfileMerger(preferred), ProfileMerger(preferred)};
    for (size_t i = inputs.size(); i-- > 0;) {
      groups[(seed + i * 3) % 2].Add(inputs[i], i == 2 ? 2 : 1);
    }
    groups[0].Add(std::move(groups[1]));
    REQUIRE(Text(groups[0].Finish()) == text);
    CHECK(groups[0].versions().methods == all.versions().methods);
    CHECK(groups[0].versions().examples == all.versions().examples);
    CHECK(groups[0].versions().samples == all.versions().samples);
  }
  CHECK(with_differences > 100);
}

// Positions of a profile's methods: name, hash of the code, bci.
using Positions = std::set<std::tuple<std::string, uint64_t, Bci>>;

// The versions of the inputs' methods that are known, by method, and the classes in which there are several.
struct KnownVersions {
  std::map<std::string, std::set<uint64_t>> of_method;
  std::set<std::string> classes;

  void Add(const Profile& input) {
    for (const MethodIndex method : MethodsOf(input)) {
      if (input.CodeHash(method) == 0) continue;
      std::set<uint64_t>& hashes = of_method[input.DescribeMethod(method)];
      hashes.insert(input.CodeHash(method));
      if (hashes.size() > 1) classes.emplace(input.TypeName(input.DeclaringType(method)));
    }
  }
};

TEST_CASE("no position of other code than the kept one is left") {
  size_t with_samples = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    INFO("seed " << seed);
    std::vector<Profile> inputs;
    Positions known;
    KnownVersions versions;
    for (uint64_t i = 0; i < 4; ++i) {
      const Profile& input = inputs.emplace_back(RandomVersions(seed, i));
      versions.Add(input);
      for (const Table table : kAllTables) {
        for (const EntryIndex entry : EntriesOf(input, table)) {
          input.ForEachFrame(input.EntryContext(table, entry), [&](Frame frame) {
            if (frame.method == kNoMethod) return;
            known.emplace(input.DescribeMethod(frame.method), input.CodeHash(frame.method),
                          frame.bci);
          });
        }
      }
    }
    const auto preferred = seed % 2 == 0 ? PreferredVersion::kHeaviest : PreferredVersion::kNewest;
    const Merged merged = Merge(inputs, preferred);
    with_samples += merged.report.samples > 0 ? 1 : 0;
    const Profile& made = merged.profile;
    int64_t samples = 0;
    for (const Profile& input : inputs)
      samples = SaturatingAdd(samples, input.Total(Table::kSamples));
    CHECK(made.Total(Table::kSamples) == samples);
    for (const Table table : kAllTables) {
      for (const EntryIndex entry : EntriesOf(made, table)) {
        bool is_caller = false;
        made.ForEachFrame(made.EntryContext(table, entry), [&](Frame frame) {
          const bool is_on_stack = std::exchange(is_caller, true) || table == Table::kSamples;
          if (frame.method == kNoMethod || frame.bci == 0) return;
          const std::string name = made.DescribeMethod(frame.method);
          const std::string owner(made.TypeName(made.DeclaringType(frame.method)));
          const bool must_be_known = is_on_stack && versions.classes.contains(owner);
          // The result names only versions that have counts.
          std::set<uint64_t> allowed = {made.CodeHash(frame.method)};
          if (allowed.contains(0)) allowed = versions.of_method[name];
          if (must_be_known && allowed.size() > 1) allowed.clear();
          if (!must_be_known) allowed.insert(0);
          const bool is_known = std::ranges::any_of(allowed, [&](uint64_t hash) {
            return known.contains({name, hash, frame.bci});
          });
          if (!is_known) FAIL_CHECK(name << " has no position " << frame.bci);
        });
      }
    }
  }
  CHECK(with_samples > 20);
}

TEST_CASE("where all code is equal, a merge of merges is the merge of all") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    std::vector<Profile> inputs;
    for (uint64_t i = 0; i < 3; ++i) {
      Profile& profile = inputs.emplace_back(MakeRandomProfile(seed + i));
      profile.RemoveExtras();
      for (const MethodIndex method : MethodsOf(profile)) {
        // The version follows from the name, so that it is the same in all inputs.
        const auto name = static_cast<uint64_t>(profile.DescribeMethod(method).size());
        profile.SetCodeHash(method, (name % 3) << 40);
      }
    }
    const std::string text = Text(Merge(inputs).profile);
    Profile two = Merge(List(std::move(inputs[0]), std::move(inputs[1]))).profile;
    REQUIRE(Text(Merge(List(std::move(two), std::move(inputs[2]))).profile) == text);
  }
}

// The profile's `if` has the successors of one version only, so it never gets a third outcome.
TEST_CASE("an if never gets three outcomes from versions with hashes") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Profile> inputs;
    for (int i = 0; i < 4; ++i) {
      const uint64_t version = 1 + random() % 3;
      inputs.push_back(Version(version << 40, static_cast<int>(1 + random() % 9),
                               static_cast<int>(50 + version)));
    }
    const Merged merged = Merge(inputs);
    CHECK(merged.profile.EntrySuccessors(EntryIndex{0}).size() == 2);
  }
}

}  // namespace
}  // namespace iprof
