#include "writer/control/message.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof::control {
namespace {

std::string WhyOther(std::string_view line, Peer peer) {
  const Result<std::string> greeting = ParseGreeting(line, peer);
  if (greeting.ok()) return "it was accepted";
  CHECK(greeting.status().code() == Code::kUnsupported);
  return greeting.status().message();
}

TEST_CASE("the first line has the version, and of a tool what it wants") {
  CHECK(FormatGreeting() == "iprof/3\n");
  CHECK(FormatGreeting("command=stop") == "iprof/3 command=stop\n");
  CHECK(*ParseGreeting("iprof/3", Peer::kAgent) == "");
  CHECK(*ParseGreeting("iprof/3 command=stop,out=/a b", Peer::kTool) == "command=stop,out=/a b");
}

TEST_CASE("another version is refused in one sentence") {
  for (const char* line : {"iprof/1", "iprof/2", "iprof/33", "iprof/", "iprof/3x", "", "iprof",
                           "command=stop", "{\"iprofagent\":1,\"outcome\":\"refused\"}"}) {
    CHECK(WhyOther(line, Peer::kAgent) ==
          "the agent is of another release than this tool: use the tool of the agent's release");
    CHECK(WhyOther(line, Peer::kTool) ==
          "the tool is of another release than this agent: use the tool of the agent's release");
  }
  // Tools before version 2 take this for an answer of a later version.
  CHECK(RefusalForOldTools() == "{\"iprofagent\":3}\n");
}

TEST_CASE("messages come back, however their bytes are cut") {
  const std::string part(70'000, 'x');
  const std::string bytes = FormatGreeting() + FormatMessage(Kind::kData, part) +
                            FormatMessage(Kind::kEnd, "") + "Q" + std::string(3, '\0') + "\2ab" +
                            FormatMessage(Kind::kAnswer, "{}");
  CHECK(FormatMessage(Kind::kSaved, "abc") == std::string("S\0\0\0\3abc", 8));
  for (const size_t piece : {size_t{1}, size_t{3}, size_t{4096}, bytes.size()}) {
    MessageReader reader;
    bool has_line = false;
    std::vector<Message> messages;
    for (size_t at = 0; at < bytes.size(); at += piece) {
      reader.Add(std::string_view(bytes).substr(at, piece));
      if (!has_line) {
        const auto line = reader.NextLine();
        REQUIRE(line.ok());
        if (!*line) continue;
        CHECK(**line == "iprof/3");
        has_line = true;
      }
      for (;;) {
        const auto next = reader.Next();
        REQUIRE(next.ok());
        if (!*next) break;
        messages.push_back(**next);
      }
    }
    // The letter that is not known was passed over.
    CHECK(messages ==
          std::vector<Message>{{Kind::kData, part}, {Kind::kEnd, ""}, {Kind::kAnswer, "{}"}});
  }
}

TEST_CASE("what is no message is refused before its bytes are kept") {
  MessageReader reader;
  reader.Add(std::string("A\0\x10\0\1", 5));
  CHECK(reader.Next().status().message() == "the other side's message is damaged, or too long");
  MessageReader line;
  line.Add(std::string(kLongestLine, 'x'));
  CHECK(line.NextLine().ok());
  line.Add("x");
  CHECK(line.NextLine().status().code() == Code::kBadInput);
}

}  // namespace
}  // namespace iprof::control
