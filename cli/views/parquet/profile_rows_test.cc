#include "cli/views/parquet/profile_rows.h"

#include <catch2/catch.hpp>

#include "cli/views/parquet/file_writer.h"
#include "cli/views/parquet/row_columns.h"
#include "cli/views/parquet/row_names.h"
#include "writer/ops/merge.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/writer.h"

namespace iprof::parquet {
namespace {

RandomBytes InMemory(const std::string& text) {
  return {text.size(), [&text](uint64_t at, char* into, size_t count) {
            text.copy(into, count, at);
            return true;
          }};
}

std::string RowsOf(const Profile& profile) {
  StringSink sink;
  const RowsWritten written = WriteProfileRows(profile, RunFacts::Of(profile), "host-1", sink);
  REQUIRE(written.status.ok());
  return sink.text();
}

// The counts alone, as a merge writes them.
std::string CountsOf(const Profile& profile) {
  ProfileMerger merger;
  merger.Add(profile);
  Profile merged = merger.Finish();
  merged.RemoveExtras();
  merged.notes() = PositionNotes();
  merged.ForgetSureness();
  merged.ForgetFirstCalls();
  Result<std::string> text = WriteProfileText(merged, {.version = FormatVersion::k1_1_0});
  REQUIRE(text.ok());
  return *text;
}

TEST_CASE("rows: names are read as they were, with any bytes") {
  Profile profile;
  const TypeIndex types[] = {profile.AddType("a.b(c),d %\xed\xa0\x80"), profile.AddType("[Lx.Y;"),
                             profile.AddType("int"), profile.AddType("\n:")};
  for (const std::string_view name : {"<init>", "run", "x.y(:%", "lambda$0", ""}) {
    for (size_t count = 1; count <= 4; ++count) {
      const MethodIndex method = profile.AddMethod(name, std::span(types).first(count));
      Profile other;
      RowNames names(other);
      const std::optional<MethodIndex> read = names.MethodOf(TextOf(profile, method));
      REQUIRE(read.has_value());
      CHECK(other.DescribeMethod(*read) == profile.DescribeMethod(method));
      CHECK(other.Signature(*read).size() == count);
    }
  }
  const TypeIndex plain[] = {profile.AddType("a.Main"), types[2], types[2], types[1]};
  CHECK(TextOf(profile, profile.AddMethod("<init>", plain)) == "a.Main.<init>(int,[Lx.Y;)int");
}

TEST_CASE("rows: every count of any profile is read again") {
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    Profile profile = MakeRandomProfile(seed);
    for (const MethodIndex method : MethodsOf(profile))
      profile.SetCodeHash(method, static_cast<size_t>(method) % 3 * 0x1234567890abcdefu * seed);
    const std::string bytes = RowsOf(profile);
    const Result<Profile> read = ReadProfileRows(InMemory(bytes), "a.parquet");
    INFO(seed << " " << read.status().message());
    REQUIRE(read.ok());
    // Types and methods that no count names are not in rows: a merge of both has the counts twice.
    ProfileMerger twice;
    twice.Add(profile);
    twice.Add(*read);
    ProfileMerger expected;
    expected.Add(profile, 2);
    CHECK(CountsOf(twice.Finish()) == CountsOf(expected.Finish()));
  }
  const Profile shaped = MakeShapedProfile(1, 1);
  const std::string bytes = RowsOf(shaped);
  const Result<Profile> read = ReadProfileRows(InMemory(bytes), "a.parquet");
  REQUIRE(read.ok());
  for (const Table table : kAllTables) {
    CHECK(read->entry_count(table) == shaped.entry_count(table));
    CHECK(read->Total(table) == shaped.Total(table));
  }
}

TEST_CASE("rows: the runs and how they were sampled go with a profile") {
  Profile profile = MakeShapedProfile(1, 1);
  RunNote run;
  run.run = "5b1c09f7d2a84e6689c3d1e0f4a7b265";
  run.program = "app.jar";
  run.start_ms = 1764530000000;
  run.end_ms = 1764530060000;
  RunList runs;
  runs.Add(run);
  SetAgentPart(profile, kProvenancePart, runs.ToJson());
  SetAgentPart(profile, kSamplingPart, R"({"event":"cpu","intervalNs":10000000,"signals":7})");
  SetAgentPart(profile, kPositionsPart, R"({"of":"AAAAAA"})");
  const RunFacts facts = RunFacts::Of(profile);
  CHECK(facts.run == run.run);
  CHECK(facts.program == "app.jar");
  CHECK(facts.end_ms == run.end_ms);
  const std::string bytes = RowsOf(profile);
  const Result<Profile> read = ReadProfileRows(InMemory(bytes), "a.parquet");
  REQUIRE(read.ok());
  CHECK(RunList::Of(*read).Runs() == std::vector<RunNote>{run});
  CHECK(AgentPart(*read, kSamplingPart) == AgentPart(profile, kSamplingPart));
  CHECK_FALSE(AgentPart(*read, kPositionsPart).has_value());
  // Without a run, the content is the identity.
  RemoveAgentPart(profile, kProvenancePart);
  const std::string id = RunFacts::Of(profile).run;
  CHECK(id.size() == 32);
  CHECK(id == RunFacts::Of(profile).run);
  CHECK(id != RunFacts::Of(MakeShapedProfile(1, 2)).run);
}

// A row of a file that another program wrote.
struct ForeignRow {
  std::string table;
  std::string method;
  int64_t position = 0;
  int64_t successor = -1;  // -1: none
  int64_t index = 0;
  int64_t count = 0;
  int64_t code = 0;
};

Result<Profile> ReadForeign(const std::vector<ForeignRow>& rows) {
  StringSink sink;
  FileWriter file(kRowColumns, sink);
  for (const ForeignRow& row : rows) {
    file.Text(kRunColumn, "");
    file.Text(kTableColumn, row.table);
    if (!row.method.empty()) {
      file.Text(kMethodColumn, row.method);
      file.Integer(kPositionColumn, row.position);
    }
    if (row.successor >= 0) {
      file.Integer(kSuccessorColumn, row.successor);
      file.Integer(kSuccessorIndexColumn, row.index);
    }
    if (row.code != 0) file.Integer(kCodeColumn, row.code);
    file.Integer(kCountColumn, row.count);
    file.Integer(kWeightColumn, 1);
    REQUIRE(file.EndRow().ok());
  }
  REQUIRE(file.Finish({}, kMethodColumn).ok());
  return ReadProfileRows(InMemory(sink.text()), "a.parquet");
}

TEST_CASE("rows: those of other programs are added up in any order") {
  const Result<Profile> read = ReadForeign({{"branches", "a.B.f()void", 3, 9, 1, 5},
                                            {"calls", "a.B.f()void", 0, -1, 0, 4},
                                            {"branches", "a.B.f()void", 3, 6, 0, 1},
                                            {"branches", "a.B.f()void", 3, 9, 1, 2},
                                            {"calls", "a.B.f()void", 0, -1, 0, 3},
                                            // Numbered in another way by another run.
                                            {"branches", "a.B.g()void", 3, 9, 1, 5},
                                            {"branches", "a.B.g()void", 3, 9, 0, 1},
                                            {"branches", "a.B.g()void", 3, 6, 0, 2}});
  REQUIRE(read.ok());
  CHECK(read->Total(Table::kCalls) == 7);
  REQUIRE(read->entry_count(Table::kConditionals) == 2);
  const auto f = read->EntrySuccessors(EntryIndex{0});
  CHECK(std::vector<Successor>(f.begin(), f.end()) == std::vector<Successor>{{6, 0, 1}, {9, 1, 7}});
  const auto g = read->EntrySuccessors(EntryIndex{1});
  CHECK(std::vector<Successor>(g.begin(), g.end()) == std::vector<Successor>{{6, 0, 2}, {9, 1, 6}});
}

TEST_CASE("rows: of several versions of a method the heaviest keeps its positions") {
  const int64_t old_code = int64_t{1} << 40;
  const int64_t new_code = int64_t{2} << 40;
  const Result<Profile> read = ReadForeign({{"calls", "a.B.f()void", 0, -1, 0, 4, old_code},
                                            {"branches", "a.B.f()void", 3, 9, 0, 4, old_code},
                                            {"calls", "a.B.f()void", 0, -1, 0, 30, new_code},
                                            {"branches", "a.B.f()void", 5, 7, 0, 30, new_code}});
  REQUIRE(read.ok());
  CHECK(read->Total(Table::kCalls) == 34);
  REQUIRE(read->entry_count(Table::kConditionals) == 1);
  CHECK(read->InnermostFrame(read->EntryContext(Table::kConditionals, EntryIndex{0})).bci == 5);
}

TEST_CASE("rows: what is wrong with a row is said") {
  const auto why = [](const ForeignRow& row) { return ReadForeign({row}).status().message(); };
  CHECK(why({"cals", "a.B.f()void"}) == "a.parquet: row 1: its table is unknown");
  CHECK(why({"calls", "f"}) ==
        "a.parquet: row 1: its method is not written as 'a.B.name(int)void'");
  CHECK(why({"calls", ""}) == "a.parquet: row 1: its method is missing");
  CHECK(why({.table = "calls", .method = "a.B.f()void", .count = -1}) ==
        "a.parquet: row 1: its count is missing or negative");
}

}  // namespace
}  // namespace iprof::parquet
