#include "writer/methods/call_targets.h"

#include <catch2/catch.hpp>

#include "writer/methods/testing_program.h"

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

}  // namespace
}  // namespace iprof
