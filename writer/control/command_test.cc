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
      {{Describe()}, "command=status"},
      {{Start()}, "command=start"},
      {{Start{.out = "/o", .duration = 90s}}, "command=start,duration=90s,out=/o"},
      {{Start{.window = Sent::kGzip, .folder = "/f"}}, "command=start,window=gzip,folder=/f"},
      {{Reset(), 1500ms}, "command=reset,timeout=1500ms"},
      {{Reset{Forgotten::kSamples}}, "command=reset,only=samples"},
      {{Describe(), 0ms}, "command=status,timeout=0s"},
      {{Harvest{{"/o", Sent::kNo}, false, 5, 25}},
       "command=harvest,estimate=n,receivers-max-lost=5,target=25,out=/o"},
      {{Harvest{{"", Sent::kPlain}}}, "command=harvest,send=plain"},
      {{Refresh{500}}, "command=refresh,share=500"},
      {{Stop{{"/tmp/x.iprof", Sent::kNo}}, 30s}, "command=stop,timeout=30s,out=/tmp/x.iprof"},
      {{Stop{{"", Sent::kGzip}}}, "command=stop,send=gzip"},
      {{Dump{{"/a,b=c%d e\n\x7f\xc3\xa9", Sent::kNo}}},
       "command=dump,out=/a%2Cb=c%25d e%0A%7F\xc3\xa9"},
  };
  for (const auto& [command, text] : pairs) {
    CHECK(FormatCommand(command) == text);
    const Result<Command> parsed = ParseCommand(text);
    REQUIRE(parsed.ok());
    CHECK(*parsed == command);
  }
  CHECK(ParseCommand("command=stop,out=/x,timeout=3s,")->timeout == 3s);  // any order
}

TEST_CASE("every command has a name, and says what it wants of a profile") {
  for (const char* name : {"start", "stop", "reset", "dump", "status", "harvest", "refresh"}) {
    const bool is_harvest = name == std::string("harvest");
    const auto command =
        ParseCommand(std::string("command=") + name + (is_harvest ? ",out=/o" : ""));
    REQUIRE(command.ok());
    CHECK(VerbName(command->wish) == name);
  }
  CHECK(ProfileOf(Harvest{{"/o", Sent::kNo}})->out == "/o");
  CHECK(ProfileOf(Dump{{"", Sent::kGzip}})->sent == Sent::kGzip);
  CHECK(ProfileOf(Start{.out = "/o"}) == nullptr);
}

TEST_CASE("a tool's call is told from options") {
  const std::string socket = "/tmp/a,b/agent";
  CHECK(CallTo(socket) == "command=/tmp/a%2Cb/agent");
  CHECK(CalledTo(CallTo(socket)) == socket);
  CHECK(CalledTo("command=stop,reply=/x") == "stop");  // of another release
  CHECK(CalledTo("").empty());
  CHECK(CalledTo("out=command=/x").empty());
  CHECK(CalledTo("command").empty());
}

TEST_CASE("what is no command") {
  CHECK(WhyNot("") == "a command must begin with command=");
  CHECK(WhyNot("out=/x,command=stop") == "a command must begin with command=");
  CHECK(WhyNot("command=stpo") == "there is no command 'stpo'; did you mean 'stop'?");
  CHECK(WhyNot("command=\x01") == "there is no command '?'");
  CHECK(WhyNot("command=stop,interval=3ms") == "a command has no option 'interval'");
  CHECK(WhyNot("command=stop,out") == "a command has no option 'out'");
  CHECK(WhyNot("command=stop,command=start") == "option 'command' is given twice");
  CHECK(WhyNot("command=stop,out=x") == "option 'out' must be an absolute path, not 'x'");
  CHECK(WhyNot("command=stop,out=") == "option 'out' must be an absolute path, not ''");
  CHECK(WhyNot("command=stop,out=/x%2") ==
        "option 'out' must write a percent sign as %25, not '/x%2'");
  CHECK(WhyNot("command=stop,out=/x%00y") ==
        "option 'out' must not contain a zero byte, not '/x%00y'");
  CHECK(WhyNot("command=reset,out=/x") == "command 'reset' takes no out=");
  CHECK(WhyNot("command=stop,only=samples") == "command 'stop' takes no only=");
  CHECK(WhyNot("command=reset,only=calls") == "option 'only' must be all or samples, not 'calls'");
  CHECK(WhyNot("command=refresh,out=/x") == "command 'refresh' takes no out=");
  CHECK(WhyNot("command=refresh,target=3") == "command 'refresh' takes no target=");
  CHECK(WhyNot("command=harvest,out=/x,share=3") == "command 'harvest' takes no share=");
  CHECK(WhyNot("command=refresh,share=1001") ==
        "option 'share' must be a number from 0 to 1000, not '1001'");
  CHECK(WhyNot("command=harvest") == "command 'harvest' needs out= or send=");
  CHECK(WhyNot("command=stop,send=plain,out=/x") ==
        "a profile is written to out= or sent (send=), not both");
  CHECK(WhyNot("command=stop,send=zip") == "option 'send' must be n or plain or gzip, not 'zip'");
  CHECK(WhyNot("command=start,window=maybe") ==
        "option 'window' must be n or plain or gzip, not 'maybe'");
  CHECK(WhyNot("command=stop,duration=3s") == "command 'stop' takes no duration=");
  for (const char* timeout : {"", "5", "5m", "-1s", "s", "86401s", "99999999999999999999s"}) {
    CHECK(WhyNot(std::string("command=stop,timeout=") + timeout) ==
          std::string("option 'timeout' must be a number with a unit, ms or s, and at most a day, "
                      "not '") +
              timeout + "'");
  }
  CHECK(WhyNot("command=stop,out=/" + std::string(kLongestCommand, 'x')) ==
        "a command has at most 15360 bytes, not 15378");
}

}  // namespace
}  // namespace iprof::control
