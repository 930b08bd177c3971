#include "writer/methods/receiver_split.h"

#include <catch2/catch.hpp>

#include "writer/methods/testing_program.h"

namespace iprof {
namespace {

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
  ReceiverSplit::Division Divide(uint64_t calls) {
    const RecordedClasses classes = program.Classes();
    CallTargets targets(classes);
    return ReceiverSplit(&objects, targets).Of(4, Virtual("I", "f"), calls);
  }
};

TEST_CASE("each object runs the method of its class or superclass", "[receiver_split]") {
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

TEST_CASE("calls without a known object are the rest", "[receiver_split]") {
  Dispatch p;
  CHECK(p.Divide(100).rest == 100);
  p.objects.Add(4, "p.L", 50);
  p.objects.AddLost(4, 30);
  const auto made = p.Divide(100);
  CHECK(made.runs == Runs{{p.left, 50}});
  CHECK(made.rest == 50);

  const RecordedClasses classes = p.program.Classes();
  CallTargets targets(classes);
  CHECK(ReceiverSplit(nullptr, targets).Of(4, Virtual("I", "f"), 7).rest == 7);
}

TEST_CASE("more objects than calls shrink in proportion", "[receiver_split]") {
  Dispatch p;
  p.objects.Add(4, "p.L", 150);
  p.objects.Add(4, "p.R", 30);
  p.objects.AddLost(4, 20);
  const auto made = p.Divide(100);
  CHECK(made.runs == Runs{{p.left, 75}, {p.right, 15}});
  CHECK(made.rest == 10);
}

TEST_CASE("a default method runs if it is the only one", "[receiver_split]") {
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

TEST_CASE("two classes of one name tell nothing", "[receiver_split]") {
  Dispatch p;
  p.program.Method(p.program.Class("p/L"), "f");
  p.objects.Add(4, "p.L", 100);
  const auto made = p.Divide(100);
  CHECK(made.runs.empty());
  CHECK(made.rest == 100);
}

}  // namespace
}  // namespace iprof
