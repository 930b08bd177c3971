#include "writer/profile/io/run_note.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace iprof {
namespace {

RunNote Whole() {
  RunNote run{.run = "5b1c09f7d2a84e6689c3d1e0f4a7b265",
              .agent = "0.1.0",
              .options = "out=\"a\".iprof",
              .jvm_vendor = "Debian",
              .jvm_version = "17.0.15",
              .jvm_build = "17.0.15+6",
              .architecture = "x86_64",
              .program = "app.jar",
              .source = "counters",
              .tables = "calls+branches",
              .begin = std::string(kBeginByAttach),
              .start_ms = 1'000'000'000'123,
              .end_ms = 1'000'000'060'000,
              .recorded_ms = 59'000,
              .exactness = RunExactness{100, 3, 1, 17},
              .losses = {}};
  run.Lose("sites", 4);
  run.Lose("branches", 0);
  return run;
}

RunNote Run(int number) {
  RunNote run;
  run.program = "p" + std::to_string(number);
  run.start_ms = 1'000'000 + number * 1000;
  run.end_ms = run.start_ms + 500;
  return run;
}

TEST_CASE("a run is read as it was written") {
  const RunNote whole = Whole();
  CHECK(whole.ToJson() ==
        R"({"run":"5b1c09f7d2a84e6689c3d1e0f4a7b265",)"
        R"("agent":"0.1.0","options":"out=\"a\".iprof","jvm_vendor":"Debian",)"
        R"("jvm_version":"17.0.15","jvm_build":"17.0.15+6","architecture":"x86_64",)"
        R"("program":"app.jar","source":"counters","tables":"calls+branches","begin":"attach",)"
        R"("start":"2001-09-09T01:46:40.123Z","end":"2001-09-09T01:47:40.000Z",)"
        R"("recorded_ms":59000,"methods":{"exact":100,"within_k":3,"unknown":1,"largest_k":17},)"
        R"("losses":{"sites":4}})");
  CHECK(RunNote::Parse(whole.ToJson()) == whole);
  CHECK(RunNote().ToJson() == "{}");
  CHECK(RunNote::Parse("{}") == RunNote());
  CHECK(RunNote::Parse(R"({ "later" : [1], "program" : "x" })")->program == "x");
}

TEST_CASE("k is told if it is known") {
  RunNote run;
  run.exactness = RunExactness{.exact = 0, .within_k = 3, .unknown = 0, .largest_k = 0};
  CHECK_FALSE(run.exactness->KnowsK());
  CHECK(run.ToJson() == R"({"methods":{"exact":0,"within_k":3,"unknown":0}})");
  CHECK(RunNote::Parse(run.ToJson()) == run);
  run.exactness->within_k = 0;
  CHECK(run.exactness->KnowsK());
  CHECK(run.ToJson() == R"({"methods":{"exact":0,"within_k":0,"unknown":0,"largest_k":0}})");
}

TEST_CASE("what is off, how far, and why") {
  const auto said = [](const RunExactness& exactness, bool has_estimates = false) {
    return exactness.DescribeOthers(has_estimates);
  };
  CHECK(said({.exact = 9}).empty());
  CHECK(said({.within_k = 1'000, .largest_k = 3}) ==
        "1,000 methods may be off by up to 3, because exceptions ended calls or "
        "calls had not ended");
  CHECK(said({.unknown = 1, .largest_k = 3}) ==
        "1 method may be off by an unknown number, because exceptions ended calls or "
        "calls had not ended");
  CHECK(said({.within_k = 2, .unknown = 1, .largest_k = 3}) ==
        "3 methods may be off, because exceptions ended calls or calls had not "
        "ended: 2 by up to 3, 1 by an unknown number");
  CHECK(said({.unknown = 2}, true) ==
        "2 methods may be off by an unknown number, because exceptions ended calls, "
        "calls had not "
        "ended, or methods were not counted all the time");
  CHECK(said({.within_k = 1, .unknown = 1}) ==
        "2 methods may be off by an unknown number, because the program ran on while "
        "they were read");
  const RunExactness most{.exact = 9, .within_k = 1, .unknown = 0, .largest_k = 1};
  CHECK(most.Describe(false) ==
        "exact but for races between threads; 1 method may be off by up to 1, "
        "because exceptions ended calls or "
        "calls had not ended");
  CHECK(RunExactness{.exact = 9}.Describe(false) == "exact but for races between threads");
  CHECK(RunExactness{}.Describe(false).empty());
}

TEST_CASE("every loss has words") {
  using Lines = std::vector<std::pair<std::string, std::string>>;
  CHECK(DescribeLosses({}).empty());
  CHECK(
      DescribeLosses({{"samples", 1}, {"negative_counts", 71}, {"sites", 2}}) ==
      Lines{{"left out",
             "1 sample without a stack, 2 calls or type checks that met objects of unknown class"},
            {"set to 0",
             "71 counts that came out negative, because of races between threads or exceptions"}});
  CHECK(DescribeLosses({{"of_a_later_version", 3}}) == Lines{{"left out", "3 of a later version"}});
}

TEST_CASE("whether the exactness is told") {
  RunList runs;
  CHECK_FALSE(runs.TellsExactness());
  runs.Add(Whole());
  CHECK(runs.TellsExactness());
  runs.Add(Run(1));
  CHECK_FALSE(runs.TellsExactness());
  RunList one;
  one.Add(Run(1));
  CHECK_FALSE(one.TellsExactness());
}

TEST_CASE("what is no run is refused") {
  for (const char* text : {"", "[]", "{", R"({"agent":1})", R"({"losses":{"a":"b"}})",
                           R"({"methods":[]})", R"({"recorded_ms":1.5})", "{}x"}) {
    INFO(text);
    CHECK_FALSE(RunNote::Parse(text));
  }
  CHECK_FALSE(RunNote::Parse(R"({"program":")" + std::string(20'000, 'x') + R"("})"));
}

TEST_CASE("runs are a set, in any order and grouping") {
  std::vector<int> order{1, 2, 3};
  std::string text;
  do {
    for (size_t split = 0; split <= order.size(); ++split) {
      RunList first;
      RunList second;
      for (size_t i = 0; i < order.size(); ++i) (i < split ? first : second).Add(Run(order[i]));
      second.Add(Run(1));
      second.Add(first);
      if (text.empty()) text = second.ToJson();
      REQUIRE(second.ToJson() == text);
      CHECK(second.Runs().size() == 3);
      CHECK(second.LastEndMs() == Run(3).end_ms);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  RunList read;
  REQUIRE(read.AddJson(text));
  CHECK(read.ToJson() == text);
}

TEST_CASE("members of a later version stay in a merge") {
  RunList list;
  REQUIRE(list.AddJson(R"({"runs":[{"program":"a","later":{"x":1}}],"more":2})"));
  list.Add(Run(1));
  CHECK(list.ToJson().find(R"({"program":"a","later":{"x":1}})") != std::string::npos);
}

TEST_CASE("only the last runs are listed, the others are counted") {
  RunList list;
  constexpr auto kMost = static_cast<int>(RunList::kMostRuns);
  for (int i = 0; i < kMost + 5; ++i) list.Add(Run(i));
  RunList read;
  REQUIRE(read.AddJson(list.ToJson()));
  CHECK(read.older() == 5);
  REQUIRE(read.Runs().size() == RunList::kMostRuns);
  CHECK(read.Runs().front() == Run(5));
  CHECK(read.Runs().back() == Run(kMost + 4));
}

TEST_CASE("a list that only counts its runs is not empty") {
  const std::string counted = R"({"runs":[],"older_runs":3})";
  RunList list;
  CHECK(list.empty());
  REQUIRE(list.AddJson(counted));
  CHECK_FALSE(list.empty());
  CHECK(list.ToJson() == counted);
}

TEST_CASE("a file that claims endless runs does not overflow their number") {
  constexpr size_t kMost = INT64_MAX;
  const std::string endless =
      R"({"runs":[{"agent":"a"}],"older_runs":)" + std::to_string(kMost) + "}";
  RunList list;
  REQUIRE(list.AddJson(endless));
  REQUIRE(list.AddJson(endless));
  RunList other;
  REQUIRE(other.AddJson(endless));
  list.Add(other);
  CHECK(list.older() == kMost);
  RunList read;
  REQUIRE(read.AddJson(list.ToJson()));
  CHECK(read.older() == kMost);
}

TEST_CASE("what is no list adds nothing") {
  RunList list;
  for (const char* text : {"", "{", R"({"runs":{}})", R"({"runs":[1]})", R"({"runs":[{}})",
                           R"({"runs":[{"agent":2}]})", R"({"runs":[{}],"older_runs":-1})"}) {
    INFO(text);
    CHECK_FALSE(list.AddJson(text));
    CHECK(list.empty());
  }
}

}  // namespace
}  // namespace iprof
