#include "writer/control/answer.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

namespace iprof::control {
namespace {

// Every member has a value of its own, so that two that are mixed up are noticed.
SessionStatus FullStatus() {
  SessionStatus status;
  uint64_t next = 1;
  VisitPlainMembers(
      status, [&](std::string_view, uint64_t& number) { number = next++; },
      [&](std::string_view, std::string& text) { text = "text " + std::to_string(next++); });
  status.records = {"calls", "samples"};
  status.losses = {{"classes of unknown version", 3}, {"\"quoted\"", 1}};
  status.raw_losses = {{"snapshots that failed", 2}};
  status.kept = {{"a loop in the class runs all the time (Solo.main)", 3}, {"\"other\"", 1}};
  return status;
}

std::string WhyNot(std::string_view json) {
  const Result<Answer> answer = ParseAnswer(json);
  return answer.ok() ? "it was accepted" : answer.status().message();
}

TEST_CASE("answers come back from their JSON") {
  Answer answer{"stop", Outcome::kRefused, "\"x\"\n\xc3\xa9", FullStatus()};
  CHECK(*ParseAnswer(FormatAnswer(answer)) == answer);
  answer.status = SessionStatus();
  CHECK(*ParseAnswer(FormatAnswer(answer)) == answer);
  answer.status.reset();
  CHECK(FormatAnswer(answer) ==
        "{\"command\":\"stop\",\"outcome\":\"refused\",\"message\":"
        "\"\\\"x\\\"\\n\xc3\xa9\"}\n");
  CHECK(*ParseAnswer(FormatAnswer(answer)) == answer);
  for (const Outcome outcome :
       {Outcome::kDone, Outcome::kRefused, Outcome::kFailed, Outcome::kTaken}) {
    CHECK(ParseAnswer(FormatAnswer({"dump", outcome, "", {}}))->outcome == outcome);
  }
  for (const ProgramEnd end : {ProgramEnd::kNone, ProgramEnd::kOvertook, ProgramEnd::kBesides}) {
    answer.end = end;
    CHECK(*ParseAnswer(FormatAnswer(answer)) == answer);
  }
}

TEST_CASE("a status has every member in its JSON") {
  const SessionStatus full = FullStatus();
  std::string json;
  AppendJson(full, &json);
  size_t keys = 0;
  VisitPlainMembers(
      full,
      [&](std::string_view key, uint64_t number) {
        ++keys;
        CHECK(json.find("\"" + std::string(key) + "\":" + std::to_string(number)) !=
              std::string::npos);
      },
      [&](std::string_view key, const std::string& text) {
        ++keys;
        CHECK(json.find("\"" + std::string(key) + "\":\"" + text + "\"") != std::string::npos);
      });
  CHECK(keys == 42);
}

TEST_CASE("unknown keys are skipped, and missing ones stay at their defaults") {
  const Result<Answer> answer = ParseAnswer(
      R"( {"later":[{"a":1.5}], "outcome":"done", "command":"status",
          "status":{"new":{"x":null},"samples":7,"losses":[{"why":true,"count":2}]}} )");
  REQUIRE(answer.ok());
  CHECK(answer->message.empty());
  CHECK(answer->status->samples == 7);
  CHECK(answer->status->losses == std::vector<Loss>{{"", 2}});
  CHECK(answer->status->state.empty());
}

TEST_CASE("large numbers") {
  Answer answer{"status", Outcome::kDone, "", SessionStatus()};
  answer.status->counters = UINT64_MAX;
  CHECK(ParseAnswer(FormatAnswer(answer))->status->counters == INT64_MAX);
}

TEST_CASE("what is no answer") {
  const std::string whole = FormatAnswer({"stop", Outcome::kDone, "m", FullStatus()});
  for (size_t cut = 0; cut + 2 < whole.size(); ++cut) {
    CHECK(WhyNot(whole.substr(0, cut)) == "the agent's answer is damaged");
  }
  CHECK(WhyNot(whole + "x") == "the agent's answer is damaged");
  CHECK(WhyNot("[]") == "the agent's answer is damaged");
  CHECK(WhyNot("{}") == "the agent's answer lacks its outcome");
  CHECK(WhyNot(R"({"outcome":"done","end":"soon"})") == "the agent's answer is damaged");
  CHECK(WhyNot(R"({"command":"stop","outcome":"maybe"})") == "the agent's answer is damaged");
  CHECK(WhyNot(R"({"command":"stop","outcome":"done","status":{"samples":-1}})") ==
        "the agent's answer is damaged");
  CHECK(WhyNot(R"({"command":"stop","outcome":"done","status":{"pid":"1"}})") ==
        "the agent's answer is damaged");
}

}  // namespace
}  // namespace iprof::control
