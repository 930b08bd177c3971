#include "agent/settings/log.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "agent/settings/temporary_log.h"

using namespace iprof::vm;

TEST_CASE("one message is one line") {
  CHECK(LogLine("two\nlines\ttab") == "iprofagent: two lines tab\n");
}

TEST_CASE("verbosity decides what is shown, and a file's lines carry their time") {
  const TemporaryLog file;
  Log log;
  REQUIRE(log.Open(file.path()).ok());
  log.SetVerbosity(2);
  log.Warning("w");
  log.Step("s");
  log.Detail("d");
  const auto lines = file.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].size() == std::string("2026-01-01T00:00:00.000Z iprofagent: w").size());
  CHECK(lines[0].ends_with("Z iprofagent: w"));
  CHECK(lines[1].ends_with("Z iprofagent: s"));
}

TEST_CASE("a log that cannot be opened says why") {
  Log log;
  CHECK(log.Open("/nowhere/x.log").message() ==
        "cannot open the log file '/nowhere/x.log': No such file or directory");
}

TEST_CASE("lines of many threads never mix") {
  const TemporaryLog file;
  Log log;
  REQUIRE(log.Open(file.path()).ok());
  const std::string text(200, 'x');
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) log.Warning(text);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto lines = file.lines();
  CHECK(lines.size() == 400);
  for (const std::string& line : lines) {
    if (!line.ends_with("Z iprofagent: " + text)) FAIL("mixed line: " << line);
  }
}
