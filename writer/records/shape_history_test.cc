#include "writer/records/shape_history.h"

#include <catch2/catch.hpp>

#include "writer/records/testing_program.h"

namespace iprof {
namespace {

using Counters = std::vector<uint64_t>;

// A method with entries and one call (counters 0 and 1), and a leaf (2).
struct Looked {
  TestProgram program;
  CounterIndex caller, leaf;
  ShapeHistory history;
  Counters begin = Counters(3);
  ShapeHistory::EarlierShape earlier = [](CounterIndex) { return std::nullopt; };

  Looked() {
    ClassRecord& c = program.Class("P");
    caller = program.Method(c, "caller", {Static("P", "leaf")});
    leaf = program.Method(c, "leaf");
  }
  // The next interval ends with these counters.
  void Next(const Counters& end) {
    history.Note(begin, end);
    begin = end;
  }
  ShapeHistory::Verdicts At(const Counters& now) const {
    const RecordedClasses classes = program.Classes();
    return history.Examine(classes, begin, now, std::array{caller, leaf}, earlier);
  }
};

TEST_CASE("a method is steady if it did the same per entry before", "[shape_history]") {
  Looked l;
  l.Next({100, 300, 300});
  // Twice as often, with the same loop.
  CHECK(l.At({300, 900, 900}).steady == std::vector{l.caller, l.leaf});
  // As often, with a longer loop. The leaf itself does the same.
  CHECK(l.At({200, 900, 900}).steady == std::vector{l.leaf});
  // A difference of 5 %.
  CHECK(l.At({200, 620, 620}).steady == std::vector{l.caller, l.leaf});
}

TEST_CASE("a method that was not entered in both intervals is not steady", "[shape_history]") {
  Looked l;
  CHECK(l.At({100, 300, 300}).steady.empty());  // nothing is known of an earlier one
  l.Next({0, 0, 300});
  CHECK(l.At({100, 300, 600}).steady == std::vector{l.leaf});
  // What is known otherwise takes the place of the earlier interval.
  const Counters known{10, 30};
  l.earlier = [&](CounterIndex method) -> std::optional<ShapeHistory::Shape> {
    if (method != l.caller) return std::nullopt;
    return ShapeHistory::Shape{known, 10};
  };
  CHECK(l.At({100, 300, 600}).steady == std::vector{l.caller, l.leaf});
  CHECK(l.At({100, 400, 600}).steady == std::vector{l.leaf});
}

TEST_CASE("after a pause, and with other counters, nothing is steady", "[shape_history]") {
  Looked l;
  l.Next({100, 300, 300});
  SECTION("a pause") {
    l.history.Clear();
    CHECK(l.At({300, 900, 900}).steady.empty());
  }
  SECTION("counters of another method") {
    l.history.Forget({l.caller, 2});
    CHECK(l.At({300, 900, 900}).steady == std::vector{l.leaf});
  }
}

TEST_CASE("a method that loops for long is named", "[shape_history]") {
  Looked l;
  l.Next({1, 1, 1});
  CHECK(l.At({2, 1000, 1000}).looping.empty());
  CHECK(l.At({1, 1000, 1000}).looping == std::vector{l.caller});  // it goes on
  CHECK(l.At({2, 20'000'001, 30'000'001}).looping == std::vector{l.caller});
  CHECK(l.At({9, 20'000'001, 30'000'001}).looping.empty());
}

}  // namespace
}  // namespace iprof
