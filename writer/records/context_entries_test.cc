#include "writer/records/context_entries.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

// The method a.B.f(int)void of a profile, and samples of its branch at 7 and its call at 12 by callers a.C.one and a.C.two.
struct Sampled {
  Sampled() {
    profile.AddStandardTypes();
    const TypeIndex signature[] = {profile.AddType("a.B"), profile.AddType("void"),
                                   profile.AddType("int")};
    f = profile.AddMethod("f", signature);
    samples.methods = {{"a.B", "f", "(I)V"}, {"a.C", "one", "()V"}, {"a.C", "two", "()V"}};
    samples.types = {"a.X", "a.Y", "a.Unseen"};
    samples.sites = {{false, 0, 7, {{20, 100, {{1, 3}}}, {10, 50, {{2, 9}}}, {20, 50, {{2, 9}}}}},
                     {true, 0, 12, {{0, 60, {{1, 5}}}, {1, 30, {{2, 6}}}, {2, 10, {{2, 6}}}}}};
  }
  std::vector<std::string> Contexts(Table table) const {
    std::vector<std::string> found;
    for (const EntryIndex entry : EntriesOf(profile, table))
      found.push_back(Text(profile.EntryContext(table, entry)));
    return found;
  }
  std::string Text(ContextIndex context) const {
    std::string text;
    profile.ForEachFrame(context, [&](const Frame& frame) {
      if (!text.empty()) text += "<";
      text.append(profile.MethodName(frame.method)).append(":").append(std::to_string(frame.bci));
    });
    return text;
  }

  Profile profile;
  MethodIndex f{};
  ContextSamples samples;
};

TEST_CASE("a branch is written by the callers that matter") {
  Sampled sampled;
  ContextEntries entries(&sampled.samples, sampled.profile);
  const Successor successors[] = {{10, 0, 400}, {20, 1, 1200}};
  entries.AddSuccessors(sampled.f, 7, successors);
  CHECK(sampled.Contexts(Table::kConditionals) ==
        std::vector<std::string>{"f:7<one:3", "f:7<two:9"});
  CHECK(sampled.profile.EntrySuccessors(EntryIndex{0})[0] == Successor{10, 0, 0});
  CHECK(sampled.profile.EntrySuccessors(EntryIndex{0})[1] == Successor{20, 1, 800});
  CHECK(sampled.profile.EntrySuccessors(EntryIndex{1})[0] == Successor{10, 0, 400});
  CHECK(sampled.profile.EntrySuccessors(EntryIndex{1})[1] == Successor{20, 1, 400});
  CHECK(entries.figures() == ContextFigures{.stacks = 300, .sites = 1, .entries = 2});
}

TEST_CASE("receivers are written by the callers that matter") {
  Sampled sampled;
  ContextEntries entries(&sampled.samples, sampled.profile);
  const TypeCount counts[] = {{sampled.profile.AddType("a.X"), 600},
                              {sampled.profile.AddType("a.Y"), 300}};
  entries.AddReceivers(sampled.f, 12, counts);
  CHECK(sampled.Contexts(Table::kVirtualInvokes) ==
        std::vector<std::string>{"f:12<one:5", "f:12<two:6"});
  const auto of_two = sampled.profile.EntryTypeCounts(Table::kVirtualInvokes, EntryIndex{1});
  REQUIRE(of_two.size() == 1);
  CHECK(of_two[0] == counts[1]);
}

TEST_CASE("what was not sampled is written without callers") {
  Sampled sampled;
  ContextEntries entries(&sampled.samples, sampled.profile);
  const Successor successors[] = {{10, 0, 400}, {20, 1, 1200}};
  entries.AddSuccessors(sampled.f, 8, successors);
  entries.AddSuccessors(sampled.f, 12, successors);  // a call was sampled there
  ContextEntries without(nullptr, sampled.profile);
  without.AddSuccessors(sampled.f, 7, successors);
  CHECK(sampled.Contexts(Table::kConditionals) == std::vector<std::string>{"f:8", "f:12", "f:7"});
  // No entry names a caller.
  CHECK(sampled.profile.method_count() == 1);
}

}  // namespace
}  // namespace iprof
