#include "writer/profile/position_notes.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

constexpr MethodIndex kA{0};
constexpr MethodIndex kB{7};

TEST_CASE("notes are found by method and bci") {
  PositionNotes notes;
  CHECK(notes.empty());
  CHECK(notes.MemoryBytes() == 0);
  notes.SetLine(kB, 9, 30);
  notes.SetLine(kB, 0, 28);
  notes.SetCallee(kB, 9, "a.B.run");
  CHECK(notes.LineOf(kB, 0) == 28);
  CHECK(notes.LineOf(kB, 9) == 30);
  CHECK(notes.CalleeOf(kB, 9) == "a.B.run");
  CHECK(notes.CalleeOf(kB, 0).empty());
  CHECK_FALSE(notes.LineOf(kB, 5));
  CHECK_FALSE(notes.LineOf(kA, 0));
  CHECK_FALSE(notes.LineOf(MethodIndex{99}, 0));
  notes.Clear();
  CHECK_FALSE(notes.LineOf(kB, 0));
}

TEST_CASE("of two notes the smaller one stays in both orders") {
  PositionNotes one;
  PositionNotes other;
  one.SetLine(kA, 3, 20);
  one.SetCallee(kA, 3, "b");
  other.SetLine(kB, 3, 10);
  other.SetCallee(kB, 3, "a");
  other.SetCallee(kB, 4, "b");
  PositionNotes first;
  first.Add(kA, one, kA);
  first.Add(kA, other, kB);
  PositionNotes second;
  second.Add(kA, other, kB);
  second.Add(kA, one, kA);
  second.Add(kA, one, MethodIndex{99});
  one.SetRest(kA, 3, 50);
  other.SetRest(kB, 3, 120);
  for (PositionNotes* each : {&first, &second}) {
    each->Add(kA, one, kA);
    each->Add(kA, other, kB);
    each->Add(kA, one, kA);
    CHECK(each->RestOf(kA, 3) == 120);
    CHECK(each->RestOf(kA, 4) == 0);
  }
  for (const PositionNotes* each : {&first, &second}) {
    const PositionNotes& notes = *each;
    CHECK(notes.LineOf(kA, 3) == 10);
    CHECK(notes.CalleeOf(kA, 3) == "a");
    CHECK(notes.CalleeOf(kA, 4) == "b");
  }
  first.SetLine(kA, 5, -1);
  CHECK_FALSE(first.LineOf(kA, 5));
}

TEST_CASE("a rest is at most the whole, and none is no note") {
  PositionNotes notes;
  notes.SetRest(kA, 3, 0);
  CHECK(notes.empty());
  notes.SetRest(kA, 3, 2000);
  CHECK(notes.RestOf(kA, 3) == PositionNotes::kWhole);
  CHECK_FALSE(notes.LineOf(kA, 3));
  CHECK(notes.CalleeOf(kA, 3).empty());
}

}  // namespace
}  // namespace iprof
