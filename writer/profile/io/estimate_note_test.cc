#include "writer/profile/io/estimate_note.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>

#include "writer/profile/io/agent_section.h"

namespace iprof {
namespace {

TEST_CASE("a note of estimates is read as it was written", "[estimate_note]") {
  const EstimateNote note{{{"a.B.f(int)void", 12}, {"a.\"C\".g()void", 0}}};
  CHECK(note.ToJson() == R"({"calls":{"a.\"C\".g()void":0,"a.B.f(int)void":12}})");
  CHECK(EstimateNote::Parse(note.ToJson()) == note);
  CHECK(EstimateNote::Parse(R"( { "later" : [1] , "calls" : { "m" : 3 } } )") ==
        EstimateNote{{{"m", 3}}});
  CHECK(EstimateNote::Parse(EstimateNote().ToJson()) == EstimateNote());
}

TEST_CASE("anything else is no note of estimates", "[estimate_note]") {
  for (const char* json :
       {"", "[]", "{}", R"({"calls":[]})", R"({"calls":{"m":-1}})", R"({"calls":{"m":1.5}})",
        R"({"calls":{"m":"1"}})", R"({"calls":{}} x)", R"({"calls":{"m":1})"}) {
    INFO(json);
    CHECK_FALSE(EstimateNote::Parse(json));
  }
}

TEST_CASE("estimates add up", "[estimate_note]") {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EstimateNote a{{{"f", 1}, {"g", kMost}}};
  EstimateNote b{{{"f", 2}, {"g", 5}, {"h", 3}}};
  EstimateNote other = b;
  other.Unite(a);
  a.Unite(b);
  CHECK(a == EstimateNote{{{"f", 3}, {"g", kMost}, {"h", 3}}});
  CHECK(other == a);
  b.Multiply(3);
  CHECK(b == EstimateNote{{{"f", 6}, {"g", 15}, {"h", 9}}});
  a.Multiply(2);
  CHECK(a.calls.at("g") == kMost);
  // What has no estimated calls was counted to the end.
  const EstimateNote some{{{"f", 30}, {"g", 20}, {"h", 0}}};
  CHECK(some.Describe(200) ==
        "25.0 % of all calls, in 2 methods that were not counted all the time");
  CHECK(EstimateNote{{{"h", 0}}}.Describe(200).empty());
  CHECK(some.methods() == 2);
  CHECK(some.ShareOf(200) == 0.25);
  CHECK(some.ShareOf(0) == 0);
  CHECK(some.ShareOf(40) == 1);  // where a part of the methods was left out
}

TEST_CASE("a note is trimmed to the methods that have calls", "[estimate_note]") {
  Profile profile;
  const TypeIndex signature[] = {profile.AddType("a.B"), profile.AddType("void")};
  const MethodIndex called = profile.AddMethod("called", signature);
  const MethodIndex caller = profile.AddMethod("caller", signature);
  Profile whole;
  const auto trimmed = [&](const EstimateNote& note) {
    SetAgentPart(profile, kEstimatesPart, note.ToJson());
    TrimEstimates(profile, whole);
    const AgentSection section = AgentSection::Of(profile);
    const auto json = section.Part(kEstimatesPart);
    return json ? std::string(*json) : std::string();
  };
  const EstimateNote all{{{"a.B.called()void", 3}, {"a.B.caller()void", 4}, {"gone", 5}}};
  CHECK(trimmed(all) == R"({"calls":{"a.B.called()void":3,"a.B.caller()void":4}})");
  // Where others were called, these were not.
  const TypeIndex other[] = {whole.AddType("other.C"), whole.AddType("void")};
  const ContextIndex elsewhere = whole.AddContext(kNoContext, whole.AddMethod("f", other), 0);
  whole.AddCount(Table::kCalls, elsewhere, 1);
  CHECK(trimmed(all) == R"({"calls":{}})");
  const ContextIndex at = profile.AddContext(kNoContext, caller, 2);
  profile.AddCount(Table::kCalls, profile.AddContext(at, called, 0), 6);
  CHECK(trimmed(all) == R"({"calls":{"a.B.called()void":3}})");
  CHECK(trimmed({{{"gone", 5}}}) == R"({"calls":{}})");
  CHECK(trimmed({}) == R"({"calls":{}})");
  SetAgentPart(profile, kEstimatesPart, R"({"later":1})");
  TrimEstimates(profile, whole);
  CHECK(AgentPart(profile, kEstimatesPart) == R"({"later":1})");
}

}  // namespace
}  // namespace iprof
