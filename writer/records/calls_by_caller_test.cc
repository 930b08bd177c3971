// Calls by caller, in programs that know who calls whom.
#include "writer/records/calls_by_caller.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "writer/records/testing_program.h"

namespace iprof {
namespace {

// Calls by callee and caller: "a.B.f <- a.C.g:3", or "a.B.f" without a caller.
using Edges = std::map<std::string, int64_t>;

class Program : public TestProgram {
 public:
  // With the executions of its calls. Its first call is at bci 3, the next one at 4.
  void Add(ClassRecord& c, std::string_view name, uint64_t entries,
           const std::vector<std::pair<Callee, uint64_t>>& calls = {}) {
    std::vector<Callee> callees;
    counters_.push_back(entries);
    for (const auto& [callee, count] : calls) {
      callees.push_back(callee);
      counters_.push_back(count);
    }
    Method(c, name, callees);
  }
  // Counts the receivers of the last method's call at this bci.
  void CountReceivers(ClassRecord& c, uint32_t bci,
                      const std::vector<std::pair<std::string, uint64_t>>& objects) {
    c.methods.back().sites = 1;
    c.sites.push_back(
        {static_cast<uint32_t>(c.methods.size() - 1), bci, kSite, SiteKind::kReceiver});
    for (const auto& [type, count] : objects) types_.Add(kSite, type, count);
  }

  Edges Assemble() {
    Profile profile;
    result_ = AssembleProfile(Classes(),
                              {counters_, types_, [](const MethodKey&) { return uint64_t{0}; }},
                              {.names_all_callees = true, .call_edges = true}, profile);
    Edges made;
    for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
      const std::vector<Frame> frames = profile.Frames(profile.EntryContext(Table::kCalls, entry));
      std::string text = Short(profile, frames[0].method);
      if (frames.size() > 1)
        text += " <- " + Short(profile, frames[1].method) + ":" + std::to_string(frames[1].bci);
      made[text] = profile.EntryCount(Table::kCalls, entry);
    }
    return made;
  }
  const EdgeFigures& figures() const { return result_.edges; }

 private:
  static constexpr uint32_t kSite = 7;
  static std::string Short(const Profile& profile, MethodIndex method) {
    const std::string whole = profile.DescribeMethod(method);
    return whole.substr(0, whole.find('('));
  }

  std::vector<uint64_t> counters_;
  TypeCounts types_;
  AssemblyResult result_;
};

TEST_CASE("calls are written by caller, and the rest without one") {
  Program program;
  ClassRecord& a = program.Class("a/A");
  program.Add(a, "f", 1000);
  program.Add(a, "g", 5, {{Static("a/A", "f"), 700}});
  program.Add(a, "h", 3, {{Static("a/A", "f"), 100}, {Static("a/A", "f"), 150}});
  CHECK(program.Assemble() == Edges{{"a.A.f", 50},
                                    {"a.A.f <- a.A.g:3", 700},
                                    {"a.A.f <- a.A.h:3", 100},
                                    {"a.A.f <- a.A.h:4", 150},
                                    {"a.A.g", 5},
                                    {"a.A.h", 3}});
  CHECK(program.figures() ==
        EdgeFigures{.written = 3, .calls = 1008, .explained = 950, .agree = 0, .excess = {}});
}

TEST_CASE("the calls of a virtual site are divided by its receivers") {
  Program program;
  ClassRecord& base = program.Class("a/Base");
  program.Add(base, "f", 60);
  ClassRecord& left = program.Class("a/Left", "a/Base");
  program.Add(left, "f", 300);
  program.Class("a/Right", "a/Base");  // inherits f
  ClassRecord& caller = program.Class("a/Caller");
  program.Add(caller, "run", 1, {{Virtual("a/Base", "f"), 360}});
  program.CountReceivers(caller, 3, {{"a.Left", 300}, {"a.Right", 60}});
  CHECK(program.Assemble() == Edges{{"a.Base.f <- a.Caller.run:3", 60},
                                    {"a.Left.f <- a.Caller.run:3", 300},
                                    {"a.Caller.run", 1}});
}

TEST_CASE("a lambda's class is found by the name that its objects have") {
  Program program;
  ClassRecord& lambda = program.Class("a/B$$Lambda.0x01");
  program.Add(lambda, "run", 40);
  ClassRecord& caller = program.Class("a/B");
  program.Add(caller, "f", 1, {{Virtual("java/lang/Runnable", "run"), 40}});
  program.CountReceivers(caller, 3, {{"a.B$$Lambda/0x01", 40}});
  CHECK(program.Assemble() == Edges{{"a.B$$Lambda/0x01.run <- a.B.f:3", 40}, {"a.B.f", 1}});
}

TEST_CASE("without receivers, a virtual call that may run several methods has no edge") {
  Program program;
  ClassRecord& base = program.Class("a/Base");
  program.Add(base, "f", 60);
  ClassRecord& left = program.Class("a/Left", "a/Base");
  program.Add(left, "f", 300);
  ClassRecord& caller = program.Class("a/Caller");
  program.Add(caller, "run", 1, {{Virtual("a/Base", "f"), 360}, {Virtual("a/Left", "f"), 10}});
  CHECK(program.Assemble() == Edges{{"a.Base.f", 60},
                                    {"a.Left.f", 290},
                                    {"a.Left.f <- a.Caller.run:4", 10},
                                    {"a.Caller.run", 1}});
}

TEST_CASE("a virtual call on objects of classes without counts has no edge to one with counts") {
  Program program;
  ClassRecord& list = program.Class("a/List");  // one of many implementations of size
  program.Add(list, "size", 10);
  ClassRecord& caller = program.Class("a/Caller");
  program.Add(caller, "few", 1, {{Static("a/List", "size"), 10}});
  program.Add(caller, "many", 1, {{Virtual("java/util/List", "size"), 1'000'000}});
  program.CountReceivers(caller, 3, {{"java.util.ArrayList", 1'000'000}});
  program.Add(caller, "unseen", 1, {{Virtual("java/util/List", "size"), 1'000'000}});
  CHECK(program.Assemble() == Edges{{"a.List.size <- a.Caller.few:3", 10},
                                    {"a.Caller.few", 1},
                                    {"a.Caller.many", 1},
                                    {"a.Caller.unseen", 1}});
  CHECK(program.figures().excess.empty());
  CHECK(program.figures().agree == 10);
}

TEST_CASE(
    "edges that say more than the method's count are scaled to it, and the method disagrees") {
  Program program;
  ClassRecord& a = program.Class("a/A");
  program.Add(a, "f", 900);
  program.Add(a, "g", 5, {{Static("a/A", "f"), 750}, {Static("a/A", "f"), 250}});
  CHECK(program.Assemble() ==
        Edges{{"a.A.f <- a.A.g:3", 675}, {"a.A.f <- a.A.g:4", 225}, {"a.A.g", 5}});
  REQUIRE(program.figures().excess.size() == 1);
  const ExcessCalls& excess = program.figures().excess.front();
  CHECK(excess.calls == 900);
  CHECK(excess.at_sites == 1000);
  CHECK(excess.sites == 2);
}

TEST_CASE("light edges are left to the entry without a caller") {
  Program program;
  ClassRecord& a = program.Class("a/A");
  program.Add(a, "f", 1'000'000);
  program.Add(a, "g", 5, {{Static("a/A", "f"), 999'500}, {Static("a/A", "f"), 500}});
  CHECK(program.Assemble() == Edges{{"a.A.f", 500}, {"a.A.f <- a.A.g:3", 999'500}, {"a.A.g", 5}});
  CHECK(program.figures().explained == 1'000'000);
}

TEST_CASE("recursion is an edge like any other") {
  Program program;
  ClassRecord& a = program.Class("a/A");
  program.Add(a, "f", 101, {{Static("a/A", "f"), 100}});
  CHECK(program.Assemble() == Edges{{"a.A.f", 1}, {"a.A.f <- a.A.f:3", 100}});
}

}  // namespace
}  // namespace iprof
