#include "writer/summary.h"

#include <catch2/catch.hpp>

#include "writer/operations_test_profiles.h"

namespace iprof {
namespace {

const char kTables[] =
    R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"2:0","records":[80]},)"
    R"({"ctx":"2:0<1:7","records":[10]},{"ctx":"3:0<2:1<1:7","records":[5]}],)"
    R"("monitorProfiles":[{"ctx":"0:0","records":[10,2]}])";

TEST_CASE("totals, depths and the hottest") {
  const Profile p = ParseTables(kTables);
  const TableSummary calls = SummarizeTable(p, Table::kCalls);
  CHECK(calls.entries == 4);
  CHECK(calls.methods == 3);
  CHECK(calls.total == 100);
  CHECK(calls.largest == 80);
  const DepthSummary depths = SummarizeDepths(p, kAllTables);
  CHECK(depths.entries_of_depth == std::vector<size_t>{0, 2, 1, 1});
  CHECK(depths.median == 1);
  CHECK(depths.percentile_99 == 3);
  const auto methods = HottestMethods(p, Table::kCalls);
  REQUIRE(methods.size() == 3);
  CHECK(p.DescribeMethod(methods[0].method) == "a.Main.loop()void");
  CHECK(methods[0].count == 90);
  CHECK(p.DescribeMethod(methods[1].method) == "a.Main.main()void");  // equal: by name
  const auto entries = HottestEntries(p, Table::kCalls);
  CHECK(p.EntryCount(Table::kCalls, entries[1]) == 10);
}

TEST_CASE("detailed summary: so few contexts make the share") {
  const double shares[] = {0.1, 0.5, 0.8, 0.9, 0.95, 0.99, 1};
  const auto rows = DetailedSummary(ParseTables(kTables), Table::kCalls, shares);
  std::vector<size_t> entries;
  std::vector<int64_t> counts;
  for (const CutoffRow& row : rows) {
    entries.push_back(row.entries);
    counts.push_back(row.min_count);
  }
  CHECK(entries == std::vector<size_t>{1, 1, 1, 2, 3, 4, 4});
  CHECK(counts == std::vector<int64_t>{80, 80, 80, 10, 5, 5, 5});
}

TEST_CASE("patterns") {
  const Profile p = ParseTables("");
  CHECK(FindMethods(p, "area").size() == 2);
  CHECK(FindMethods(p, "a.Circle").size() == 1);
  CHECK(FindMethods(p, "a.Main.*").size() == 2);
  CHECK(FindMethods(p, "*.area").size() == 2);
  CHECK(FindMethods(p, "*.area()void").size() == 2);
  CHECK(FindMethods(p, "Main.*").empty());
  CHECK(WildcardMatch("a*b*c", "aXbYbZc"));
  CHECK_FALSE(WildcardMatch("a?c", "ac"));
  CHECK(WildcardMatch("*", ""));
}

}  // namespace
}  // namespace iprof
