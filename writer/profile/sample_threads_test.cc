#include "writer/profile/sample_threads.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/base/time_period.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/image/finish_for_image.h"
#include "writer/profile/image/image_note.h"
#include "writer/profile/image/split_test_profile.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/part_rules.h"
#include "writer/profile/io/reader.h"
#include "writer/profile/io/split_part.h"

namespace iprof {
namespace {

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

// All that an image build reads: what is before our section.
std::string BuildsPartOf(const std::string& text) {
  const size_t section = text.find("\"iprofagent\"");
  REQUIRE(section != std::string::npos);
  return text.substr(0, section);
}

std::vector<std::string> StacksIn(const Profile& profile) {
  std::vector<std::string> stacks;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::string text;
    profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry), [&](Frame frame) {
      text += profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci) + " ";
    });
    stacks.push_back(text + std::to_string(profile.EntryCount(Table::kSamples, entry)));
  }
  return stacks;
}
using Lines = std::vector<std::string>;

// The example of the header, and a sample of no known thread.
struct Example {
  CallProfile calls{1};
  MethodIndex pool = AddThread(calls.profile, "pool-*-thread-*");
  MethodIndex main = AddThread(calls.profile, "main");

  Example() {
    calls.Sample({{calls.loop, 7}, {pool, 0}}, 3);
    calls.Sample({{calls.loop, 7}, {main, 0}}, 4);
    calls.Sample({{calls.loop, 7}}, 2);
    calls.Sample({{calls.main, 5}}, 1);
  }
};

TEST_CASE("threads have a name for people and are counted") {
  const Example example;
  const Profile& profile = example.calls.profile;
  CHECK(profile.DescribeMethod(example.pool) == "[pool-*-thread-*]");
  CHECK(ThreadFrames(profile).count() == 2);
  const auto threads = ThreadsOf(profile);
  REQUIRE(threads.size() == 3);
  CHECK((threads[0].name == "main" && threads[0].weight == 4));
  CHECK((threads[1].name.empty() && threads[1].weight == 3));
  CHECK((threads[2].name == "pool-*-thread-*" && threads[2].weight == 3));
}

TEST_CASE("a profile without threads, and with those of some threads") {
  const Example example;
  const Profile& profile = example.calls.profile;
  const Profile main = SamplesOfThreads(profile, [](auto name) { return name == "main"; });
  CHECK(StacksIn(main) == Lines{"Main.loop()void:7 4"});
  const Profile unknown = SamplesOfThreads(profile, [](auto name) { return name.empty(); });
  CHECK(StacksIn(unknown) == Lines{"Main.loop()void:7 2", "Main.main()void:5 1"});
  const Profile all = SamplesOfThreads(profile, [](auto) { return true; });
  CHECK(StacksIn(all) == Lines{"Main.loop()void:7 9", "Main.main()void:5 1"});
  CHECK_FALSE(ThreadFrames(all).any());
  CHECK(all.method_count() == profile.method_count() - 2);
}

TEST_CASE("the file's table has no threads, and a reader finds them") {
  const Example example;
  const std::string text = TextOf(example.calls.profile);
  CHECK(BuildsPartOf(text) == BuildsPartOf(TextOf(CallProfile(1).profile)) +
                                  R"("samplingProfiles":[{"ctx":"1:7","records":[9]},)"
                                  R"({"ctx":"0:5","records":[1]}],)");
  CHECK(text.find(R"("threads":["pool-*-thread-*","main"],"of":[[0,0,3,1,4]])") !=
        std::string::npos);
  const Profile read = Read(text);
  CHECK(StacksIn(read) == Lines{"Main.loop()void:7 [pool-*-thread-*]:0 3",
                                "Main.loop()void:7 [main]:0 4", "Main.loop()void:7 2",
                                "Main.main()void:5 1"});
  CHECK(TextOf(read) == text);
}

TEST_CASE("names of threads are any text") {
  CallProfile calls(1);
  for (const char* name : {"a;b", "line\nbreak", "\xf0\x9f\x98\x80", "\"]}<"})
    calls.Sample({{calls.loop, 7}, {AddThread(calls.profile, name), 0}}, 1);
  const Profile read = Read(TextOf(calls.profile));
  CHECK(StacksIn(read) == StacksIn(calls.profile));
}

// Stacks with machinery that a build has cut, with calls that it has split, and without both.
void AddStacks(CallProfile& calls, uint64_t seed, bool with_threads) {
  const MethodIndex accessor = calls.Declare(
      calls.profile.AddType("jdk.internal.reflect.DirectMethodHandleAccessor"), "invoke");
  std::vector<MethodIndex> threads;
  RepeatableRandom random(seed);
  for (int i = 0; i < 60; ++i) {
    std::vector<Frame> frames;
    frames.push_back(
        {calls.runs[random.Below(calls.runs.size())], static_cast<Bci>(random.Below(3))});
    if (!random.OneIn(3)) frames.push_back(calls.call);
    if (random.OneIn(4)) frames.push_back({accessor, 4});
    if (!random.OneIn(5)) frames.push_back({calls.main, 5});
    const auto weight = static_cast<int64_t>(1 + random.Below(50));
    const uint64_t thread = random.Below(4);
    const auto period = static_cast<uint32_t>(random.Below(6));
    if (with_threads && thread != 0) {
      const std::string name = thread == 3 ? "" : "thread " + std::string(thread, 'x');
      const Bci bci =
          period == 5 && thread != 3 ? 0 : FrameBciOf(static_cast<int>(BeginOf(period)));
      frames.push_back({AddThread(calls.profile, name), bci});
    }
    calls.Sample(frames, weight);
  }
}

TEST_CASE("an image build is given the same bytes with and without threads") {
  const auto seed = static_cast<uint64_t>(GENERATE(range(0, 40)));
  std::string texts[2];
  for (const bool with_threads : {false, true}) {
    CallProfile calls(3);
    calls.Receive(calls.call, {20'000, 100'000, 3'000});
    AddStacks(calls, seed, with_threads);
    Profile profile = std::move(calls.profile);
    if (seed % 2 == 1) profile = FinishForImage(std::move(profile), ImageTarget::k21, true).profile;
    texts[with_threads ? 1 : 0] = TextOf(profile);
    const Profile read = Read(texts[with_threads ? 1 : 0]);
    CHECK(ThreadFrames(read).any() == with_threads);
    CHECK(read.Total(Table::kSamples) == profile.Total(Table::kSamples));
    CHECK(TextOf(read) == texts[with_threads ? 1 : 0]);
    const auto before = ThreadsOf(profile);
    const auto after = ThreadsOf(read);
    REQUIRE(before.size() == after.size());
    for (size_t t = 0; t < before.size(); ++t) CHECK(before[t].weight == after[t].weight);
    const auto periods = PeriodsOf(profile);
    const auto periods_after = PeriodsOf(read);
    REQUIRE(periods.size() == periods_after.size());
    CHECK((periods.size() > 3) == with_threads);
    for (size_t p = 0; p < periods.size(); ++p)
      CHECK((periods[p].begin == periods_after[p].begin &&
             periods[p].weight == periods_after[p].weight));
    if (with_threads) CHECK(TextOf(WithoutThreads(Read(texts[1]))) == texts[0]);
  }
  CHECK(BuildsPartOf(texts[0]) == BuildsPartOf(texts[1]));
}

TEST_CASE("threads that do not fit are left out, and the stacks stay") {
  const std::string text = TextOf(Example().calls.profile);
  const std::string good = R"("of":[[0,0,3,1,4]])";
  const auto with = [&](const std::string& of) {
    std::string changed = text;
    return changed.replace(changed.find(good), good.size(), of);
  };
  for (const char* of : {R"("of":[[0,0,300,1,4]])", R"("of":[[2,0,1]])"}) {
    INFO(of);
    const Profile read = Read(with(of));
    CHECK_FALSE(ThreadFrames(read).any());
    CHECK(StacksIn(read) == Lines{"Main.loop()void:7 9", "Main.main()void:5 1"});
  }
  for (const char* of : {R"("of":[[0,2,3]])", R"("of":[[0,0]])", R"("of":[[0,0,-1]])",
                         R"("of":[[1,0,1],[0,0,1]])"}) {
    INFO(of);
    const Profile read = Read(with(of));
    CHECK_FALSE(ThreadFrames(read).any());
    CHECK_FALSE(
        IsSplitPart(std::string(R"({"sites":0,"whole":[],"threads":["a","b"],)") + of + "}"));
  }
}

// In loop: the pool has 3 in second 0, 2 from second 4 on and 1 at no known time; 5 of no known thread are from second 6 on. In
// main: 1 of which nothing is known.
Profile WithPeriods() {
  CallProfile calls(1);
  const MethodIndex pool = AddThread(calls.profile, "pool");
  const MethodIndex unknown = AddThread(calls.profile, "");
  calls.Sample({{calls.loop, 7}, {pool, FrameBciOf(0)}}, 3);
  calls.Sample({{calls.loop, 7}, {pool, FrameBciOf(4)}}, 2);
  calls.Sample({{calls.loop, 7}, {pool, 0}}, 1);
  calls.Sample({{calls.loop, 7}, {unknown, FrameBciOf(6)}}, 5);
  calls.Sample({{calls.main, 5}}, 1);
  return std::move(calls.profile);
}

TEST_CASE("the part says in which periods the samples of each thread were taken") {
  const std::string text = TextOf(WithPeriods());
  const Profile read = Read(text);
  CHECK(
      text.find(R"("threads":["pool"],"of":[[0,0,6]],"seconds":[0,4,6],"during":[[0,3,1,2],2])") !=
      std::string::npos);
  CHECK(StacksIn(read) == Lines{"Main.loop()void:7 [pool]:1 3", "Main.loop()void:7 [pool]:5 2",
                                "Main.loop()void:7 [pool]:0 1", "Main.loop()void:7 []:7 5",
                                "Main.main()void:5 1"});
  CHECK(TextOf(read) == text);
  CHECK(KnowsThreads(read));
  const Profile of_threads = WithLabels(Read(text), SampleLabels::kThreads);
  CHECK(StacksIn(of_threads) ==
        Lines{"Main.loop()void:7 [pool]:0 6", "Main.loop()void:7 5", "Main.main()void:5 1"});
  StringSource source(text);
  const Result<Profile> without = ReadProfile(source, "text", SampleLabels::kNone);
  REQUIRE(without.ok());
  CHECK(StacksIn(*without) == Lines{"Main.loop()void:7 11", "Main.main()void:5 1"});
}

TEST_CASE("samples of a time are those of the periods that reach into it") {
  const Profile profile = WithPeriods();
  const auto weights = [&](uint64_t from, uint64_t to) {
    return SamplesOfPeriods(profile, from, to).Total(Table::kSamples);
  };
  CHECK(weights(0, UINT64_MAX) == 10);
  CHECK(weights(0, 1) == 3);
  CHECK(weights(0, 5) == 5);
  CHECK(weights(5, 6) == 2);
  CHECK(weights(5, 7) == 7);
  CHECK(weights(8, UINT64_MAX) == 0);
  const auto periods = PeriodsOf(profile);
  REQUIRE(periods.size() == 3);
  CHECK((periods[1].begin == 4 && periods[1].weight == 2));
  CHECK_FALSE(KnowsThreads(SamplesOfPeriods(profile, 6, 8)));
}

TEST_CASE("periods that do not fit are left out, and threads stay") {
  const std::string text = TextOf(WithPeriods());
  const std::string good = R"("during":[[0,3,1,2],2])";
  const auto with = [&](const std::string& during) {
    std::string changed = text;
    return changed.replace(changed.find(good), good.size(), during);
  };
  for (const char* during : {R"("during":[[0,300,1,2],2])", R"("during":[[0,3,1,2],2,[],1])",
                             R"("during":[[0,3,1,2],[2,6]])"}) {
    INFO(during);
    const Profile read = Read(with(during));
    CHECK(PeriodsOf(read).empty());
    CHECK(ThreadsOf(read).size() == 2);
  }
  for (const char* wrong :
       {R"("during":[3])", R"("during":[[0]])", R"("during":[[0,-1]])", R"("during":7)",
        R"("during":["0"])", R"("during":[],"seconds":[0,5])", R"("during":[],"seconds":[4,1])",
        R"("during":[],"seconds":[-1])", R"("during":[],"seconds":[98304])"}) {
    INFO(wrong);
    const std::string part =
        R"({"sites":0,"whole":[],"seconds":[0,1,2],)" + std::string(wrong) + "}";
    CHECK_FALSE(IsSplitPart(part));
  }
  CHECK(IsSplitPart(R"({"sites":0,"whole":[],"seconds":[0,1,6],"during":[2,[],[0,7,1,2]]})"));
}

}  // namespace
}  // namespace iprof
