// Calls that compilers replaced are found at the call sites, and what replaced methods call is missing, too.
#include "writer/records/replaced_methods.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "writer/records/testing_program.h"

namespace iprof {
namespace {

class Program : public TestProgram {
 public:
  // With the executions of its calls.
  void Add(ClassRecord& c, std::string_view name, uint64_t entries,
           const std::vector<std::pair<Callee, uint64_t>>& calls = {}, bool is_candidate = false) {
    std::vector<Callee> callees;
    counters_.push_back(entries);
    for (const auto& [callee, count] : calls) {
      callees.push_back(callee);
      counters_.push_back(count);
    }
    Method(c, name, callees);
    c.methods.back().intrinsic_candidate = is_candidate;
  }

  struct Made {
    std::map<std::string, int64_t> calls;
    AssemblyResult result;
  };
  Made Assemble() const {
    Profile profile;
    Made made;
    made.result = AssembleProfile(
        Classes(), {counters_, TypeCounts(), [](const MethodKey&) { return uint64_t{0}; }}, {},
        profile);
    for (const EntryIndex entry : EntriesOf(profile, Table::kCalls)) {
      const Frame frame = profile.InnermostFrame(profile.EntryContext(Table::kCalls, entry));
      made.calls[profile.DescribeMethod(frame.method)] = profile.EntryCount(Table::kCalls, entry);
    }
    return made;
  }

 private:
  std::vector<uint64_t> counters_;
};

using Estimates = std::map<std::string, uint64_t>;

TEST_CASE("what a replaced method calls is called more often, too") {
  Program program;
  ClassRecord& box = program.Class("a/Box");
  // It was called 3,000 times and entered 1,000 times, and made 400 boxes then.
  program.Add(box, "valueOf", 1000, {{Static("a/Box", "init"), 400}, {Static("a/Box", "max"), 100}},
              true);
  program.Add(box, "init", 500, {{Static("a/Box", "rest"), 500}});
  program.Add(box, "max", 150, {{Static("a/Box", "inMax"), 150}}, true);
  program.Add(box, "inMax", 150);
  program.Add(box, "rest", 500);
  ClassRecord& user = program.Class("a/User");
  program.Add(user, "run", 3000,
              {{Static("a/Box", "valueOf"), 3000},
               {Static("a/Box", "init"), 100},
               {Static("a/Box", "max"), 50}});
  Program::Made made = program.Assemble();
  CHECK(made.calls["a.Box.valueOf()void"] == 3000);
  // 100 by the user, 400 by the calls that were counted, 800 by those that were not.
  CHECK(made.calls["a.Box.init()void"] == 1300);
  // A candidate itself: 50 by the user, and 100 and 200.
  CHECK(made.calls["a.Box.max()void"] == 350);
  CHECK(made.calls["a.Box.inMax()void"] == 350);
  // It is not followed any further.
  CHECK(made.calls["a.Box.rest()void"] == 500);
  CHECK(made.result.replaced_calls == Estimates{{"a.Box.inMax()void", 200},
                                                {"a.Box.init()void", 800},
                                                {"a.Box.max()void", 200},
                                                {"a.Box.valueOf()void", 2000}});
  CHECK(made.result.methods_replaced == 4);
  CHECK(made.result.methods_exact == 2);  // rest and run
}

TEST_CASE("methods that call each other do not feed each other without end") {
  Program program;
  ClassRecord& box = program.Class("a/Box");
  program.Add(box, "even", 1000, {{Static("a/Box", "odd"), 999}, {Static("a/Box", "even"), 1000}},
              true);
  program.Add(box, "odd", 1000, {{Static("a/Box", "even"), 1000}}, true);
  ClassRecord& user = program.Class("a/User");
  program.Add(user, "run", 10, {{Static("a/Box", "even"), 5000}});
  Program::Made made = program.Assemble();
  CHECK(made.calls["a.Box.even()void"] >= 7000);
  CHECK(made.calls["a.Box.even()void"] < 100'000);
}

TEST_CASE("a virtual call in a replaced method may run another one") {
  Program program;
  ClassRecord& box = program.Class("a/Box");
  program.Add(box, "valueOf", 1000, {{Virtual("a/Box", "hash"), 1000}}, true);
  program.Add(box, "hash", 1000);
  ClassRecord& user = program.Class("a/User");
  program.Add(user, "run", 10, {{Static("a/Box", "valueOf"), 5000}});
  Program::Made made = program.Assemble();
  CHECK(made.calls["a.Box.valueOf()void"] == 5000);
  CHECK(made.calls["a.Box.hash()void"] == 1000);
}

TEST_CASE(
    "native methods that a replaced one calls have no count, because their other callers are not "
    "known") {
  Program program;
  ClassRecord& box = program.Class("a/Box");
  program.Add(box, "valueOf", 1000, {{Static("a/Box", "copy"), 1000}}, true);
  CountedMethod native;
  native.name = box.Keep("copy");
  native.descriptor = box.Keep("()V");
  native.intrinsic_candidate = true;
  box.methods.push_back(native);
  ClassRecord& user = program.Class("a/User");
  program.Add(user, "run", 10, {{Static("a/Box", "valueOf"), 5000}});
  CHECK_FALSE(program.Assemble().calls.contains("a.Box.copy()void"));
}

TEST_CASE("few entries of a replaced method tell nothing of what it calls") {
  Program program;
  ClassRecord& box = program.Class("a/Box");
  const uint64_t few = ReplacedMethods::kLeastEntries - 1;
  program.Add(box, "valueOf", few, {{Static("a/Box", "init"), few}}, true);
  program.Add(box, "init", few);
  ClassRecord& user = program.Class("a/User");
  program.Add(user, "run", 10, {{Static("a/Box", "valueOf"), UINT64_MAX / 4}});
  Program::Made made = program.Assemble();
  CHECK(made.calls["a.Box.init()void"] == static_cast<int64_t>(few));
  CHECK(made.calls["a.Box.valueOf()void"] == static_cast<int64_t>(UINT64_MAX / 4));
}

}  // namespace
}  // namespace iprof
