#include "writer/ops/summary.h"

#include <catch2/catch.hpp>

#include "writer/ops/ops_test_profiles.h"

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

TEST_CASE("methods that ran are those that were called, or that any entry names") {
  CHECK(CountMethodsThatRan(ParseTables(kTables)) == 3);
  CHECK(CountMethodsThatRan(ParseTables("")) == 0);
  CHECK(
      CountMethodsThatRan(ParseTables(
          R"(,"samplingProfiles":[{"ctx":"4:0<2:1","records":[10]},{"ctx":"2:1","records":[1]}])")) ==
      2);
}

TEST_CASE("how sure methods are, by their calls") {
  Profile p = ParseTables(
      R"(,"callCountProfiles":[{"ctx":"1:0","records":[5]},{"ctx":"2:0","records":[3]},)"
      R"({"ctx":"2:0<1:4","records":[4]},{"ctx":"3:0","records":[8]}])");
  CHECK(SummarizeSureness(p).empty());
  p.AddSureness(MethodNamed(p, "a.Main.loop()void"), Sureness::EstimatedFrom(64));
  const std::vector<SurenessRow> rows = SummarizeSureness(p);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].kind == Sureness::Kind::kExact);
  CHECK(rows[0].methods == 2);
  CHECK(rows[0].calls == 13);
  CHECK(rows[1].kind == Sureness::Kind::kEstimated);
  CHECK(rows[1].methods == 1);
  CHECK(rows[1].calls == 7);
}

TEST_CASE("equal counts are in the order of names, then bcis, then callers, the shorter first") {
  const Profile p = Parse(
      R"({"version":"1.0.0","types":[{"id":8,"name":"void"},{"id":4,"name":"int"},)"
      R"({"id":10,"name":"b.B"},{"id":11,"name":"a.A"}],"methods":[)"
      R"({"id":1,"name":"m","signature":[10,8,4]},{"id":2,"name":"m","signature":[10,8]},)"
      R"({"id":3,"name":"m","signature":[10,4]},{"id":4,"name":"z","signature":[11,8]}],)"
      R"("callCountProfiles":[{"ctx":"1:0","records":[1]},{"ctx":"2:0<4:10","records":[1]},)"
      R"({"ctx":"2:0<4:9<1:1","records":[1]},{"ctx":"2:0<4:9","records":[1]},)"
      R"({"ctx":"3:0","records":[3]},{"ctx":"4:0","records":[3]},{"ctx":"1:0<1:1","records":[2]}]})");
  std::vector<std::string> lines;
  for (const HotMethod& method : HottestMethods(p, Table::kCalls)) {
    lines.push_back(p.DescribeMethod(method.method));
  }
  CHECK(lines ==
        std::vector<std::string>{"a.A.z()void", "b.B.m()int", "b.B.m()void", "b.B.m(int)void"});
  lines.clear();
  for (const EntryIndex entry : HottestEntries(p, Table::kCalls)) {
    lines.push_back(p.FormatContext(p.EntryContext(Table::kCalls, entry)));
  }
  CHECK(lines == std::vector<std::string>{"4:0", "3:0", "1:0<1:1", "2:0<4:9", "2:0<4:9<1:1",
                                          "2:0<4:10", "1:0"});
  lines.clear();
  for (const MethodIndex method : FindMethods(p, "m(")) lines.push_back(p.DescribeMethod(method));
  CHECK(lines == std::vector<std::string>{"b.B.m()int", "b.B.m()void", "b.B.m(int)void"});
}

TEST_CASE("stacks with the same methods are one, whatever their positions") {
  const Profile p = ParseTables(
      R"(,"samplingProfiles":[{"ctx":"3:2<2:1<1:5","records":[5]},{"ctx":"3:2<2:1","records":[6]},)"
      R"({"ctx":"3:4<2:1<1:5","records":[1]},{"ctx":"3:2<2:1<1:9","records":[2]},)"
      R"({"ctx":"2:1<3:2<1:5","records":[4]}])");
  std::vector<std::string> lines;
  for (const HotStack& stack : HottestStacks(p)) {
    lines.push_back(std::to_string(stack.count));
    for (const EntryIndex entry : stack.entries)
      lines.push_back(p.FormatContext(p.EntryContext(Table::kSamples, entry)));
  }
  CHECK(lines == std::vector<std::string>{"8", "3:2<2:1<1:5", "3:2<2:1<1:9", "3:4<2:1<1:5", "6",
                                          "3:2<2:1", "4", "2:1<3:2<1:5"});
  CHECK(HottestStacks(ParseTables("")).empty());
}

TEST_CASE("a context of more frames than anybody reads says how many are left") {
  std::string ctx = "1:0";
  for (int i = 0; i < 9999; ++i) ctx += "<2:7";
  const Profile p = ParseTables(R"(,"samplingProfiles":[{"ctx":")" + ctx + R"(","records":[1]}])");
  const ContextIndex context = p.EntryContext(Table::kSamples, EntryIndex{0});
  CHECK(DescribeContext(p, context, 30) ==
        "a.Main.main()void:0 < a.Main.loop()void:7 < ... 9998 more");
  CHECK(DescribeCallers(p, context, 30) ==
        "a.Main.loop()void:7 < a.Main.loop()void:7 < ... 9997 more");
  const std::string text = DescribeContext(p, context);
  CHECK(text.size() < kMostDescribedBytes + 100);
  CHECK(text.ends_with(" more"));
  CHECK(DescribeContext(p, context, SIZE_MAX).ends_with("loop()void:7"));
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
}

}  // namespace
}  // namespace iprof
