#include "cli/jvm/attach_protocol.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

namespace iprof::jvm {
namespace {

using namespace std::string_literals;

TEST_CASE("a request of version 1 has three arguments") {
  CHECK(*EncodeRequest(ProtocolVersion::k1, {"getversion"}) == "1\0getversion\0\0\0\0"s);
  CHECK(*EncodeRequest(ProtocolVersion::k1, {"load", "/l.so", "true", "a=b"}) ==
        "1\0load\0/l.so\0true\0a=b\0"s);
  CHECK(EncodeRequest(ProtocolVersion::k1, {"load", "1", "2", "3", "4"}).status().code() ==
        Code::kInternal);
}

TEST_CASE("version 1 carries 1,024 bytes in an argument, version 2 more") {
  const std::string fits(1024, 'x');
  const std::string is_longer(1025, 'x');
  CHECK(FitsVersion1({"load", "/l.so", "true", fits}));
  CHECK_FALSE(FitsVersion1({"load", "/l.so", "true", is_longer}));
  CHECK(EncodeRequest(ProtocolVersion::k1, {"load", fits}).ok());
  const Status refused = EncodeRequest(ProtocolVersion::k1, {"load", is_longer}).status();
  CHECK(refused.code() == Code::kLimit);
  CHECK(refused.message() ==
        "this JVM takes at most 1024 bytes of options or path, and there are 1025 (JDK 25 and "
        "later take more): shorten them");
  CHECK(*EncodeRequest(ProtocolVersion::k2, {"load", "a", "b"}) == "2\0"s + "9\0load\0a\0b\0"s);
  CHECK(EncodeRequest(ProtocolVersion::k2, {"load", is_longer}).ok());
  CHECK(EncodeRequest(ProtocolVersion::k2, {std::string(300 << 10, 'x')}).status().code() ==
        Code::kLimit);
}

TEST_CASE("a zero byte would be the end of an argument") {
  for (const auto version : {ProtocolVersion::k1, ProtocolVersion::k2}) {
    CHECK(EncodeRequest(version, {"load", "a\0b"s}).status().code() == Code::kUsage);
  }
}

TEST_CASE("answers") {
  CHECK(ParseAnswer("0\nreturn code: 0\n")->text == "return code: 0\n");
  CHECK(ParseAnswer("-1\n")->code == -1);
  CHECK(ParseAnswer("").status().message() ==
        "it closed the connection without an answer: it is ending, or takes no requests of this "
        "user and group");
  CHECK(ParseAnswer("HTTP/1.1 400\nx").status().message() ==
        "its answer is not one of HotSpot: 'HTTP/1.1 400 x'");
  CHECK_FALSE(ParseAnswer("0").ok());
  CHECK_FALSE(ParseAnswer("99999999999\n").ok());
  CHECK_FALSE(ParseAnswer("101\nunknown version").ok());
}

TEST_CASE("getversion as JVMs answer it") {
  CHECK(VersionIn({0, "2"}) == ProtocolVersion::k2);
  CHECK(VersionIn({0, "2 streaming"}) == ProtocolVersion::k2);
  CHECK(VersionIn({0, "1"}) == ProtocolVersion::k1);
  CHECK(VersionIn({-1, "Operation getversion not recognized!"}) == ProtocolVersion::k1);
}

TEST_CASE("load as JVMs answer it") {
  auto said = [](int code, const std::string& text) { return JudgeLoad({code, text}, "/l.so"); };
  CHECK(said(0, "return code: 0\n").ok());
  CHECK(said(0, "return code: -1\n").message() ==
        "the agent refused to start: the program's standard error, or the file of log=, says why");
  // JDK 17, then 21 and 25.
  const std::string disallowed =
      "Dynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target "
      "VM.";
  for (const Status& status : {said(-1, disallowed), said(0, disallowed + "\n")}) {
    CHECK(status.code() == Code::kUnsupported);
    CHECK(status.message().starts_with("it runs with -XX:-EnableDynamicAgentLoading"));
  }
  const std::string failed = "/l.so was not loaded.\n/l.so: cannot open shared object file\n";
  for (const Status& status : {said(-1, failed), said(0, failed)}) {
    CHECK(status.code() == Code::kIo);
    CHECK(status.message() == "the JVM cannot load /l.so: /l.so: cannot open shared object file");
  }
  const std::string late = "Dynamic agent loading is only permitted in the live phase\n";
  for (const Status& status : {said(-1, late), said(0, late)})
    CHECK(status.message() == "it takes no agents now: it is ending, or is still starting");
  CHECK(said(0, "").message() == "the JVM did not load the agent: it answered '' with code 0");
  CHECK(said(-4, "out of memory").message() ==
        "the JVM did not load the agent: it answered 'out of memory' with code -4");
}

TEST_CASE("damaged answers are read without harm") {
  std::mt19937 random(1);
  const std::string whole = "0\nreturn code: -1\nx was not loaded.\ny\n";
  size_t refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = whole.substr(0, random() % (whole.size() + 1));
    if (!text.empty()) text[random() % text.size()] = static_cast<char>(random());
    const Result<Answer> answer = ParseAnswer(text);
    refused += answer.ok() ? JudgeLoad(*answer, "l").message().size() : 1;
  }
  CHECK(refused > 0);
}

}  // namespace
}  // namespace iprof::jvm
