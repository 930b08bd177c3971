#include "writer/profile/image/sample_split.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>

#include "writer/profile/image/image_note.h"
#include "writer/profile/image/image_profile.h"
#include "writer/profile/image/sampled_calls.h"
#include "writer/profile/image/site_receivers.h"
#include "writer/profile/image/split_test_profile.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/reader.h"

namespace iprof {
namespace {

std::vector<SampledStack> Written(const Profile& profile) {
  const std::vector<SampledStack> whole = StacksOf(profile);
  const SplitPart split = SplitSamples(profile);
  std::vector<SampledStack> written;
  for (const StackView& stack : WrittenStacks(whole, split))
    written.push_back({{stack.frames.begin(), stack.frames.end()}, stack.weight});
  return written;
}

std::string TextOf(const Profile& profile) {
  StringSink sink;
  REQUIRE(WriteForImage(profile, {}, sink).ok());
  return sink.text();
}

Profile Read(const std::string& text) {
  Result<Profile> profile = ReadProfileText(text);
  if (!profile.ok()) FAIL(profile.status().message());
  return std::move(*profile);
}

// The rule, tried in the simplest way: all chains of all stacks. Returns the first call that contradicts its receivers.
struct SimpleBuild {
  using Chain = std::vector<std::pair<uint32_t, Bci>>;
  struct Seen {
    int64_t weight = 0;
    size_t last_stack = SIZE_MAX;
    std::set<MethodIndex> callees;
  };

  explicit SimpleBuild(const std::vector<SampledStack>& stacks) {
    for (size_t s = 0; s < stacks.size(); ++s) {
      total += stacks[s].weight;
      for (size_t at = 0; at < stacks[s].frames.size(); ++at) Add(stacks[s], s, at);
    }
  }

  void Add(const SampledStack& stack, size_t number, size_t at) {
    Chain chain;
    for (size_t end = at; end <= stack.frames.size(); ++end) {
      const bool is_bottom = end == stack.frames.size();
      chain.emplace_back(is_bottom ? UINT32_MAX : static_cast<uint32_t>(stack.frames[end].method),
                         is_bottom ? -1 : stack.frames[end].bci);
      Seen& seen = chains[chain];
      if (seen.last_stack != number) seen.weight += stack.weight;
      seen.last_stack = number;
      if (at > 0) seen.callees.insert(stack.frames[at - 1].method);
    }
  }

  size_t Contradictions(const SiteReceivers& receivers) const {
    size_t count = 0;
    for (const auto& [chain, seen] : chains) {
      const Frame site{MethodIndex{chain.front().first}, chain.front().second};
      if (seen.weight * kHotOneIn < total || seen.callees.empty() || !receivers.Matters(site))
        continue;
      if (!receivers.Agrees(site, seen.callees)) ++count;
    }
    return count;
  }

  int64_t total = 0;
  std::map<Chain, Seen> chains;
};

TEST_CASE("a stray sample of a rare class is cut off") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[1], 40);
  program.Sample({{program.loop, 20}, {program.main, 5}}, 60);
  const SplitPart split = SplitSamples(program.profile);
  CHECK(split.sites == 1);
  REQUIRE(split.stacks.size() == 1);
  CHECK(split.stacks[0].pieces == std::vector<StackPiece>{{0, 1}, {1, 3}});
  CHECK(SimpleBuild(StacksOf(program.profile)).Contradictions(SiteReceivers::Of(program.profile)) >
        0);
}

TEST_CASE("samples that agree stay whole") {
  CallProfile program(2);
  program.Receive(program.call, {6000, 4000});
  program.SampleIn(program.runs[0], 10);
  program.SampleIn(program.runs[1], 90);
  CHECK(SplitSamples(program.profile) == SplitPart());
}

TEST_CASE("where the call is not hot, a build looks at the receivers anyway") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[1], 4);
  program.Sample({{program.loop, 20}, {program.main, 5}}, 96);
  CHECK(SplitSamples(program.profile) == SplitPart());
}

TEST_CASE("a call that hardly ran is no reason to cut") {
  CallProfile program(2);
  program.Receive(program.call, {95 * kFewestCalls / 100, 5 * kFewestCalls / 100 - 1});
  program.SampleIn(program.runs[1], 40);
  CHECK(SplitSamples(program.profile) == SplitPart());
  program.Receive(program.call, {1});
  CHECK(SplitSamples(program.profile).sites == 1);
}

TEST_CASE("the part is the one that a written profile has") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[1], 40);
  const Profile read = Read(TextOf(program.profile));
  AddSplitPart(program.profile);
  CHECK(SplitPart::Of(program.profile) == SplitPart::Of(read));
  CHECK(SplitPart::Of(read).added() == 40);
  CallProfile other(2);
  AddSplitPart(other.profile);
  CHECK_FALSE(AgentPart(other.profile, kSplitPart).has_value());
}

TEST_CASE("every stack through the site is cut, at its first and last such call") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[0], 10);
  const Frame call = program.call;
  program.Sample({{program.runs[1], 3}, call, {program.main, 5}, call, {program.main, 6}, call}, 5);
  const SplitPart split = SplitSamples(program.profile);
  REQUIRE(split.stacks.size() == 2);
  CHECK(split.stacks[0].pieces == std::vector<StackPiece>{{0, 1}, {1, 3}});
  CHECK(split.stacks[1].pieces == std::vector<StackPiece>{{0, 1}, {5, 6}});
}

TEST_CASE("estimates are no reason to cut") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[1], 40);
  SetAgentPart(program.profile, kHarvestPart, HarvestNote().ToJson());
  CHECK(SplitSamples(program.profile) == SplitPart());
}

TEST_CASE("other programs' profiles are left as they are") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[1], 40);
  program.profile.RemoveExtras();
  CHECK(SplitSamples(program.profile) == SplitPart());
  program.profile.SetExtra(kAgentKey, R"({"version":2})");
  CHECK(SplitSamples(program.profile) == SplitPart());
}

TEST_CASE("no samples, no receivers") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  CHECK(SplitSamples(program.profile) == SplitPart());
  CallProfile other(2);
  other.SampleIn(other.runs[1], 40);
  CHECK(SplitSamples(other.profile) == SplitPart());
}

// A program of methods that call each other at sites of several classes, with random counts and stacks.
CallProfile RandomProgram(std::mt19937& random) {
  const auto below = [&](size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random);
  };
  const size_t classes = 2 + below(6);
  CallProfile program(classes, {below(classes * 2), below(classes * 3)});
  std::vector<Frame> sites;
  for (size_t i = 0; i < 3; ++i) sites.push_back({program.loop, static_cast<Bci>(7 + 10 * i)});
  for (const MethodIndex run : program.runs) sites.push_back({run, 7});
  for (const Frame& site : std::vector<Frame>(sites)) {
    if (below(4) == 0) continue;
    std::vector<int64_t> counts;
    for (size_t i = 0; i < classes; ++i) {
      const int64_t count = static_cast<int64_t>(below(3'000) * below(3));
      counts.push_back(count);
    }
    program.Receive(site, counts);
  }
  const size_t stacks = 1 + below(40);
  for (size_t i = 0; i < stacks; ++i) {
    std::vector<Frame> frames = {{program.runs[below(classes)], 3}};
    for (size_t depth = below(8); depth > 0; --depth) frames.push_back(sites[below(sites.size())]);
    frames.push_back({program.main, 5});
    program.Sample(frames, static_cast<int64_t>(1 + below(30)));
  }
  return program;
}

std::map<std::string, int64_t> ByContext(const Profile& profile) {
  std::map<std::string, int64_t> samples;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    samples[profile.FormatContext(profile.EntryContext(Table::kSamples, entry))] +=
        profile.EntryCount(Table::kSamples, entry);
  }
  return samples;
}

TEST_CASE("a filtered profile keeps whole stacks, and its file has what an image can follow") {
  CallProfile program(1);
  const MethodIndex invoke = program.Declare(
      program.profile.AddType("jdk.internal.reflect.DirectMethodHandleAccessor"), "invoke");
  program.Sample({{program.runs[0], 3}, {invoke, 40}, {program.main, 5}}, 60);
  program.Sample({{program.loop, 20}, {program.main, 5}}, 40);
  const Profile made = MakeImageProfile(program.profile, ImageTarget::k25).profile;
  CHECK(HasWholeStacks(made));
  const std::string text = TextOf(made);
  CHECK(text.find("<" + std::to_string(program.profile.MethodFileId(invoke)) + ":40<") !=
        std::string::npos);
  CHECK(text.find(R"("name":"invoke")") == std::string::npos);
  const Profile read = Read(text);
  CHECK(HasWholeStacks(read));
  CHECK(ByContext(read) == ByContext(made));
  CHECK(TextOf(read) == text);
  const SplitPart split = SplitPart::Of(read);
  REQUIRE(split.stacks.size() == 1);
  CHECK(split.stacks[0].pieces == std::vector<StackPiece>{{0, 1}});
}

// Main.main calls run() of a class by reflection, and loads a class.
struct Reflective : CallProfile {
  Reflective() : CallProfile(1) {
    invoke = Declare(profile.AddType("jdk.internal.reflect.DirectMethodHandleAccessor"), "invoke");
    get = Declare(profile.AddType("java.util.HashMap"), "get");
    load = Declare(profile.AddType("jdk.internal.loader.BootLoader"), "load");
    Sample({{runs[0], 3}, {invoke, 40}, {main, 5}}, 60);
    Sample({{get, 2}, {load, 4}, {main, 5}}, 30);
    Sample({{loop, 20}, {main, 5}}, 10);
  }
  void Note(bool filtered, std::string_view split) {
    SetAgentPart(profile, kImagePart, ImageNote{ImageTarget::k25, filtered}.ToJson());
    SetAgentPart(profile, kSplitPart, split);
  }
  MethodIndex invoke{};
  MethodIndex get{};
  MethodIndex load{};
};

TEST_CASE("what a build is given of each sample") {
  Reflective program;
  CHECK(SamplesForBuild(program.profile) == 100);
  CHECK(CutsOfSamples(program.profile) ==
        std::vector<StackCut>{{0, 3, false}, {0, 3, false}, {0, 2, false}});
  program.Note(true, kCompleteSplit);
  CHECK(SamplesForBuild(program.profile) == 70);
  CHECK(CutsOfSamples(program.profile) ==
        std::vector<StackCut>{{0, 1, false}, {0, 0, false}, {0, 2, false}});
}

TEST_CASE(
    "in a merge with an unfiltered profile, samples are cut, also if an earlier build cut some") {
  for (const std::string_view split : {kCompleteSplit, kIncompleteSplit}) {
    Reflective program;
    program.Note(false, split);
    CHECK(HasWholeStacks(program.profile) == (split == kCompleteSplit));
    CHECK(SamplesForBuild(program.profile) == 70);
    const std::string text = TextOf(program.profile);
    CHECK(text.find(R"("name":"load")") == std::string::npos);
    const Profile read = Read(text);
    CHECK(HasWholeStacks(read) == (split == kCompleteSplit));
    CHECK(ByContext(read) == ByContext(program.profile));
    CHECK(TextOf(read) == text);
  }
}

TEST_CASE("an earlier build's filtered file says nothing of what it cut") {
  CallProfile program(1);
  program.SampleIn(program.runs[0], 5);
  SetAgentPart(program.profile, kImagePart, ImageNote{ImageTarget::k25, true}.ToJson());
  CHECK_FALSE(HasWholeStacks(program.profile));
  CHECK_FALSE(HasWholeStacks(MakeImageProfile(program.profile, ImageTarget::k25).profile));
  CHECK_FALSE(HasWholeStacks(Read(TextOf(program.profile))));
  CHECK(HasWholeStacks(CallProfile(1).profile));
}

TEST_CASE("random programs: no sample contradicts receivers, and whole stacks come back") {
  std::mt19937 random(41);
  size_t with_contradictions = 0;
  for (int round = 0; round < 500; ++round) {
    CAPTURE(round);
    const CallProfile program = RandomProgram(random);
    const Profile& profile = program.profile;
    const SiteReceivers receivers = SiteReceivers::Of(profile);
    const size_t before = SimpleBuild(StacksOf(profile)).Contradictions(receivers);
    with_contradictions += before > 0 ? 1 : 0;
    CHECK(SimpleBuild(Written(profile)).Contradictions(receivers) == 0);
    CHECK((before > 0) == !SplitSamples(profile).stacks.empty());
    const std::string text = TextOf(profile);
    const Profile again = Read(text);
    CHECK(ByContext(again) == ByContext(profile));
    CHECK(TextOf(again) == text);
  }
  CHECK(with_contradictions > 100);
}

}  // namespace
}  // namespace iprof
