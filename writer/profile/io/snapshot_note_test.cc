#include "writer/profile/io/snapshot_note.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

SnapshotNote Example() {
  return {.generation = 12,
          .time = "2026-11-22T23:35:27Z",
          .recorded_ms = 61'500,
          .methods_within_k = 70,
          .lost_classes = 1,
          .lost_counts = 2,
          .lost_other = 3,
          .lost_notes = 1,
          .damaged_records = 4,
          .newer_damaged = 1,
          .without_harvest = true};
}

TEST_CASE("a snapshot's note reads back as it was written") {
  CHECK(SnapshotNote::Parse(Example().ToJson()) == Example());
  SnapshotNote rest = Example();
  rest.at_rest = true;
  rest.without_harvest = false;
  CHECK(SnapshotNote::Parse(rest.ToJson()) == rest);
}

TEST_CASE("earlier notes do not tell which of the other things are notes") {
  const auto older = SnapshotNote::Parse(R"({"generation":3,"time":"t","files":1,"lost_other":2})");
  REQUIRE(older);
  CHECK(older->Describe() == "snapshot 3 of t; lost: 2 other things");
  CHECK(SnapshotNote::Parse(older->ToJson()) == older);
  SnapshotNote both{.generation = 4, .time = "u", .lost_other = 3, .lost_notes = 1};
  both.Unite(*older);
  CHECK(both.Describe() == "2 files, the oldest snapshot of t; lost: 5 other things");
  CHECK(SnapshotNote::Parse(both.ToJson()) == both);
  // The frames that were live may be among them.
  const auto counts =
      SnapshotNote::Parse(R"({"time":"t","files":1,"methods_within_k":2,"lost_other":2})");
  REQUIRE(counts);
  CHECK(counts->Describe() ==
        "snapshot 0 of t; its counts may be off in 2 methods by an unknown number; lost: 2 other "
        "things");
  const auto whole = SnapshotNote::Parse(R"({"time":"t","files":1,"methods_within_k":2})");
  REQUIRE(whole);
  CHECK(whole->Describe() ==
        "snapshot 0 of t; its counts may be off in 2 methods by an unknown number, because the "
        "program ran on while they "
        "were read");
}

TEST_CASE("only a note is a note") {
  const std::string json = Example().ToJson();
  std::string more = json;
  more.insert(1, "\"later\": [{}], ");
  CHECK(SnapshotNote::Parse(more) == Example());
  CHECK_FALSE(SnapshotNote::Parse("{}"));
  CHECK_FALSE(SnapshotNote::Parse(json.substr(1)));
  CHECK_FALSE(SnapshotNote::Parse(json + "x"));
  CHECK_FALSE(SnapshotNote::Parse("{\"files\":-1}"));
  CHECK_FALSE(SnapshotNote::Parse("{\"files\":1,\"x\":\"" + std::string(5000, 'y') + "\"}"));
}

TEST_CASE("a merge adds losses up and is as old as its oldest input") {
  SnapshotNote later = Example();
  later.time = "2026-11-22T23:40:00Z";
  later.generation = 30;
  later.at_rest = true;
  SnapshotNote a = Example();
  a.Unite(later);
  SnapshotNote b = later;
  b.Unite(Example());
  CHECK(a == b);
  CHECK(a.files == 2);
  CHECK(a.time == "2026-11-22T23:35:27Z");
  CHECK(a.generation == 30);
  CHECK(a.lost_counts == 4);
  CHECK(a.newer_damaged == 2);
  CHECK_FALSE(a.at_rest);
}

TEST_CASE("a note says what was lost, in words") {
  CHECK(
      Example().Describe() ==
      "snapshot 12 of 2026-11-22T23:35:27Z; its counts may be off in 70 methods by an unknown "
      "number; "
      "lost: 1 class, 2 counters, receivers or stacks, 2 types that did not run, 1 note on the run "
      "or the frames that were live, 4 damaged parts of the file, 1 snapshot that seems to be "
      "newer (damaged or not "
      "complete), HotSpot's own counts");
  SnapshotNote live{.generation = 3, .time = "t", .methods_within_k = 2};
  CHECK(live.Describe() ==
        "snapshot 3 of t; its counts may be off in 2 methods by an unknown number, because the "
        "program ran on while they were "
        "read");
  CHECK(live.Describe(false) == "snapshot 3 of t");
  SnapshotNote rest{.generation = 3, .time = "t", .recorded_ms = 1000, .at_rest = true};
  rest.methods_exact = 1;
  CHECK(rest.Describe() == "snapshot 3 of t; its counts are exact in 1 method");
  rest.methods_exact = 1235;
  rest.methods_within_k = 1001;
  CHECK(rest.Describe() ==
        "snapshot 3 of t; its counts are exact in 1,235 methods, and may be off in 1,001 methods");
}

TEST_CASE("types that did not run, and notes, have no counts") {
  CHECK(Example().Losses() == 11);
  CHECK(Example().LossesOfCounts() == 8);
}

TEST_CASE("a note of samples only says nothing of counts") {
  SnapshotNote samples{.generation = 3, .time = "t"};
  CHECK(samples.Describe() == "snapshot 3 of t");
  samples.without_harvest = true;
  CHECK(samples.Describe() == "snapshot 3 of t; lost: HotSpot's own counts");
}

TEST_CASE("the note of a merge speaks of the files, and of exact counts as exact ones") {
  SnapshotNote both{.generation = 3, .time = "t", .at_rest = true, .methods_exact = 5};
  both.Unite({.generation = 9, .time = "u", .methods_within_k = 8});
  CHECK(both.Describe() ==
        "2 files, the oldest snapshot of t; their counts are exact in 5 methods, and may be off in "
        "8 methods by an "
        "unknown number where a program ran on while they were read");
}

}  // namespace
}  // namespace iprof
