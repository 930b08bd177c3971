#include "agent/vm/log.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "agent/vm/boundary.h"

using namespace iprof::vm;
namespace fs = std::filesystem;

namespace {

// A log file that is removed with the test; text() is what it holds.
class TemporaryLog {
 public:
  TemporaryLog() {
    std::string name = (fs::temp_directory_path() / "iprof-log.XXXXXX").string();
    const int file = mkstemp(name.data());
    REQUIRE(file >= 0);
    close(file);
    path_ = name;
  }
  ~TemporaryLog() { fs::remove(path_); }
  const std::string& path() const { return path_; }
  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

 private:
  std::string path_;
};

}  // namespace

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

TEST_CASE("no exception crosses the boundary, and each is counted") {
  const TemporaryLog file;
  Log log;
  REQUIRE(log.Open(file.path()).ok());
  log.SetVerbosity(0);
  const uint64_t before = boundary_failures.load();
  AtBoundary(log, "VMDeath", [] { throw std::runtime_error("broken"); });
  AtBoundary(log, "VMDeath", [] { throw 42; });
  AtBoundary(log, "VMDeath", [] {});
  CHECK(boundary_failures.load() == before + 2);
  const auto lines = file.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].ends_with("internal error in VMDeath: broken; the program goes on"));
  CHECK(lines[1].ends_with(
      "internal error in VMDeath: an exception of unknown kind; the program goes on"));
}
