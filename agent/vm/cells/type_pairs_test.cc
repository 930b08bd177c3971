#include "agent/vm/cells/type_pairs.h"

#include <catch2/catch.hpp>
#include <vector>

#include "agent/vm/cells/row_pairs.h"

using namespace iprof;
using namespace iprof::vm;

TEST_CASE("pairs give back the counts that were added, but for sites without any") {
  TypePairs pairs;
  TypeCounts counts;
  counts.Add(7, "a.A", 3);
  counts.Add(9, "a.B", 4);
  counts.AddLost(9, 2);
  pairs.AddAll(counts);
  pairs.NumberOf(11, "a.A");
  const TypeCounts again = pairs.ByType();
  CHECK(again.Sites() == std::vector<uint32_t>{7, 9});
  CHECK(again.TypeName(again.Find(7)->types.begin()->first) == "a.A");
  CHECK(again.Find(7)->types.begin()->second == 3);
  CHECK(again.Find(7)->lost == 0);
  CHECK(again.TypeName(again.Find(9)->types.begin()->first) == "a.B");
  CHECK(again.Find(9)->types.begin()->second == 4);
  CHECK(again.Find(9)->lost == 2);
}

TEST_CASE("a pair of a site and a class keeps its number") {
  TypePairs pairs;
  const uint32_t first = pairs.NumberOf(7, "a.A");
  const uint32_t second = pairs.NumberOf(7, "a.B");
  CHECK(pairs.NumberOf(8, "a.A") != first);
  CHECK(second != first);
  pairs.Add(first, 3);
  pairs.Add(7, "a.A", 2);
  CHECK(pairs.counts()[first] == 5);
  CHECK(pairs.counts()[second] == 0);
  CHECK(pairs.seen() == 1);

  pairs.BeginReading();
  CHECK(pairs.seen() == 0);
  CHECK(pairs.NumberOf(7, "a.A") == first);
  CHECK(pairs.counts()[first] == 0);
  CHECK(pairs.SiteOf(second) == 7);
  CHECK(pairs.TypeOf(second) == "a.B");
  CHECK(pairs.size() == 3);

  pairs.Add(first, 4);
  TypeCounts before;
  before.Add(7, "a.A", 4);
  pairs.SubtractAll(before);  // of before the recording; the class is there
  CHECK(pairs.counts()[first] == 0);
  CHECK(pairs.seen() == 1);
  // Of a class that is gone, and of a site that is: neither is a pair of this reading.
  before.Add(7, "a.Gone", 9);
  before.Add(99, "a.A", 9);
  pairs.SubtractAll(before);
  CHECK(pairs.size() == 3);

  pairs.Clear();
  CHECK(pairs.size() == 0);
  CHECK(pairs.NumberOf(9, "a.C") == 0);
}

TEST_CASE("rows know their pairs until they are used for other classes") {
  RowPairs rows(8);
  rows.Forget(3, 0, 8);  // of a chunk of which nothing is known
  CHECK_FALSE(rows.Find(3, 0));
  rows.Set(2, 5, 77);
  rows.Forget(1, 4, 4);  // of a chunk before it
  CHECK(rows.Find(2, 5) == 77);
  CHECK_FALSE(rows.Find(2, 4));
  CHECK_FALSE(rows.Find(1, 5));
  CHECK(rows.bytes() == 8 * sizeof(uint32_t));
  rows.Forget(2, 4, 4);
  CHECK_FALSE(rows.Find(2, 5));
  rows.Set(0, 7, 1);
  rows.Clear();
  CHECK_FALSE(rows.Find(0, 7));
}

TEST_CASE("what lies outside the recording is subtracted, lost objects too") {
  TypeCounts now;
  now.Add(1, "a.A", 10);
  now.Add(1, "a.B", 1);
  now.AddLost(1, 4);
  TypeCounts outside;
  outside.Add(1, "a.A", 4);
  outside.Add(1, "a.B", 2);  // more than there is: threads race
  outside.AddLost(1, 1);
  TypePairs pairs;
  pairs.AddAll(now);
  pairs.SubtractAll(outside);
  CHECK(pairs.counts()[pairs.NumberOf(1, "a.A")] == 6);
  CHECK(pairs.counts()[pairs.NumberOf(1, "a.B")] == 0);
  CHECK(pairs.counts()[pairs.NumberOf(1, "")] == 3);
}
