#include "writer/records/call_targets.h"

#include <catch2/catch.hpp>

#include "writer/records/testing_program.h"

namespace iprof {
namespace {

using Firsts = std::vector<CounterIndex>;

TEST_CASE("a call that cannot be overridden runs the nearest method up the hierarchy",
          "[call_targets]") {
  TestProgram program;
  ClassRecord& base = program.Class("Base");
  ClassRecord& middle = program.Class("Middle", "Base");
  program.Class("Leaf", "Middle");
  const CounterIndex base_f = program.Method(base, "f");
  const CounterIndex middle_f = program.Method(middle, "f");
  const RecordedClasses classes = program.Classes();
  CallTargets targets(classes);

  CHECK(targets.Of(Static("Base", "f")) == Firsts{base_f});
  CHECK(targets.Of(Static("Middle", "f")) == Firsts{middle_f});
  CHECK(targets.Of(Static("Leaf", "f")) == Firsts{middle_f});
  CHECK(targets.Of(Static("Leaf", "g")).empty());
  CHECK(targets.Of(Static("Other", "f")).empty());
}

TEST_CASE("a virtual call may run every overriding method", "[call_targets]") {
  TestProgram program;
  ClassRecord& base = program.Class("Base");
  ClassRecord& left = program.Class("Left", "Base");
  ClassRecord& right = program.Class("Right", "Base");
  ClassRecord& other = program.Class("Other");
  const CounterIndex base_f = program.Method(base, "f");
  const CounterIndex left_f = program.Method(left, "f");
  const CounterIndex right_f = program.Method(right, "f");
  const CounterIndex other_f = program.Method(other, "f");
  program.Class("I", "java/lang/Object", TestProgram::kInterface);
  const RecordedClasses classes = program.Classes();
  CallTargets targets(classes);

  CHECK(targets.Of(Virtual("Base", "f")) == Firsts{base_f, left_f, right_f});
  CHECK(targets.Of(Virtual("Left", "f")) == Firsts{left_f});
  // Records do not say who implements an interface, nor what a class without a record is.
  CHECK(targets.Of(Virtual("I", "f")).size() == 4);
  CHECK(targets.Of(Virtual("Unknown", "f")).size() == 4);
  CHECK(targets.Of(Virtual("Other", "f")) == Firsts{other_f});

  CallTargets without_other(classes, 3);
  CHECK(without_other.Of(Virtual("I", "f")) == Firsts{base_f, left_f, right_f});
}

TEST_CASE("classes that name each other as superclass end the search", "[call_targets]") {
  TestProgram program;
  program.Class("A", "B");
  program.Class("B", "A");
  const CounterIndex f = program.Method(program.Class("C"), "f");
  const RecordedClasses classes = program.Classes();
  CallTargets targets(classes);
  CHECK(targets.Of(Static("A", "f")).empty());
  CHECK(targets.Of(Virtual("A", "f")).empty());
  CHECK(targets.Of(Virtual("C", "f")) == Firsts{f});
}

using Runs = std::map<CounterIndex, double>;

// I.f is called at site 4; p.L and p.R have it, and p.Heir inherits it from p.R.
struct Dispatch {
  TestProgram program;
  CounterIndex left, right;
  TypeCounts objects;

  Dispatch() {
    program.Class("I", "java/lang/Object", TestProgram::kInterface);
    left = program.Method(program.Class("p/L"), "f");
    right = program.Method(program.Class("p/R"), "f");
    program.Class("p/Heir", "p/R");
    program.Class("p/Empty");
  }
  CallTargets::Division Divide(uint64_t calls) {
    const RecordedClasses classes = program.Classes();
    CallTargets targets(classes);
    return targets.Divide(Virtual("I", "f"), calls, &objects, 4);
  }
};

TEST_CASE("each object runs the method of its class or superclass", "[call_targets]") {
  Dispatch p;
  p.objects.Add(4, "p.L", 60);
  p.objects.Add(4, "p.R", 10);
  p.objects.Add(4, "p.Heir", 20);
  p.objects.Add(4, "p.Empty", 6);  // what it runs is not counted
  p.objects.Add(4, "p.NotCounted", 4);
  p.objects.Add(5, "p.L", 1000);  // another site
  const auto made = p.Divide(100);
  CHECK(made.runs == Runs{{p.left, 60}, {p.right, 30}});
  CHECK(made.rest == 0);
}

TEST_CASE("what no object explains is the rest", "[call_targets]") {
  Dispatch p;
  CHECK(p.Divide(100).rest == 100);
  p.objects.Add(4, "p.L", 50);
  p.objects.AddLost(4, 30);
  const auto made = p.Divide(100);
  CHECK(made.runs == Runs{{p.left, 50}});
  CHECK(made.rest == 50);

  const RecordedClasses classes = p.program.Classes();
  CallTargets targets(classes);
  CHECK(targets.Divide(Virtual("I", "f"), 7, nullptr, 4).rest == 7);
}

TEST_CASE("more objects than calls shrink in proportion", "[call_targets]") {
  Dispatch p;
  p.objects.Add(4, "p.L", 150);
  p.objects.Add(4, "p.R", 30);
  p.objects.AddLost(4, 20);
  const auto made = p.Divide(100);
  CHECK(made.runs == Runs{{p.left, 75}, {p.right, 15}});
  CHECK(made.rest == 10);
}

TEST_CASE("a default method runs if it is the only one", "[call_targets]") {
  Dispatch p;
  ClassRecord& j = p.program.Class("J", "java/lang/Object", TestProgram::kInterface);
  const CounterIndex fallback = p.program.Method(j, "f");
  p.objects.Add(4, "p.Empty", 60);
  p.objects.Add(4, "p.L", 40);
  CHECK(p.Divide(100).runs == Runs{{p.left, 40}, {fallback, 60}});

  ClassRecord& k = p.program.Class("K", "java/lang/Object", TestProgram::kInterface);
  p.program.Method(k, "f");
  const auto made = p.Divide(100);
  CHECK(made.runs == Runs{{p.left, 40}});
  CHECK(made.rest == 60);
}

TEST_CASE("two classes of one name tell nothing", "[call_targets]") {
  Dispatch p;
  p.program.Method(p.program.Class("p/L"), "f");
  p.objects.Add(4, "p.L", 100);
  const auto made = p.Divide(100);
  CHECK(made.runs.empty());
  CHECK(made.rest == 100);
}

}  // namespace
}  // namespace iprof
