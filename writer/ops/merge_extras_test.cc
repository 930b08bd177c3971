#include "writer/ops/merge_extras.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/snapshot_note.h"
#include "writer/profile/io/split_part.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iprof {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

Profile With(const Keys& keys) {
  Profile profile;
  for (const auto& [key, json] : keys) profile.SetExtra(key, json);
  return profile;
}

std::string Describe(const ExtraKeyMerger& merger) {
  Profile profile;
  merger.WriteTo(profile);
  std::string text;
  for (const ExtraKey& extra : profile.extras()) text += extra.key + " = " + extra.json + "\n";
  text += "disagree:";
  for (const std::string& key : merger.ConflictingKeys()) text += " " + key;
  return text;
}

// Checks that the result is the same for every order of the inputs and for every split into
// two mergers.
std::string Merged(std::vector<Keys> inputs) {
  std::sort(inputs.begin(), inputs.end());
  std::string text;
  do {
    for (size_t in_other = 0; in_other <= inputs.size(); ++in_other) {
      ExtraKeyMerger merger;
      ExtraKeyMerger other;
      for (size_t i = 0; i < inputs.size(); ++i)
        (i < in_other ? other : merger).Add(With(inputs[i]));
      merger.Add(other);
      if (text.empty()) text = Describe(merger);
      REQUIRE(Describe(merger) == text);
    }
  } while (std::next_permutation(inputs.begin(), inputs.end()));
  return text;
}

// Lines are notes of the merged profile's positions, and not texts.
TEST_CASE("parts are united one by one, older keys become parts") {
  CHECK(Merged({{{"iprofagent", R"({"version":1,"image":{"target":25},"lines":{"m":{"1":7}}})"}},
                {{"iprofLines", R"({"m":{"1":6,"2":8}})"}, {"iprofImage", R"({"target":25})"}},
                {{"iprofagent", R"({"version":1,"sampling":{"signals":2}})"}},
                {}}) ==
        R"(iprofagent = {"version":1,"image":{"target":25},"sampling":{"signals":2}})"
        "\ndisagree:");
}

TEST_CASE("disagreement is reported by part, and the text that sorts first is kept") {
  CHECK(Merged({{{"iprofagent", R"({"version":1,"later":{"a":2}})"}, {"vm", "17"}},
                {{"iprofagent", R"({"version":1,"later":{"a":1}})"}, {"vm", "25"}},
                {{"iprofSampling", R"({"b":2})"}},
                {{"iprofagent", R"({"version":1,"sampling":{"b":3}})"}}}) ==
        "iprofagent = {\"version\":1,\"later\":{\"a\":1},\"sampling\":{\"b\":2}}\n"
        "vm = 17\n"
        "disagree: iprofagent.later iprofagent.sampling vm");
}

TEST_CASE("lines of another shape are kept only if there are no others") {
  const Keys odd = {{"iprofagent", R"({"version":1,"lines":{"m":1}})"}};
  const Keys good = {{"iprofagent", R"({"version":1,"lines":{"m":{"1":2}}})"}};
  CHECK(Merged({odd, odd}) == R"(iprofagent = {"version":1,"lines":{"m":1}})"
                              "\ndisagree:");
  CHECK(Merged({odd, good}) == R"(iprofagent = {"version":1})"
                               "\ndisagree: iprofagent.lines");
  CHECK(Merged({{{"iprofLines", "[1]"}}, good}) == R"(iprofLines = [1])"
                                                   "\n"
                                                   R"(iprofagent = {"version":1})"
                                                   "\ndisagree:");
}

TEST_CASE("notes of snapshots are united") {
  const auto keys = [](const SnapshotNote& note) {
    return Keys{{"iprofagent", R"({"version":1,"snapshot":)" + note.ToJson() + "}"}};
  };
  SnapshotNote a{.generation = 3, .time = "2026-11-24T01:00:00Z", .lost_classes = 2};
  const SnapshotNote b{.generation = 5, .time = "2026-11-24T00:00:00Z", .lost_classes = 1};
  SnapshotNote both = a;
  both.Unite(b);
  CHECK(Merged({keys(a), keys(b), {}}) == "iprofagent = " + keys(both)[0].second + "\ndisagree:");
  const Keys odd = {{"iprofagent", R"({"version":1,"snapshot":{"later":1}})"}};
  CHECK(Merged({keys(a), odd}) ==
        "iprofagent = " + keys(a)[0].second + "\ndisagree: iprofagent.snapshot");
}

TEST_CASE("statistics of intervals that are alike add up, in the mean interval") {
  const auto keys = [](int64_t interval_ns, int64_t weight, const char* event = "cpu") {
    const std::string written = std::to_string(weight);
    return Keys{{"iprofagent", R"({"version":1,"sampling":{"event":")" + std::string(event) +
                                   R"(","intervalNs":)" + std::to_string(interval_ns) +
                                   R"(,"signals":)" + written + R"(,"writtenWeight":)" + written +
                                   R"(,"outcomes":{}}})"}};
  };
  // 400 in 4 ms and 300 in 4.14 ms: 700 in 4.06 ms.
  const Keys alike[] = {keys(4'000'000, 400), keys(4'140'000, 300)};
  CHECK(Merged({alike[0], alike[1]}) ==
        "iprofagent = " + keys(4'060'000, 700)[0].second + "\ndisagree:");
  // Together they are more than those of another event, which gives way.
  CHECK(Merged({alike[0], alike[1], keys(4'000'000, 500, "wall")}) ==
        "iprofagent = " + keys(4'060'000, 700)[0].second + "\ndisagree: iprofagent.sampling");
  // None of the three can be added, as they were not scaled.
  CHECK(Merged({alike[0], alike[1], keys(4'300'000, 500)}) ==
        "iprofagent = " + keys(4'300'000, 500)[0].second + "\ndisagree: iprofagent.sampling");
}

TEST_CASE("runs that are only counted are added up, also without any that are listed") {
  const Keys three = {{"iprofagent", R"({"version":1,"provenance":{"runs":[],"older_runs":3}})"}};
  CHECK(Merged({three, {}}) == "iprofagent = " + three[0].second + "\ndisagree:");
  CHECK(Merged({three, three}) ==
        R"(iprofagent = {"version":1,"provenance":{"runs":[],"older_runs":6}})"
        "\ndisagree:");
}

// A profile for an image build with so many calls, recorded until then.
Profile ForImage(const std::string& note, int64_t calls, int64_t end_ms) {
  RunNote run;
  run.end_ms = end_ms;
  RunList runs;
  runs.Add(run);
  Profile profile = With({{"iprofagent", R"({"version":1,"image":)" + note + R"(,"provenance":)" +
                                             runs.ToJson() + "}"}});
  const TypeIndex signature[] = {profile.AddType("a.Main"), profile.AddType("void")};
  profile.AddCount(Table::kCalls,
                   profile.AddContext(kNoContext, profile.AddMethod("main", signature), 0), calls);
  return profile;
}

struct MergedImage {
  ImageChoice choice;
  std::optional<ImageNote> note;  // of the profile
  std::vector<std::string> conflicts;
};

MergedImage MergeImages(const std::vector<const Profile*>& inputs, PreferredVersion preferred) {
  ExtraKeyMerger merger;
  for (const Profile* input : inputs) {
    ExtraKeyMerger one;
    one.Add(*input);
    merger.Add(one);
  }
  Profile profile;
  merger.WriteTo(profile, preferred);
  return {merger.ChooseImage(preferred), ImageNote::Of(profile), merger.ConflictingKeys()};
}

TEST_CASE(
    "a merge is meant for the image build of the newest input, or of those with most counts") {
  const Profile heavy = ForImage(R"({"target":17,"filtered":true})", 100, 1000);
  const Profile newest = ForImage(R"({"target":25,"filtered":true})", 60, 2000);
  const Profile more = ForImage(R"({"target":25,"filtered":true})", 50, 500);
  const std::vector<std::string> conflict = {"iprofagent.image"};
  for (const bool turned : {false, true}) {
    const auto target_of = [&](std::vector<const Profile*> inputs, PreferredVersion preferred) {
      if (turned) std::reverse(inputs.begin(), inputs.end());
      const MergedImage merged = MergeImages(inputs, preferred);
      CHECK(merged.choice.targets == std::vector<ImageTarget>{ImageTarget::k17, ImageTarget::k25});
      CHECK(merged.conflicts == conflict);
      REQUIRE(merged.note);
      CHECK(merged.note == merged.choice.note);
      CHECK_FALSE(merged.note->filtered);  // what another build can use is still there
      return merged.note->target;
    };
    CHECK(target_of({&heavy, &newest}, PreferredVersion::kNewest) == ImageTarget::k25);
    CHECK(target_of({&heavy, &more}, PreferredVersion::kNewest) == ImageTarget::k17);
    CHECK(target_of({&heavy, &newest}, PreferredVersion::kHeaviest) == ImageTarget::k17);
    CHECK(target_of({&heavy, &newest, &more}, PreferredVersion::kHeaviest) == ImageTarget::k25);
  }
  ExtraKeyMerger weighted;
  weighted.Add(heavy);
  weighted.Add(newest, 2);
  CHECK(weighted.ChooseImage(PreferredVersion::kHeaviest).note->target == ImageTarget::k25);
}

TEST_CASE("a merge says what decided for which image build it is meant") {
  using Reason = ImageChoice::Reason;
  const auto reason = [](int64_t calls_17, int64_t end_17, int64_t calls_25, int64_t end_25,
                         PreferredVersion preferred) {
    const Profile one = ForImage(R"({"target":17,"filtered":true})", calls_17, end_17);
    const Profile other = ForImage(R"({"target":25,"filtered":true})", calls_25, end_25);
    return MergeImages({&one, &other}, preferred).choice.reason;
  };
  CHECK(reason(5, 1, 4, 2, PreferredVersion::kHeaviest) == Reason::kHeaviest);
  CHECK(reason(5, 1, 4, 2, PreferredVersion::kNewest) == Reason::kNewest);
  CHECK(reason(5, 1, 5, 2, PreferredVersion::kHeaviest) == Reason::kNewestOfHeaviest);
  CHECK(reason(5, 0, 4, 0, PreferredVersion::kNewest) == Reason::kHeaviestOfNewest);
  CHECK(reason(5, 1, 5, 1, PreferredVersion::kNewest) == Reason::kNewestTarget);
  CHECK(reason(5, 1, 5, 1, PreferredVersion::kHeaviest) == Reason::kNewestTarget);
}

TEST_CASE("what breaks a tie between image builds is no reason against those outside of the tie") {
  using Reason = ImageChoice::Reason;
  struct Input {
    int64_t calls, end_ms;
  };
  const auto chosen = [](Input for_17, Input for_21, Input for_25, PreferredVersion preferred) {
    const Profile a = ForImage(R"({"target":17,"filtered":true})", for_17.calls, for_17.end_ms);
    const Profile b = ForImage(R"({"target":21,"filtered":true})", for_21.calls, for_21.end_ms);
    const Profile c = ForImage(R"({"target":25,"filtered":true})", for_25.calls, for_25.end_ms);
    const ImageChoice choice = MergeImages({&a, &b, &c}, preferred).choice;
    return std::pair(choice.note->target, choice.reason);
  };
  // 25 is the newest target, and of the newest input, but has fewer counts.
  CHECK(chosen({5, 1}, {5, 2}, {4, 3}, PreferredVersion::kHeaviest) ==
        std::pair(ImageTarget::k21, Reason::kNewestOfHeaviest));
  CHECK(chosen({5, 1}, {5, 1}, {4, 3}, PreferredVersion::kHeaviest) ==
        std::pair(ImageTarget::k21, Reason::kNewestTarget));
  // 25 has the most counts, but is older.
  CHECK(chosen({5, 2}, {4, 2}, {9, 1}, PreferredVersion::kNewest) ==
        std::pair(ImageTarget::k17, Reason::kHeaviestOfNewest));
}

TEST_CASE("a merge with an input that does not say so is not filtered for an image build") {
  const Profile filtered = ForImage(R"({"target":25,"filtered":true})", 1, 1);
  Profile silent = ForImage(R"({"later":1})", 1, 1);  // cannot be read
  const MergedImage mixed = MergeImages({&filtered, &silent}, PreferredVersion::kHeaviest);
  CHECK(mixed.note == ImageNote{ImageTarget::k25, false});
  CHECK(mixed.choice.filters_differ);
  silent.RemoveExtras();
  for (const bool turned : {false, true}) {
    const MergedImage merged = turned
                                   ? MergeImages({&silent, &filtered}, PreferredVersion::kHeaviest)
                                   : MergeImages({&filtered, &silent}, PreferredVersion::kHeaviest);
    CHECK(merged.note == ImageNote{ImageTarget::k25, false});
    CHECK(merged.choice.filters_differ);
    CHECK(merged.conflicts == std::vector<std::string>{"iprofagent.image"});
  }
  CHECK_FALSE(MergeImages({&silent}, PreferredVersion::kHeaviest).choice.note);
  // What has no entries has nothing that a build cannot use.
  const Profile empty;
  CHECK(MergeImages({&filtered, &empty}, PreferredVersion::kHeaviest).note ==
        ImageNote{ImageTarget::k25, true});
}

TEST_CASE("a merge is filtered for an image build if all inputs are") {
  const Profile filtered = ForImage(R"({"target":25,"filtered":true})", 1, 1);
  const Profile spaced = ForImage(R"({"filtered":true, "target":25})", 1, 1);
  const Profile whole = ForImage(R"({"target":25,"filtered":false})", 1, 1);
  const MergedImage same = MergeImages({&filtered, &spaced}, PreferredVersion::kHeaviest);
  CHECK(same.note == ImageNote{ImageTarget::k25, true});
  CHECK(same.conflicts.empty());
  const MergedImage mixed = MergeImages({&filtered, &whole}, PreferredVersion::kHeaviest);
  CHECK(mixed.note == ImageNote{ImageTarget::k25, false});
  CHECK(mixed.choice.filters_differ);
  CHECK(mixed.conflicts == std::vector<std::string>{"iprofagent.image"});
  CHECK_FALSE(MergeImages({}, PreferredVersion::kHeaviest).choice.note);
}

TEST_CASE("a merge has whole stacks if all inputs have") {
  const auto sampled = [](const std::string& note, const std::string& more) {
    Profile profile = ForImage(note, 1, 1);
    AgentSection section = AgentSection::Of(profile);
    if (!more.empty()) section.SetPart(kSplitPart, more);
    profile.SetExtra(kAgentKey, section.ToJson());
    profile.AddCount(Table::kSamples, profile.AddContext(kNoContext, MethodIndex{0}, 5), 7);
    return profile;
  };
  const std::string filtered = R"({"target":25,"filtered":true})";
  const Profile now = sampled(filtered, std::string(kCompleteSplit));
  const Profile earlier = sampled(filtered, "");
  const Profile unfiltered = sampled(R"({"target":25,"filtered":false})", "");
  const Profile without_samples = ForImage(filtered, 1, 1);
  const auto part_of = [](const std::vector<const Profile*>& inputs) {
    ExtraKeyMerger merger;
    for (const Profile* input : inputs) {
      ExtraKeyMerger one;
      one.Add(*input);
      merger.Add(one);
    }
    Profile profile;
    merger.WriteTo(profile);
    return AgentPart(profile, kSplitPart);
  };
  CHECK(part_of({&now, &now}) == kCompleteSplit);
  CHECK(part_of({&now, &without_samples}) == kCompleteSplit);
  // Its samples are still cut for builds, although it is not filtered as a whole.
  CHECK(part_of({&unfiltered, &now}) == kCompleteSplit);
  CHECK(part_of({&now, &earlier}) == kIncompleteSplit);
  CHECK(part_of({&unfiltered, &now, &earlier}) == kIncompleteSplit);
  CHECK_FALSE(part_of({&unfiltered, &unfiltered}));
}

TEST_CASE("estimated calls are scaled with the calls that they are a part of") {
  ExtraKeyMerger merger;
  merger.Add(With({{"iprofagent",
                    R"({"version":1,"estimates":{"calls":{"a.f()void":3,"b.f()void":0}}})"}}),
             2, CountScale{.to = 5, .from = 1});
  CHECK(Describe(merger) ==
        R"(iprofagent = {"version":1,"estimates":{"calls":{"a.f()void":30,"b.f()void":0}}})"
        "\ndisagree:");
}

TEST_CASE("estimated calls add up") {
  const Keys one = {
      {"iprofagent", R"({"version":1,"estimates":{"calls":{"a.f()void":1,"b.f()void":5}}})"}};
  const Keys two = {{"iprofagent", R"({"version":1,"estimates":{"calls":{"a.f()void":2}}})"}};
  const std::string both =
      R"(iprofagent = {"version":1,"estimates":{"calls":{"a.f()void":3,"b.f()void":5}}})";
  CHECK(Merged({one, two, {}}) == both + "\ndisagree:");
  CHECK(Merged({two, one}) == both + "\ndisagree:");
  const Keys odd = {{"iprofagent", R"({"version":1,"estimates":{"later":1}})"}};
  CHECK(Merged({two, odd}) ==
        two[0].first + " = " + two[0].second + "\ndisagree: iprofagent.estimates");
}

TEST_CASE("notes of harvests are united, and name exact counts") {
  const auto note = [](int age) {
    HarvestNote made;
    made.estimator = "flow-1";
    made.jvm_age_s = age;
    return made;
  };
  const auto section = [](const HarvestNote& with) {
    return Keys{{"iprofagent", R"({"version":1,"harvest":)" + with.ToJson() + "}"}};
  };
  CHECK(Merged({section(note(5)), section(note(7)), {}}) ==
        "iprofagent = " + section(note(7))[0].second + "\ndisagree:");
  const Keys odd = {{"iprofagent", R"({"version":1,"harvest":{"later":1}})"}};
  CHECK(Merged({section(note(5)), odd}) ==
        "iprofagent = " + section(note(5))[0].second + "\ndisagree: iprofagent.harvest");

  Profile exact = With({});
  const TypeIndex signature[] = {exact.AddType("a.Main"), exact.AddType("void")};
  exact.AddCount(Table::kCalls, exact.AddContext(kNoContext, exact.AddMethod("main", signature), 0),
                 1);
  HarvestNote with_exact = note(5);
  with_exact.UniteExact();
  ExtraKeyMerger merger;
  merger.Add(exact);
  merger.Add(With(section(note(5))));
  CHECK(Describe(merger) == "iprofagent = " + section(with_exact)[0].second + "\ndisagree:");
}

TEST_CASE("a section that cannot be read is kept if no input has a readable one") {
  const Keys newer = {{"iprofagent", R"({"version":2, "x":1})"}};
  const Keys odd = {{"iprofagent", "[]"}};
  const Keys empty = {{"iprofagent", R"({"version":1})"}};
  CHECK(Merged({newer, newer, {}}) == "iprofagent = {\"version\":2, \"x\":1}\ndisagree:");
  CHECK(Merged({newer, odd}) == "iprofagent = []\ndisagree: iprofagent");
  CHECK(Merged({newer, empty}) == "iprofagent = {\"version\":1}\ndisagree: iprofagent");
  CHECK(Merged({newer, {{"iprofImage", "{}"}}}) ==
        "iprofagent = {\"version\":1,\"image\":{}}\ndisagree: iprofagent");
}

}  // namespace
}  // namespace iprof
