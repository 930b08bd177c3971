#include "writer/control/command.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

namespace iprof::control {
namespace {

using namespace std::chrono_literals;

std::string WhyNot(std::string_view text) {
  const Result<Command> command = ParseCommand(text);
  if (command.ok()) return "it was accepted";
  CHECK(command.status().code() == Code::kUsage);
  return command.status().message();
}

TEST_CASE("commands come back from their text") {
  const std::vector<std::pair<Command, std::string>> pairs = {
      {{Verb::kStart, "", 60s, "", 0s}, "command=start"},
      {{Verb::kStart, "", 60s, "", 90s}, "command=start,duration=90s"},
      {{Verb::kStart, "/o", 60s, "", 90s}, "command=start,duration=90s,out=/o"},
      {{Verb::kReset, "", 1500ms, "", 0s}, "command=reset,timeout=1500ms"},
      {{Verb::kStatus, "", 0ms, "/r", 0s}, "command=status,timeout=0s,reply=/r"},
      {{Verb::kHarvest, "/o", 60s, "/r", 0s, false, 5, 25},
       "command=harvest,estimate=n,receivers-max-lost=5,target=25,out=/o,reply=/r"},
      {{Verb::kRefresh, "", 60s, "/r", 0s, true, 200, 0, 500},
       "command=refresh,share=500,reply=/r"},
      {{Verb::kReset, "", 60s, "", 0s, true, 200, 0, 990, true}, "command=reset,only=samples"},
      {{Verb::kSaved, "", 60s, "/r", 0s, true, 200, 0, 990, false, 7},
       "command=saved,recording=7,reply=/r"},
      {{Verb::kStop, "/tmp/x.iprof", 30s, "/tmp/y", 0s},
       "command=stop,timeout=30s,out=/tmp/x.iprof,reply=/tmp/y"},
      {{Verb::kDump, "/a,b=c%d e\n\x7f\xc3\xa9", 60s, "", 0s},
       "command=dump,out=/a%2Cb=c%25d e%0A%7F\xc3\xa9"},
  };
  for (const auto& [command, text] : pairs) {
    CHECK(FormatCommand(command) == text);
    const Result<Command> parsed = ParseCommand(text);
    REQUIRE(parsed.ok());
    CHECK(*parsed == command);
  }
  CHECK(ParseCommand("out=/x,command=stop,")->verb ==
        Verb::kStop);  // any order, a comma at the end
}

TEST_CASE("every verb has a name") {
  for (const char* name :
       {"start", "stop", "reset", "dump", "status", "harvest", "refresh", "saved"}) {
    REQUIRE(VerbNamed(name));
    CHECK(VerbName(*VerbNamed(name)) == name);
  }
  CHECK_FALSE(VerbNamed("Stop"));
}

TEST_CASE("a command is told from options") {
  CHECK(IsCommand("command=stop"));
  CHECK(IsCommand("timeout=3s,command="));
  CHECK_FALSE(IsCommand(""));
  CHECK_FALSE(IsCommand("out=command=stop"));
  CHECK_FALSE(IsCommand("command"));
}

TEST_CASE("some commands need only the library") {
  CHECK(NeedsNoAgent("command=harvest,out=/x"));
  CHECK(NeedsNoAgent("timeout=3s,command=refresh"));
  CHECK_FALSE(NeedsNoAgent("command=status"));
  CHECK_FALSE(NeedsNoAgent("out=command=refresh"));
}

TEST_CASE("a tool's own folder is told from the user's files") {
  CHECK(IsToolsFile("/tmp/.iprof-0123456789abcdef/profile.iprof"));
  CHECK_FALSE(IsToolsFile("/tmp/app.iprof"));
}

TEST_CASE("what is no command") {
  CHECK(WhyNot("") == "a command must begin with command=");
  CHECK(WhyNot("out=/x") == "a command must begin with command=");
  CHECK(WhyNot("command=stpo") == "there is no command 'stpo'; did you mean 'stop'?");
  CHECK(WhyNot("command=\x01") == "there is no command '?'");
  CHECK(WhyNot("command=stop,interval=3ms") == "a command has no option 'interval'");
  CHECK(WhyNot("command=stop,out") == "a command has no option 'out'");
  CHECK(WhyNot("command=stop,command=start") == "option 'command' is given twice");
  CHECK(WhyNot("command=stop,out=x") == "option 'out' must be an absolute path, not 'x'");
  CHECK(WhyNot("command=stop,out=") == "option 'out' must be an absolute path, not ''");
  CHECK(WhyNot("command=stop,reply=/x%2") ==
        "option 'reply' must write a percent sign as %25, not '/x%2'");
  CHECK(WhyNot("command=stop,reply=/x%00y") ==
        "option 'reply' must not contain a zero byte, not '/x%00y'");
  CHECK(WhyNot("command=reset,out=/x") == "command 'reset' takes no out=");
  CHECK(WhyNot("command=stop,only=samples") == "command 'stop' takes no only=");
  CHECK(WhyNot("command=reset,only=calls") == "option 'only' must be samples, not 'calls'");
  CHECK(WhyNot("command=refresh,out=/x") == "command 'refresh' takes no out=");
  CHECK(WhyNot("command=refresh,target=3") == "command 'refresh' takes no target=");
  CHECK(WhyNot("command=harvest,out=/x,share=3") == "command 'harvest' takes no share=");
  CHECK(WhyNot("command=refresh,share=1001") ==
        "option 'share' must be a number from 0 to 1000, not '1001'");
  CHECK(WhyNot("command=saved") == "command 'saved' needs recording=");
  CHECK(WhyNot("command=saved,recording=0") == "command 'saved' needs recording=");
  CHECK(WhyNot("command=saved,recording=1,out=/x") == "command 'saved' takes no out=");
  CHECK(WhyNot("command=stop,recording=1") == "command 'stop' takes no recording=");
  CHECK(WhyNot("command=stop,duration=3s") == "command 'stop' takes no duration=");
  for (const char* timeout : {"", "5", "5m", "-1s", "s", "86401s", "99999999999999999999s"}) {
    CHECK(WhyNot(std::string("command=stop,timeout=") + timeout) ==
          std::string("option 'timeout' must be a number with a unit, ms or s, and at most a day, "
                      "not '") +
              timeout + "'");
  }
  CHECK(WhyNot("command=stop,out=/" + std::string(kLongestCommand, 'x')) ==
        "a command has at most 16384 bytes, not 16402");
}

}  // namespace
}  // namespace iprof::control
