#include "writer/ops/merge.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "writer/base/temporary_folder.h"
#include "writer/ops/merge_canonical.h"
#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/sampling_sum.h"

namespace iprof {
namespace {

Profile MergeOf(const Profile& a, const Profile& b) {
  ProfileMerger merger;
  merger.Add(a);
  merger.Add(b);
  return merger.Finish();
}

TEST_CASE("merging adds counts per context and unites types and methods") {
  const Profile a = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"2:0<1:7","records":[3]}],)"
      R"("conditionalProfiles":[{"ctx":"2:3","records":[53,0,1,14,1,10]}],)"
      R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[11,5,12,4]}])");
  // The same program with other ids in another order.
  const Profile b = Parse(
      R"({"version":"0.4.0","methods":[{"id":9,"name":"loop","signature":[3,1]},)"
      R"({"id":7,"name":"main","signature":[3,1]}],"types":[{"id":1,"name":"a.Void"},)"
      R"({"id":3,"name":"a.Main"},{"id":4,"name":"a.Circle"}],"callCountProfiles":[)"
      R"({"ctx":"9:0","records":[2]}],"virtualInvokeProfiles":[{"ctx":"9:7","records":[4,2]}]})");
  const Profile c = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"2:0<1:7","records":[4]},{"ctx":"2:0","records":[1]}],)"
      R"("conditionalProfiles":[{"ctx":"2:3","records":[53,0,2,14,1,20]}],)"
      R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[12,2]}])");
  const Profile merged = MergeOf(a, c);
  const MethodIndex loop = MethodNamed(merged, "a.Main.loop()void");
  const MethodIndex main = MethodNamed(merged, "a.Main.main()void");
  const Frame chain[] = {{loop, 0}, {main, 7}};
  const auto entry = merged.FindEntry(Table::kCalls, *merged.FindContext(chain));
  REQUIRE(entry);
  CHECK(merged.EntryCount(Table::kCalls, *entry) == 7);
  CHECK(merged.entry_count(Table::kCalls) == 3);
  const auto successors = merged.EntrySuccessors(EntryIndex{0});
  REQUIRE(successors.size() == 2);
  CHECK(successors[0] == Successor{53, 0, 3});
  CHECK(successors[1] == Successor{14, 1, 30});
  const auto types = merged.EntryTypeCounts(Table::kVirtualInvokes, EntryIndex{0});
  REQUIRE(types.size() == 2);
  CHECK(merged.TypeName(types[0].type) == "a.Circle");  // the largest first: 4 + 2
  CHECK(types[0].count == 6);
  // Methods that differ only in their return type are different methods.
  CHECK(MergeOf(a, b).method_count() == 6);
}

TEST_CASE("a merged method is as sure as the least sure of its inputs") {
  const auto calls = [](const std::string& contexts) {
    return ParseTables(R"(,"callCountProfiles":[)" + contexts + "]");
  };
  const Profile exact = calls(R"({"ctx":"1:0","records":[5]},{"ctx":"2:0","records":[3]})");
  Profile estimated = calls(R"({"ctx":"2:0","records":[7]},{"ctx":"3:0","records":[8]})");
  estimated.AddSureness(MethodNamed(estimated, "a.Main.loop()void"), Sureness::EstimatedFrom(4096));
  estimated.AddSureness(MethodNamed(estimated, "a.Shape.area()void"), Sureness::EstimatedFrom(0));
  const std::string marks = "a.Main.loop()void M, a.Main.main()void e, a.Shape.area()void g";
  const Profile merged = MergeOf(exact, estimated);
  CHECK(MarksOf(merged) == marks);
  CHECK(Text(merged) == Text(MergeOf(estimated, exact)));
  CHECK(MarksOf(Parse(Text(merged))) == marks);
  CHECK(MarksOf(MergeOf(merged, merged)) == marks);
  // In the tree that threads make.
  ProfileMerger left;
  ProfileMerger right;
  left.Add(exact);
  right.Add(estimated);
  right.Add(exact);
  left.Add(std::move(right));
  CHECK(MarksOf(left.Finish()) == marks);
  // Of a harvest without marks it is not known.
  Profile old = calls(R"({"ctx":"1:0","records":[9]})");
  SetAgentPart(old, kHarvestPart, R"({"source":"methoddata"})");
  CHECK(MarksOf(MergeOf(exact, old)) == "a.Main.loop()void e, a.Main.main()void -");
  CHECK(Text(MergeOf(exact, exact)).find("sureness") == std::string::npos);
}

TEST_CASE("ranks of first calls add up over the runs that have them") {
  const auto run = [](const std::string& first, const std::string& second) {
    Profile profile = ParseTables(
        R"(,"callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"2:0","records":[1]},)"
        R"({"ctx":"3:0","records":[1]}])");
    profile.AddFirstCall(MethodNamed(profile, first), {1, 1});
    profile.AddFirstCall(MethodNamed(profile, second), {2, 1});
    NoteCodeHashes(profile);
    return profile;
  };
  const auto ranks = [](const Profile& profile) {
    std::map<std::string, std::pair<int64_t, int64_t>> found;
    for (const MethodIndex method : MethodsOf(profile)) {
      const FirstCall first = profile.FirstCallOf(method);
      if (first.is_known())
        found[std::string(profile.MethodName(method))] = {first.ranks, first.runs};
    }
    return found;
  };
  const Profile a = run("a.Main.main()void", "a.Main.loop()void");
  const Profile b = run("a.Main.main()void", "a.Shape.area()void");
  const std::map<std::string, std::pair<int64_t, int64_t>> expected{
      {"main", {2, 2}}, {"loop", {2, 1}}, {"area", {2, 1}}};
  CHECK(ranks(MergeOf(a, b)) == expected);
  CHECK(Text(MergeOf(a, b)) == Text(MergeOf(b, a)));
  CHECK(ranks(Parse(Text(MergeOf(a, b)))) == expected);
  ProfileMerger thrice;
  thrice.Add(a, 3);
  CHECK(Text(thrice.Finish()) == Text(MergeOf(MergeOf(a, a), a)));
}

TEST_CASE("merging is commutative and associative, to the byte; weight n is n times") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    const Profile a = MakeRandomProfile(3 * seed);
    const Profile b = MakeRandomProfile(3 * seed + 1);
    const Profile c = MakeRandomProfile(3 * seed + 2);
    REQUIRE(Text(MergeOf(a, b)) == Text(MergeOf(b, a)));
    REQUIRE(Text(MergeOf(MergeOf(a, b), c)) == Text(MergeOf(a, MergeOf(b, c))));
    ProfileMerger twice;
    twice.Add(a);
    twice.Add(a);
    ProfileMerger weighted;
    weighted.Add(a, 2);
    REQUIRE(Text(twice.Finish()) == Text(weighted.Finish()));
    // Merging a merged profile does not change it.
    ProfileMerger again;
    again.Add(MergeOf(a, b));
    REQUIRE(Text(again.Finish()) == Text(MergeOf(a, b)));
  }
}

std::vector<Profile> BranchProfiles(uint64_t seed, size_t count) {
  RepeatableRandom random(seed);
  std::vector<Profile> profiles;
  while (profiles.size() < count) profiles.push_back(MakeBranchProfile(random));
  return profiles;
}

TEST_CASE("branches numbered in several ways: merging has one order, to the byte") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    const std::vector<Profile> p = BranchProfiles(seed, 3);
    REQUIRE(Text(MergeOf(p[0], p[1])) == Text(MergeOf(p[1], p[0])));
    REQUIRE(Text(MergeOf(MergeOf(p[0], p[1]), p[2])) == Text(MergeOf(p[0], MergeOf(p[1], p[2]))));
    ProfileMerger twice;
    ProfileMerger weighted;
    for (const size_t i : {1U, 0U, 1U, 2U}) twice.Add(p[i]);
    for (const size_t i : {0U, 1U, 2U}) weighted.Add(p[i], i == 1 ? 2 : 1);
    const std::string text = Text(twice.Finish());
    REQUIRE(text == Text(weighted.Finish()));
    ProfileMerger groups[2];
    for (const size_t i : {1U, 0U, 2U, 1U}) groups[i % 2].Add(p[i]);
    groups[0].Add(std::move(groups[1]));
    REQUIRE(text == Text(groups[0].Finish()));
  }
}

TEST_CASE("the consumer's probabilities of a merge are those of the inputs, weighted") {
  for (uint64_t seed = 0; seed < 400; ++seed) {
    INFO("seed " << seed);
    const std::vector<Profile> inputs = BranchProfiles(seed, 3);
    ProfileMerger merger;
    for (size_t i = 0; i < inputs.size(); ++i) merger.Add(inputs[i], static_cast<int64_t>(i) + 1);
    const Profile merged = merger.Finish();
    std::map<Bci, SeenByConsumer> expected;
    std::map<Bci, bool> has_one_index_each;
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (const EntryIndex e : EntriesOf(inputs[i], Table::kConditionals)) {
        const auto successors = inputs[i].EntrySuccessors(e);
        const Bci bci =
            inputs[i].InnermostFrame(inputs[i].EntryContext(Table::kConditionals, e)).bci;
        expected[bci].Add(successors, static_cast<int64_t>(i) + 1);
        bool& one_index_each = has_one_index_each.emplace(bci, true).first->second;
        one_index_each = one_index_each && HasOneIndexEach(successors);
      }
    }
    REQUIRE(merged.entry_count(Table::kConditionals) == expected.size());
    for (const EntryIndex e : EntriesOf(merged, Table::kConditionals)) {
      const ContextIndex context = merged.EntryContext(Table::kConditionals, e);
      const Bci bci = merged.InnermostFrame(context).bci;
      INFO("branch " << bci);
      REQUIRE(TotalOf(merged.EntrySuccessors(e)) == expected[bci].total);
      if (has_one_index_each[bci]) RequireSeen(merged.EntrySuccessors(e), expected[bci]);
    }
  }
}

TEST_CASE("grouping by threads makes no difference") {
  std::vector<Profile> inputs;
  for (uint64_t seed = 0; seed < 9; ++seed) inputs.push_back(MakeRandomProfile(seed));
  ProfileMerger all;
  for (const Profile& input : inputs) all.Add(input);
  ProfileMerger groups[3];
  for (size_t i = 0; i < inputs.size(); ++i) groups[(i * 5) % 3].Add(inputs[i]);
  groups[1].Add(std::move(groups[2]));
  groups[1].Add(std::move(groups[0]));
  CHECK(all.ConflictingKeys() == groups[1].ConflictingKeys());
  CHECK(Text(all.Finish()) == Text(groups[1].Finish()));
}

TEST_CASE("a switch keeps the order of its keys unless inputs disagree about it") {
  const auto merged = [](const char* first, const char* second) {
    const auto profile = [](const char* records) {
      return ParseTables(R"(,"conditionalProfiles":[{"ctx":"2:3","records":[)" +
                         std::string(records) + "]}]");
    };
    const Profile result = MergeOf(profile(first), profile(second));
    const auto successors = result.EntrySuccessors(EntryIndex{0});
    return std::vector<Successor>(successors.begin(), successors.end());
  };
  CHECK(merged("40,0,1,30,1,2,-5,0,3,20,2,4", "40,0,1,30,1,1,-5,0,1,20,2,1") ==
        std::vector<Successor>{{40, 0, 2}, {30, 1, 3}, {-5, 0, 4}, {20, 2, 5}});
  CHECK(merged("40,0,1,30,1,2,-5,0,3", "30,1,1,40,0,1,20,2,9") ==
        std::vector<Successor>{{20, 0, 9}, {30, 1, 3}, {40, 2, 5}});
}

TEST_CASE("counts saturate") {
  const std::string most = std::to_string(INT64_MAX);
  const Profile full =
      ParseTables(R"(,"callCountProfiles":[{"ctx":"1:0","records":[)" + most + "]}]");
  const Profile merged = MergeOf(full, full);
  CHECK(merged.EntryCount(Table::kCalls, EntryIndex{0}) == INT64_MAX);
}

TEST_CASE("source lines are united to the same bytes in any order and groups") {
  const std::string loop =
      R"(,"callCountProfiles":[{"ctx":"2:0","records":[3]},{"ctx":"1:0","records":[1]}])";
  const std::vector<std::string> inputs{
      loop + R"(,"iprofagent":{"version":1,"lines":{"a.Main.loop()void":{"0":7},"m":{"2":8}}})",
      loop + R"(,"iprofLines":{ "a.Main.loop()void" : {"0":6}, "a.Main.main()void":{"0":1} })",
      R"(,"iprofLines":{"m":1})", "", R"(,"iprofagent":{ "lines":{}, "version":1 })"};
  std::vector<size_t> order{0, 1, 2, 3, 4};
  std::string text;
  do {
    ProfileMerger merger;
    ProfileMerger other;
    for (size_t i = 0; i < order.size(); ++i)
      (i % 3 == 1 ? other : merger).Add(ParseTables(inputs[order[i]]));
    merger.Add(std::move(other));
    const Profile merged = merger.Finish();
    CHECK(merger.ConflictingKeys() == std::vector<std::string>{"iprofagent.lines"});
    CHECK(merged.notes().LineOf(MethodNamed(merged, "a.Main.loop()void"), 0) == 6);
    CHECK(merged.notes().LineOf(MethodNamed(merged, "a.Main.main()void"), 0) == 1);
    if (text.empty()) text = Text(merged);
    REQUIRE(Text(merged) == text);
    CHECK(Parse(text).notes().LineOf(MethodNamed(Parse(text), "a.Main.loop()void"), 0) == 6);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("unknown keys are united, disagreement is reported") {
  const Profile a = ParseTables(R"(,"vm":"17","a":1)");
  const Profile b = ParseTables(R"(,"vm":"25","b":2)");
  ProfileMerger merger;
  merger.Add(b);
  merger.Add(a);
  CHECK(merger.ConflictingKeys() == std::vector<std::string>{"vm"});
  const Profile merged = merger.Finish();
  REQUIRE(merged.extras().size() == 3);
  CHECK(merged.extras()[2] == ExtraKey{"vm", "\"17\""});
}

TEST_CASE("MergeFiles leaves out what is chosen when all have been read") {
  const TemporaryFolder folder;
  const std::string a = folder.Write("a", Text(MakeRandomProfile(1)));
  const std::string b = folder.Write("b", Text(MakeRandomProfile(2)));
  const std::string c =
      folder.Write("c", R"({"version":"1.0.0","types":[],"methods":[],"iprofagent":{"version":1,)"
                        R"("provenance":{"runs":[{"program":"app.jar"}]}}})");
  const MergeInput all[] = {{a, 1}, {b, 2}, {c, 1}, {"/nonexistent/x", 1}};
  size_t asked = 0;
  const auto merged =
      MergeFiles(all, {.failure_mode = FailureMode::kWarn,
                       .threads = 2,
                       .choose = [&](std::span<const InputRuns> inputs) -> std::vector<size_t> {
                         ++asked;
                         REQUIRE(inputs.size() == 4);
                         CHECK(inputs[0].was_read);
                         CHECK(inputs[0].runs.empty());
                         REQUIRE(inputs[2].runs.size() == 1);
                         CHECK(inputs[2].runs[0].program == "app.jar");
                         CHECK_FALSE(inputs[3].was_read);
                         return {0, 2};
                       }});
  REQUIRE(merged.ok());
  CHECK(asked == 1);
  CHECK(merged->merged == 1);
  CHECK(merged->left_out.size() == 1);
  const MergeInput rest[] = {{b, 2}};
  CHECK(Text(merged->profile) == Text(MergeFiles(rest, {})->profile));
}

TEST_CASE("MergeFiles: if all that were not left out vanish, the merge fails") {
  const TemporaryFolder folder;
  const std::string a = folder.Write("a", Text(MakeRandomProfile(1)));
  const std::string b = folder.Write("b", Text(MakeRandomProfile(2)));
  const MergeInput all[] = {{a, 1}, {b, 1}};
  const auto merged =
      MergeFiles(all, {.failure_mode = FailureMode::kAll,
                       .choose = [&](std::span<const InputRuns>) -> std::vector<size_t> {
                         std::filesystem::remove(b);
                         return {0};
                       }});
  REQUIRE_FALSE(merged.ok());
  CHECK(merged.status().code() == Code::kIo);
}

TEST_CASE("MergeFiles: what was found and has nothing yet is left out, in every failure mode") {
  const TemporaryFolder folder;
  const std::string good = folder.Write("good", Text(MakeRandomProfile(1)));
  const auto read = [&](const std::string& path) -> Result<Profile> {
    if (path == "new") return Status(Code::kNothingYet, "new: has nothing yet");
    return ReadProfileFile(path);
  };
  const MergeInput found[] = {{"new", 1, true}, {good, 1}, {"new", 1, true}};
  const MergeInput named[] = {{good, 1}, {"new", 1, false}};
  const MergeInput alone[] = {{"new", 1, true}};
  for (const FailureMode mode : {FailureMode::kAny, FailureMode::kAll, FailureMode::kWarn}) {
    const MergeOptions options{.failure_mode = mode, .threads = 2, .read = read};
    const auto merged = MergeFiles(found, options);
    REQUIRE(merged.ok());
    CHECK(merged->merged == 1);
    REQUIRE(merged->left_out.size() == 2);
    CHECK_FALSE(merged->left_out[0].is_failure);
    const auto with_named = MergeFiles(named, options);
    CHECK(with_named.ok() == (mode != FailureMode::kAny));
    if (with_named.ok()) CHECK(with_named->left_out.at(0).is_failure);
    CHECK(MergeFiles(alone, options).ok() == (mode == FailureMode::kWarn));
  }
}

TEST_CASE("MergeFiles: failure modes, threads, order") {
  const TemporaryFolder folder;
  const std::string good = folder.Write("good", Text(MakeRandomProfile(1)));
  const std::string other = folder.Write("other", Text(MakeRandomProfile(2)));
  // Damaged only at its end: nothing of it may be counted.
  std::string cut = Text(MakeRandomProfile(3));
  const std::string bad = folder.Write("bad", cut.substr(0, cut.rfind('}')));
  const MergeInput inputs[] = {{good, 1}, {bad, 1}, {other, 3}, {"/nonexistent/x", 1}};

  const auto any = MergeFiles(inputs, {.threads = 3});
  REQUIRE_FALSE(any.ok());
  CHECK(any.status().code() == Code::kBadInput);
  CHECK(any.status().message().find(bad) != std::string::npos);

  const auto warn = MergeFiles(inputs, {.failure_mode = FailureMode::kWarn, .threads = 3});
  REQUIRE(warn.ok());
  CHECK(warn->merged == 2);
  REQUIRE(warn->left_out.size() == 2);
  CHECK(warn->left_out[1].status.code() == Code::kIo);
  const MergeInput sound[] = {{other, 3}, {good, 1}};
  const auto expected = MergeFiles(sound, {.threads = 1});
  REQUIRE(expected.ok());
  CHECK(Text(warn->profile) == Text(expected->profile));

  const MergeInput hopeless[] = {{bad, 1}, {bad, 1}};
  CHECK_FALSE(MergeFiles(hopeless, {.failure_mode = FailureMode::kAll}).ok());
  CHECK(MergeFiles(hopeless, {.failure_mode = FailureMode::kWarn}).ok());
  size_t last_done = 0;
  const auto all = MergeFiles(inputs, {.failure_mode = FailureMode::kAll,
                                       .threads = 2,
                                       .on_progress = [&](size_t done, size_t total) {
                                         CHECK(done == last_done + 1);
                                         CHECK(total == 4);
                                         last_done = done;
                                       }});
  CHECK(all.ok());
  CHECK(last_done == 4);
}

TEST_CASE(
    "MergeFiles: out of memory in any thread is the caller's exception, not the process's end") {
  const TemporaryFolder folder;
  const std::string good = folder.Write("good", Text(MakeRandomProfile(1)));
  const std::vector<MergeInput> inputs(20, MergeInput{good, 1});
  for (const size_t failing : {1U, 2U, 7U, 20U}) {
    for (const unsigned threads : {1U, 4U}) {
      INFO(failing << ", " << threads << " threads");
      const auto on_progress = [failing](size_t done, size_t) {
        if (done == failing) throw std::bad_alloc();
      };
      CHECK_THROWS_AS(MergeFiles(inputs, {.failure_mode = FailureMode::kWarn,
                                          .threads = threads,
                                          .on_progress = on_progress}),
                      std::bad_alloc);
    }
  }
}

TEST_CASE("the canonical form does not depend on order or ids") {
  const Profile a = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"2:0<1:7","records":[3]},{"ctx":"1:0","records":[5]}])");
  const Profile b = Parse(
      R"({"version":"1.0.0","types":[{"id":31,"name":"a.Circle"},{"id":30,"name":"a.Shape"},)"
      R"({"id":20,"name":"a.Main"},{"id":8,"name":"void"}],"methods":[)"
      R"({"id":44,"name":"area","signature":[31,8]},{"id":43,"name":"area","signature":[30,8]},)"
      R"({"id":42,"name":"loop","signature":[20,8]},{"id":41,"name":"main","signature":[20,8]}],)"
      R"("callCountProfiles":[{"ctx":"41:0","records":[5]},{"ctx":"42:0<41:7","records":[3]}]})");
  CHECK(Text(CanonicalProfile(a)) == Text(CanonicalProfile(b)));
  CHECK(Text(a) != Text(b));
}

Profile SampledProfile(int64_t interval_ns, int64_t hot, int64_t rare) {
  Profile profile =
      ParseTables(R"(,"samplingProfiles":[{"ctx":"1:3","records":[)" + std::to_string(hot) +
                  R"(]},{"ctx":"2:5","records":[)" + std::to_string(rare) + "]}]");
  const std::string interval = std::to_string(interval_ns);
  SetAgentPart(profile, kSamplingPart,
               R"({"event":"cpu","intervalNs":)" + interval + R"(,"good":)" +
                   std::to_string(hot + rare) + R"(,"signals":)" + std::to_string(hot + rare) +
                   R"(,"writtenWeight":)" + std::to_string(hot + rare) + R"(,"outcomes":{}})");
  return profile;
}

TEST_CASE("MergeFiles weighs samples of different intervals by CPU time") {
  const TemporaryFolder folder;
  // Each for 10 s: one in 4 ms, mostly in one place, and one in 10 ms, mostly in the other.
  const Profile inputs[] = {SampledProfile(4'000'000, 2000, 500),
                            SampledProfile(10'000'000, 200, 800)};
  std::vector<MergeInput> all;
  for (size_t i = 0; i < std::size(inputs); ++i) {
    all.push_back({folder.Write(std::to_string(i), Text(inputs[i]))});
  }
  const Result<MergeResult> merged = MergeFiles(all, {});
  REQUIRE(merged.ok());
  CHECK_FALSE(merged->scaled);  // that is about calls and branches
  CHECK(merged->conflicting_keys.empty());
  CHECK(merged->profile.Total(Table::kSamples) == 2 * 1429);  // one in 7 ms
  std::vector<int64_t> counts;
  for (const EntryIndex entry : EntriesOf(merged->profile, Table::kSamples))
    counts.push_back(merged->profile.EntryCount(Table::kSamples, entry));
  std::sort(counts.begin(), counts.end());
  REQUIRE(counts.size() == 2);
  // Half of the time each: 80 % and 20 % of 10 s are here, 20 % and 80 % there.
  CHECK(std::abs(counts[0] - counts[1]) <= 2);
  const auto sampling = SamplingSum::Parse(*AgentPart(merged->profile, kSamplingPart));
  REQUIRE(sampling);
  CHECK(sampling->Kind().second == 7'000'000);
  CHECK(sampling->Number("signals") == 3500);
  CHECK(std::abs(sampling->Number("writtenWeight") - 2 * 1429) <= 1);
  std::reverse(all.begin(), all.end());
  CHECK(Text(MergeFiles(all, {})->profile) == Text(merged->profile));
}

TEST_CASE("MergeFiles reads samples once whose intervals differ by 5 % at most") {
  const TemporaryFolder folder;
  const MergeInput all[] = {{folder.Write("a", Text(SampledProfile(4'000'000, 300, 100)))},
                            {folder.Write("b", Text(SampledProfile(4'140'000, 100, 200)))}};
  size_t reads = 0;
  const Result<MergeResult> merged =
      MergeFiles(all, {.threads = 1, .read = [&](const std::string& path) {
                         ++reads;
                         return ReadProfileFile(path);
                       }});
  REQUIRE(merged.ok());
  CHECK(reads == 2);
  CHECK(merged->conflicting_keys.empty());
  CHECK(merged->profile.Total(Table::kSamples) == 700);
  const auto sampling = SamplingSum::Parse(*AgentPart(merged->profile, kSamplingPart));
  REQUIRE(sampling);
  CHECK(sampling->Kind().second == 4'060'000);
  CHECK(sampling->Number("writtenWeight") == 700);
}

}  // namespace
}  // namespace iprof
