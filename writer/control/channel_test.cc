#include "writer/control/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace iprof::control {
namespace {

Status WaitLong(int fd, short events) {
  pollfd waited{fd, events, 0};
  if (poll(&waited, 1, 60'000) > 0) return {};
  return {Code::kIo, "the time is up"};
}

Status NeverWait(int /*fd*/, short /*events*/) { return {Code::kIo, "the time is up"}; }

std::pair<OwnedFd, OwnedFd> Ends() {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {OwnedFd(ends[0]), OwnedFd(ends[1])};
}

TEST_CASE("a profile goes over the connection, and is acknowledged") {
  auto [tools, agents] = Ends();
  CHECK(PeerOf(tools.get())->pid == getpid());
  CHECK(PeerOf(tools.get())->uid == geteuid());
  Channel tool(std::move(tools), WaitLong);
  std::string profile;
  for (int i = 0; profile.size() < 3 << 20; ++i) profile += std::to_string(i);
  std::thread agent([&profile, end = std::move(agents)]() mutable {
    Channel channel(std::move(end), WaitLong);
    const Result<std::string> asked = channel.HearGreeting(Peer::kTool);
    if (!asked.ok() || *asked != "command=stop") return;
    ProfileSink sink(channel);
    const bool is_sent =
        channel.Say(FormatGreeting()).ok() && sink.Write(profile).ok() && sink.Finish().ok();
    const Result<Message> saved = channel.Hear();
    if (is_sent && saved.ok() && saved->kind == Kind::kSaved) {
      static_cast<void>(channel.Send(Kind::kAnswer, "{}"));
    }
  });
  REQUIRE(tool.Say(FormatGreeting("command=stop")).ok());
  REQUIRE(tool.HearGreeting(Peer::kAgent).ok());
  ProfileSource source(tool, *tool.Hear());
  std::string got;
  char bytes[10'000];
  for (;;) {
    const Result<size_t> count = source.Read(bytes, sizeof bytes);
    REQUIRE(count.ok());
    if (*count == 0) break;
    got.append(bytes, *count);
  }
  CHECK(got == profile);
  CHECK(source.is_whole());
  REQUIRE(tool.Send(Kind::kSaved).ok());
  CHECK(*tool.Hear() == Message{Kind::kAnswer, "{}"});
  CHECK(tool.Hear().status().code() == Code::kNothingYet);
  agent.join();
}

TEST_CASE("a profile that is not whole is no profile") {
  auto [tools, agents] = Ends();
  Channel tool(std::move(tools), WaitLong);
  auto agent = std::make_unique<Channel>(std::move(agents), WaitLong);
  REQUIRE(agent->Send(Kind::kData, "part").ok());
  Code code = Code::kNothingYet;
  SECTION("the agent is gone") {}
  SECTION("the agent says why") {
    REQUIRE(agent->Send(Kind::kAnswer, "{why}").ok());
    code = Code::kIo;
  }
  CHECK(tool.IsOpen());
  agent.reset();
  CHECK_FALSE(tool.IsOpen());
  ProfileSource source(tool, *tool.Hear());
  char bytes[100];
  CHECK(*source.Read(bytes, sizeof bytes) == 4);
  const Result<size_t> rest = source.Read(bytes, sizeof bytes);
  CHECK(rest.status().code() == code);
  CHECK_FALSE(source.is_whole());
  CHECK(source.other().has_value() == (code == Code::kIo));
}

TEST_CASE("progress is passed on, and is no part of a profile") {
  auto [tools, agents] = Ends();
  Channel tool(std::move(tools), WaitLong);
  Channel agent(std::move(agents), WaitLong);
  std::vector<Progress> heard;
  tool.OnProgress([&](const Progress& progress) { heard.push_back(progress); });
  agent.Report({Step::kClasses, 1, 3});
  REQUIRE(agent.Send(Kind::kProgress, "damaged").ok());
  REQUIRE(agent.Send(Kind::kData, "ab").ok());
  agent.Report({Step::kProfile, 2, 3});
  REQUIRE(agent.Send(Kind::kEnd).ok());
  ProfileSource source(tool, *tool.Hear());
  char bytes[100];
  CHECK(*source.Read(bytes, sizeof bytes) == 2);
  CHECK(*source.Read(bytes, sizeof bytes) == 0);
  CHECK(source.is_whole());
  CHECK(heard == std::vector<Progress>{{Step::kClasses, 1, 3}, {Step::kProfile, 2, 3}});
}

TEST_CASE("progress does not wait for a side that takes nothing") {
  auto [tools, agents] = Ends();
  Channel agent(std::move(agents), NeverWait);
  for (int i = 0; i < 100'000; ++i) agent.Report({Step::kClasses, 1, 3});
  // What was sent was sent whole, so more can follow once there is room.
  char bytes[1 << 14];
  std::string got;
  for (ssize_t size; (size = recv(tools.get(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
    got.append(bytes, static_cast<size_t>(size));
  REQUIRE(agent.Send(Kind::kAnswer, "{}").ok());
  const std::string one = FormatMessage(Kind::kProgress, FormatProgress({Step::kClasses, 1, 3}));
  CHECK(got.size() < 100'000 * one.size());
  CHECK(got.size() % one.size() == 0);
}

TEST_CASE("what came together is heard one after the other") {
  auto [tools, agents] = Ends();
  Channel tool(std::move(tools), WaitLong);
  Channel agent(std::move(agents), WaitLong);
  CHECK_FALSE(tool.HasNews());
  REQUIRE(agent.Send(Kind::kAnswer, "{}").ok());
  REQUIRE(agent.Send(Kind::kEnd).ok());
  CHECK(tool.HasNews());
  CHECK(tool.Hear()->kind == Kind::kAnswer);
  CHECK(tool.HasNews());
  CHECK(tool.Hear()->kind == Kind::kEnd);
  CHECK_FALSE(tool.HasNews());
}

TEST_CASE("no call waits longer than its owner wants") {
  auto [tools, agents] = Ends();
  Channel tool(std::move(tools), NeverWait);
  CHECK(tool.Hear().status().message() == "the time is up");
  CHECK(tool.HearLine().status().message() == "the time is up");
  // The other side takes nothing.
  CHECK(tool.Send(Kind::kData, std::string(kLongestPayload, 'x')).message() == "the time is up");
  // What follows would be taken for the rest of it.
  CHECK(tool.Send(Kind::kSaved).code() == Code::kNothingYet);
  char bytes[1 << 14];
  while (recv(agents.get(), bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
  }
  CHECK(tool.Send(Kind::kSaved).code() == Code::kNothingYet);
  CHECK(recv(agents.get(), bytes, sizeof bytes, MSG_DONTWAIT) < 0);
}

}  // namespace
}  // namespace iprof::control
