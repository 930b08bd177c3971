#include "writer/ops/advice.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "writer/ops/ops_test_profiles.h"
#include "writer/profile/io/agent_section.h"

namespace iprof {
namespace {

// Main.main and Main.loop ran often, with a branch, receivers and samples.
Profile Enough() {
  return ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[4000]},{"ctx":"2:0","records":[4000]}],)"
      R"("conditionalProfiles":[{"ctx":"2:3","records":[9,0,3000,6,1,1000]}],)"
      R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[12,4000]}],)"
      R"("samplingProfiles":[{"ctx":"2:7<1:5","records":[6000]}])");
}

std::vector<std::string> RulesOf(const Advice& advice) {
  std::vector<std::string> rules;
  for (const Reason& reason : advice.reasons) rules.emplace_back(reason.rule);
  return rules;
}

using Rules = std::vector<std::string>;

TEST_CASE("A profile with enough of everything is usable, and the next command is the image's") {
  const Advice advice = AdviseOn(Enough(), AdviceContext());
  CHECK(RulesOf(advice).empty());
  CHECK(advice.Line() == "usable");
  CHECK(advice.next == "native-image --pgo=app.iprof -jar app.jar");
  CHECK(advice.build.empty());
}

TEST_CASE("What does not fit class files is judged by its weight") {
  const Profile profile = Enough();
  AdviceContext context;
  context.class_files = "--classpath app.jar";
  context.fit = FitFacts{.applicable = 0.995};
  CHECK(AdviseOn(profile, context).verdict == Usability::kUsable);
  context.fit =
      FitFacts{.applicable = 0.9, .stale = {{"a.Main.loop()void: the code differs", 0.1}}};
  const Advice stale = AdviseOn(profile, context);
  CHECK(stale.Line() ==
        "usable with doubts: 10.0 % does not fit these class files; a.Main.loop()void: the code "
        "differs (10.0 %)");
  CHECK(stale.next == "iprof convert --to iprof --classpath app.jar app.iprof -o fits.iprof");
  CHECK(stale.build == "native-image --pgo=app.iprof -jar app.jar");
  context.fit = FitFacts{.applicable = 0.4};
  CHECK(AdviseOn(profile, context).verdict == Usability::kUnusable);
  // Of another program, the JDK's classes fit all the same.
  context.fit = FitFacts{.applicable = 0.8, .program_relevant = 0.1};
  CHECK(RulesOf(AdviseOn(profile, context)) == Rules{"other-program"});
  CHECK(AdviseOn(profile, context).verdict == Usability::kUnusable);
  context.fit = FitFacts{.misnamed = 0.02};
  CHECK(RulesOf(AdviseOn(profile, context)) == Rules{"other-names"});
}

TEST_CASE("Reasons of a worse grade come first, then those about a larger share") {
  Profile profile = Enough();
  SetAgentPart(profile, kProvenancePart,
               R"({"runs":[{"program":"a.Main","begin":"start","recorded_ms":16000,)"
               R"("losses":{"sites":1}}]})");
  AdviceContext context;
  CHECK(RulesOf(AdviseOn(profile, context)) == Rules{"lost-receivers", "start-up"});
  context.format_errors = 2;
  const Advice advice = AdviseOn(profile, context);
  CHECK(RulesOf(advice) == Rules{"format", "lost-receivers", "start-up"});
  CHECK(advice.next == "iprof check app.iprof");
  CHECK(advice.build.empty());
  CHECK(advice.Line().ends_with("; and 2 more reasons"));
}

TEST_CASE("What a build cannot use counts only for profiles that were not filtered") {
  const Profile profile = Enough();
  AdviceContext context;
  ImageShare& image = context.image.emplace();
  image.tables[static_cast<size_t>(Table::kCalls)] = {
      .entries = 2, .usable_entries = 1, .weight = 8000, .usable_weight = 4000};
  const Advice advice = AdviseOn(profile, context);
  REQUIRE(RulesOf(advice) == Rules{"not-for-images"});
  CHECK(advice.reasons[0].share == 0.5);
}

TEST_CASE("Samples are counted as a build is given them") {
  // 5,200 samples, of which a build is given 4,800: the rest load a class.
  Profile profile = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[4000]},{"ctx":"2:0","records":[4000]}],)"
      R"("conditionalProfiles":[{"ctx":"2:3","records":[9,0,3000,6,1,1000]}],)"
      R"("virtualInvokeProfiles":[{"ctx":"2:7","records":[12,4000]}],)"
      R"("samplingProfiles":[{"ctx":"2:7<1:5","records":[4800]}])");
  const TypeIndex loader = profile.AddType("jdk.internal.loader.BootLoader");
  const TypeIndex signature[] = {loader, *profile.FindType("void")};
  const MethodIndex load = profile.AddMethod("load", signature);
  profile.AddCount(Table::kSamples, profile.AddContext(kNoContext, load, 2), 400);
  CHECK(RulesOf(AdviseOn(profile, AdviceContext())).empty());
  SetAgentPart(profile, kImagePart, R"({"target":25,"filtered":true})");
  CHECK(RulesOf(AdviseOn(profile, AdviceContext())) == Rules{"few-samples"});
}

TEST_CASE("An empty profile is not usable, and nothing else is said of it") {
  CHECK(RulesOf(AdviseOn(ParseTables(""), AdviceContext())) == Rules{"empty"});
}

}  // namespace
}  // namespace iprof
