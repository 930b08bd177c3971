// The line about a profile, and the warnings about what it lacks.
#include "agent/vm/session/dump/profile_report.h"

#include <fmt/core.h>

#include <catch2/catch.hpp>

#include "writer/profile/image/split_test_profile.h"
#include "writer/profile/image/write_for_image.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/estimate_note.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/profile/io/reader.h"

namespace iprof::vm {
namespace {

Options Parsed(std::string_view text) {
  const auto parsed = ParseOptions(text);
  REQUIRE(parsed.ok());
  return parsed->options;
}

// A method that ran, with a branch, and samples.
Profile Example() {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex type = profile.AddType("com.acme.Main");
  const TypeIndex signature[] = {type, profile.AddType("void")};
  const MethodIndex method = profile.AddMethod("run", signature);
  const ContextIndex at = profile.AddContext(kNoContext, method, Bci{0});
  profile.AddCount(Table::kCalls, at, 7);
  const Successor successors[] = {{.bci = Bci{3}, .index = 0, .count = 2},
                                  {.bci = Bci{9}, .index = 1, .count = 5}};
  profile.AddSuccessors(at, successors);
  profile.AddCount(Table::kSamples, at, 1234);
  return profile;
}

TEST_CASE("the line says how much there is, and how exact it is") {
  const Profile profile = Example();
  AssemblyResult assembly;
  assembly.methods_exact = 1;
  CHECK(DescribeProfile(profile, Parsed(""), &assembly) ==
        "1 method ran, 1 site, 1,234 samples; counts exact but for races between threads");
  assembly.methods_bounded = 2;
  assembly.largest_k = 3;
  CHECK(DescribeProfile(profile, Parsed("samples=n"), &assembly) ==
        "1 method ran, 1 site; counts exact but for races between threads; 2 methods may be off by "
        "up to "
        "3, because exceptions ended calls or calls had not ended");
  assembly.methods_unknown = 1;
  CHECK(DescribeProfile(profile, Parsed("samples=n"), &assembly) ==
        "1 method ran, 1 site; counts exact but for races between threads; 3 methods may be off, "
        "because exceptions ended calls or calls had not ended: 2 by up to 3, 1 by an unknown "
        "number");
}

TEST_CASE("the line warns of few signals of any weight") {
  Profile profile = Example();
  const auto with_signals = [&](int good) {
    SetAgentPart(profile, kSamplingPart,
                 fmt::format(R"({{"event":"cpu","intervalNs":1000000,"good":{}}})", good));
    return DescribeProfile(profile, Parsed("calls=n,branches=n,receivers=n,monitors=n"), nullptr);
  };
  CHECK(with_signals(500) == "1,234 samples");
  CHECK(with_signals(499) ==
        "1,234 samples (from 499 signals; some consumers ignore fewer than 500)");
  CHECK(with_signals(2000) == "1,234 samples");
}

TEST_CASE("the line warns of few signals, also where pieces make twice as many samples of them") {
  CallProfile program(2);
  program.Receive(program.call, {9500, 500});
  program.SampleIn(program.runs[1], 300);
  StringSink sink;
  REQUIRE(WriteForImage(program.profile, {}, sink).ok());
  CHECK(sink.text().find("\"split\"") != std::string::npos);
  const auto read = ReadProfileText(sink.text());
  REQUIRE(read.ok());
  CHECK(DescribeProfile(*read, Parsed("calls=n,branches=n,receivers=n,monitors=n"), nullptr) ==
        "300 samples (some consumers ignore fewer than 500)");
}

TEST_CASE("the line counts the samples that a build is given") {
  CallProfile program(1);
  program.SampleIn(program.runs[0], 480);
  const MethodIndex load =
      program.Declare(program.profile.AddType("jdk.internal.loader.BootLoader"), "load");
  program.Sample({{load, 4}, {program.main, 5}}, 30);
  const auto line = [&] {
    return DescribeProfile(program.profile, Parsed("calls=n,branches=n,receivers=n,monitors=n"),
                           nullptr);
  };
  CHECK(line() == "510 samples");
  SetAgentPart(program.profile, kImagePart, R"({"target":25,"filtered":true})");
  CHECK(line() == "480 samples (some consumers ignore fewer than 500)");
}

TEST_CASE("the line says how much is estimated") {
  Profile profile = Example();
  EstimateNote note{{{"com.acme.Main.run()void", 5}, {"com.acme.Main.rest()void", 0}}};
  SetAgentPart(profile, kEstimatesPart, note.ToJson());
  AssemblyResult assembly;
  assembly.methods_exact = 1;
  assembly.methods_bounded = 2;
  assembly.largest_k = 3;
  assembly.NoteEstimated(1);
  CHECK(DescribeProfile(profile, Parsed("samples=n,count-until=9"), &assembly) ==
        "1 method ran, 1 site; counts exact but for races between threads; 1 method with 71.4 % of "
        "all calls is estimated, because it lost its probes; 2 methods may be off by up to 3, "
        "because "
        "exceptions ended calls or calls had not ended");
  note.calls["com.acme.Main.rest()void"] = 1;
  SetAgentPart(profile, kEstimatesPart, note.ToJson());
  assembly.methods_bounded = 0;
  CHECK(DescribeProfile(profile, Parsed("samples=n,count-until=9"), &assembly) ==
        "1 method ran, 1 site; counts exact but for races between threads; 2 methods with 85.7 % "
        "of all calls are estimated, because they lost their probes");
}

TEST_CASE("the line says that compilers replaced calls") {
  Profile profile = Example();
  AssemblyResult assembly;
  assembly.methods_exact = 1;
  assembly.methods_replaced = 1;
  EstimateNote note{{{"com.acme.Main.run()void", 5}}};
  SetAgentPart(profile, kEstimatesPart, note.ToJson());
  CHECK(DescribeProfile(profile, Parsed("samples=n"), &assembly) ==
        "1 method ran, 1 site; counts exact but for races between threads; 1 method with 71.4 % of "
        "all calls is estimated, because compilers replaced calls of it");
  note.calls["com.acme.Main.rest()void"] = 1;
  SetAgentPart(profile, kEstimatesPart, note.ToJson());
  assembly.NoteEstimated(1);
  CHECK(DescribeProfile(profile, Parsed("samples=n,count-until=9"), &assembly) ==
        "1 method ran, 1 site; counts exact but for races between threads; 2 methods with 85.7 % "
        "of all calls are estimated, because they lost their probes or compilers replaced calls of "
        "them");
}

TEST_CASE("the line names only what was to be recorded") {
  Profile profile = Example();
  CHECK(DescribeProfile(profile, Parsed("calls=n,branches=n,receivers=n,monitors=n"), nullptr) ==
        "1,234 samples");
  const AssemblyResult exact;
  const Options both = Parsed("source=both,include=com.acme.*,samples=n");
  // HotSpot's counters could not be read.
  CHECK(DescribeProfile(profile, Parsed("source=methoddata"), nullptr) ==
        "1,234 samples; without HotSpot's counters");
  CHECK(DescribeProfile(profile, Parsed("source=methoddata,samples=n"), nullptr) ==
        "nothing; without HotSpot's counters");
  CHECK(DescribeProfile(profile, both, &exact) ==
        "1 method ran, 1 site; counts exact but for races between threads; without HotSpot's "
        "counters of other classes");
  SetAgentPart(profile, kHarvestPart, HarvestNote().ToJson());
  CHECK(DescribeProfile(profile, Parsed("source=methoddata"), nullptr) ==
        "1 method ran, 1 site, 1,234 samples; counts are HotSpot's, calls estimated");
  CHECK(DescribeProfile(profile, Parsed("source=methoddata,estimate=n"), nullptr) ==
        "1 method ran, 1 site, 1,234 samples; counts are HotSpot's");
  CHECK(DescribeProfile(profile, both, &exact) ==
        "1 method ran, 1 site; counts exact but for races between threads; those of classes "
        "outside include= are HotSpot's");
}

TEST_CASE("a profile without entries is empty, also with types and methods") {
  Profile profile;
  CHECK(IsEmpty(profile));
  profile.AddStandardTypes();
  const TypeIndex signature[] = {profile.AddType("a.B"), profile.AddType("void")};
  const MethodIndex method = profile.AddMethod("run", signature);
  CHECK(IsEmpty(profile));
  profile.AddCount(Table::kSamples, profile.AddContext(kNoContext, method, Bci{0}), 1);
  CHECK_FALSE(IsEmpty(profile));
}

TEST_CASE("a profile in which nothing could be counted is none, even with samples") {
  Profile sampled;
  sampled.AddStandardTypes();
  const TypeIndex signature[] = {sampled.AddType("a.B"), sampled.AddType("void")};
  const MethodIndex method = sampled.AddMethod("run", signature);
  sampled.AddCount(Table::kSamples, sampled.AddContext(kNoContext, method, Bci{0}), 1);
  const auto why = [](const Profile& profile, std::string_view options,
                      const std::vector<std::string>& unmatched) {
    return FindNothing(profile, Parsed(options), unmatched).message();
  };
  CHECK(why(sampled, "include=com.nope.*", {"com.nope.*"}) ==
        "nothing was counted, because include=com.nope.* matches no class that was loaded (names "
        "have dots, not slashes; force=always writes it anyway)");
  CHECK(why(Profile(), "include=x.*+y.*", {"x.*", "y.*"}).find("include=x.*+y.* matches") !=
        std::string::npos);
  CHECK(why(sampled, "include=com.nope.*,force=always", {"com.nope.*"}).empty());
  // A pattern that matches, or counts of other classes (source=both): there is something.
  CHECK(why(sampled, "include=a.*+com.nope.*", {"com.nope.*"}).empty());
  CHECK(why(Example(), "include=com.nope.*", {"com.nope.*"}).empty());
  // Only samples are wanted, or nothing was counted yet.
  CHECK(why(sampled, "", {}).empty());
  CHECK(why(Profile(), "", {}) == "nothing was recorded (force=always writes it anyway)");
  CHECK(why(Profile(), "force=always", {}).empty());
}

TEST_CASE("empty tables that were asked for are one warning") {
  const Profile profile = Example();
  using Lines = std::vector<std::string>;
  CHECK(FindMissing(profile, Parsed(""), {}) ==
        Lines{"the profile has no receivers, no monitors, which were to be recorded"});
  CHECK(FindMissing(profile, Parsed("receivers=n"), {}) ==
        Lines{"the profile has no monitors, which were to be recorded"});
  CHECK(FindMissing(profile, Parsed("receivers=n,monitors=n"), {}).empty());
}

TEST_CASE("each pattern of include= that matches no class is named") {
  const Profile profile = Example();
  const Options none = Parsed("receivers=n,monitors=n");
  using Lines = std::vector<std::string>;
  CHECK(UnmatchedPatterns(profile, Parsed("include=com.acme.*")).empty());
  CHECK(UnmatchedPatterns(profile, Parsed("include=com.acme.*+com/acme/*+org.x.Y")) ==
        Lines{"com/acme/*", "org.x.Y"});
  CHECK(FindMissing(profile, none, {"com/acme/*", "org.x.Y"}) ==
        Lines{"include=com/acme/* matches no class that was loaded (names have dots, not slashes)",
              "include=org.x.Y matches no class that was loaded (names have dots, not slashes)"});
}

}  // namespace
}  // namespace iprof::vm
