#include "writer/ops/input_runs.h"

#include <catch2/catch.hpp>
#include <string>

#include "writer/ops/ops_test_profiles.h"

namespace iprof {
namespace {

InputRuns RunsOf(const std::string& provenance) {
  return InputRuns::Of(
      ParseTables(R"(,"iprofagent":{"version":1,"provenance":)" + provenance + "}"));
}

TEST_CASE("whether an input says of all its runs which ones they are") {
  CHECK_FALSE(InputRuns::Of(ParseTables("")).KnowsAll());
  CHECK(RunsOf(R"({"runs":[{"run":"a"},{"run":"b"}]})").KnowsAll());
  CHECK_FALSE(RunsOf(R"({"runs":[{"run":"a"},{"program":"b"}]})").KnowsAll());
  const InputRuns with_older = RunsOf(R"({"runs":[{"run":"a"}],"older_runs":3})");
  CHECK(with_older.older == 3);
  CHECK_FALSE(with_older.KnowsAll());
}

TEST_CASE("a raw file says of which run it is where its profile does not") {
  const RunId id{1, 2};
  InputRuns told = RunsOf(R"({"runs":[{"run":"a"}]})");
  told.NoteRun(id);
  REQUIRE(told.runs.size() == 1);
  CHECK(told.runs[0].run == "a");
  InputRuns silent = InputRuns::Of(ParseTables(
      R"(,"iprofagent":{"version":1,"snapshot":{"files":1,"time":"1970-01-01T00:00:01.500Z"}})"));
  silent.NoteRun({});
  CHECK_FALSE(silent.KnowsAll());
  silent.NoteRun(id);
  REQUIRE(silent.KnowsAll());
  CHECK(silent.runs[0].run == id.Text());
  CHECK(silent.runs[0].end_ms == 1500);
  InputRuns unreadable;
  unreadable.NoteRun(id);
  CHECK(unreadable.runs.empty());
}

}  // namespace
}  // namespace iprof
