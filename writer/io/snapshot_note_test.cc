#include "writer/io/snapshot_note.h"

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
          .damaged_records = 4,
          .without_harvest = true};
}

TEST_CASE("a snapshot's note reads back as it was written") {
  CHECK(SnapshotNote::Parse(Example().ToJson()) == Example());
  SnapshotNote rest = Example();
  rest.at_rest = true;
  rest.without_harvest = false;
  CHECK(SnapshotNote::Parse(rest.ToJson()) == rest);
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
  CHECK_FALSE(a.at_rest);
}

TEST_CASE("a note says what was lost, in words") {
  CHECK(Example().Describe() ==
        "snapshot 12 of 2026-11-22T23:35:27Z, 61.5 s recorded; counts of all 70 methods within k, "
        "because threads were counting; lost: 1 classes, 2 counters, receivers or stacks, 3 other "
        "things, 4 damaged parts of the file, 1 harvest of HotSpot's own counts");
  SnapshotNote rest{.generation = 3, .time = "t", .recorded_ms = 1000, .at_rest = true};
  rest.methods_exact = 5;
  CHECK(rest.Describe() ==
        "snapshot 3 of t, 1.0 s recorded; counts of 5 methods exact, 0 within k");
}

}  // namespace
}  // namespace iprof
