#include "agent/settings/option_values.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace iprof;
using namespace iprof::vm;

namespace {
int64_t Ns(std::string_view text) {
  const auto duration = ParseDuration(text);
  return duration.ok() ? duration->ns : -1;
}
int64_t Bytes(std::string_view text) {
  const auto size = ParseSize(text);
  return size.ok() ? size->bytes : -1;
}
}  // namespace

TEST_CASE("y and n are the only answers") {
  CHECK(*ParseYesNo("y"));
  CHECK_FALSE(*ParseYesNo("n"));
  for (const char* text : {"", "Y", "yes", "true", "1", "yn"}) {
    INFO(text);
    CHECK_FALSE(ParseYesNo(text).ok());
  }
}

TEST_CASE("a choice is its position") {
  CHECK(*ParseChoice("fail", "fail|ignore") == 0);
  CHECK(*ParseChoice("ignore", "fail|ignore") == 1);
  CHECK(ParseChoice("fail|ignore", "fail|ignore").status().message() ==
        "must be one of fail|ignore");
  CHECK_FALSE(ParseChoice("", "fail|ignore").ok());
}

TEST_CASE("numbers keep their range") {
  CHECK(*ParseNumber("0", 0, 3) == 0);
  CHECK(*ParseNumber("3", 0, 3) == 3);
  for (const char* text : {"", "4", "-1", "+1", " 1", "1 ", "0x1", "99999999999999999999"}) {
    INFO(text);
    CHECK(ParseNumber(text, 0, 3).status().message() == "must be a whole number from 0 to 3");
  }
}

TEST_CASE("durations carry their unit") {
  CHECK(Ns("250us") == 250'000);
  CHECK(Ns("10ms") == 10'000'000);
  CHECK(Ns("5s") == 5'000'000'000);
  CHECK(Ns("2m") == 120'000'000'000);
  CHECK(Ns("1h") == 3'600'000'000'000);
  CHECK(Ns("0") == 0);
  CHECK(Ns("9223372036s") == 9'223'372'036'000'000'000);
  for (const char* text : {"", "5", "s", "5 s", "5ns", "5min", "-5s", "1.5s", "9223372037s"}) {
    INFO(text);
    CHECK(Ns(text) == -1);
  }
}

TEST_CASE("sizes are powers of 1024") {
  CHECK(Bytes("0") == 0);
  CHECK(Bytes("4096") == 4096);
  CHECK(Bytes("64k") == 65536);
  CHECK(Bytes("10M") == 10'485'760);
  CHECK(Bytes("2g") == 2'147'483'648);
  CHECK(Bytes("8589934591g") == 9'223'372'035'781'033'984);
  for (const char* text : {"", "k", "1kb", "1.5g", "-1", "8589934592g"}) {
    INFO(text);
    CHECK(Bytes(text) == -1);
  }
}

TEST_CASE("pattern lists have no empty pattern") {
  CHECK(*ParsePatternList("a") == PatternList{"a"});
  CHECK(*ParsePatternList("com.acme.*;tool.jar") == PatternList{"com.acme.*", "tool.jar"});
  for (const char* text : {"", ";", "a;", "+a", "a;+b"}) {
    INFO(text);
    CHECK_FALSE(ParsePatternList(text).ok());
  }
}
