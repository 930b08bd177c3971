// Commands to processes of our own that play a JVM with an agent: good ones, and every way in which one fails.
#include "cli/jvm/agent_control.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "cli/jvm/fake_agent.h"

namespace iprof::jvm {
namespace {

using control::Outcome;
namespace fs = std::filesystem;

TEST_CASE("a command reaches the agent, and its answer comes back") {
  const FakeJvm fake(WithAgent());
  const Result<control::Answer> answer = Send(fake, control::Start());
  REQUIRE(answer.ok());
  CHECK(answer->command == "start");
  CHECK(answer->outcome == Outcome::kDone);
  CHECK(answer->message == "48000");  // how long it may wait in the agent: less than the tool
}

TEST_CASE("a profile comes over the connection, and the agent hears whether it is saved") {
  FakeJvm::Part part = WithAgent();
  SECTION("here") {}
  SECTION("in another root, as another user") {
    if (!IsRoot()) return;
    part.in_own_root = true;
    part.uid = kSomebody;
  }
  const FakeJvm fake(part);
  std::string text;
  const control::Dump wish{{.sent = control::Sent::kPlain}};
  const Result<control::Answer> answer = Send(fake, wish, kPatient, Into(text));
  REQUIRE(answer.ok());
  CHECK(text == "the profile");
  CHECK(answer->message == "saved");
  const auto refuse = [](ByteSource&) { return Status(Code::kIo, "the disk is full"); };
  CHECK(Send(fake, wish, kPatient, refuse).status().message() == "the disk is full");
  CHECK(fake.IsTidy());
  CHECK(geteuid() == getuid());
}

TEST_CASE("a refusal is an answer, also of one that has begun to send a profile") {
  const bool begins = GENERATE(false, true);
  FakeJvm::Part part = WithAgent();
  part.answer = Loads([begins](control::Channel& channel, const control::Command&) {
    if (begins) static_cast<void>(channel.Send(control::Kind::kData, "part"));
    SayAnswer(channel, {"stop", Outcome::kRefused, "nothing is being recorded"});
  });
  const FakeJvm fake(part);
  std::string text;
  const Result<control::Answer> answer =
      Send(fake, control::Stop{{.sent = control::Sent::kPlain}}, kPatient, Into(text));
  REQUIRE(answer.ok());
  CHECK(answer->outcome == Outcome::kRefused);
  CHECK(answer->message == "nothing is being recorded");
}

TEST_CASE("an agent that sends for ever does not hold up the tool") {
  const control::Kind kind = GENERATE(control::Kind::kSaved, control::Kind::kData);
  FakeJvm::Part part = WithAgent();
  part.answer = Loads([kind](control::Channel& channel, const control::Command&) {
    while (channel.Send(kind, "x").ok()) {
    }
  });
  const FakeJvm fake(part);
  std::string text;
  const Result<control::Answer> answer =
      Send(fake, control::Stop{{.sent = control::Sent::kPlain}}, kShortAnswer, Into(text));
  CHECK(answer.status().message().find("has not answered within 0.5 s (--timeout)") !=
        std::string::npos);
}

TEST_CASE("the connection of a start stays, for what the program's end sends") {
  FakeJvm::Part part = WithAgent();
  // A recording may be longer than the tool waits for an answer.
  const bool is_long = GENERATE(false, true);
  part.answer = Loads([is_long](control::Channel& channel, const control::Command& command) {
    Obey(channel, command);
    if (is_long) usleep(1'200'000);
    Obey(channel, {control::Stop{{.sent = control::Sent::kPlain}}});
    _exit(0);
  });
  const FakeJvm fake(part);
  std::unique_ptr<AgentConnection> window;
  const auto started =
      SendCommand({fake.pid(), {}}, {control::Start{.window = control::Sent::kPlain}},
                  is_long ? kShortAnswer : kPatient, {}, &window);
  REQUIRE(started.ok());
  for (int i = 0; i < 60'000 && !window->HasNews(); ++i) usleep(1000);
  CHECK(window->HasNews());
  std::string text;
  const Result<control::Answer> last = window->HearAnswer(Into(text));
  REQUIRE(last.ok());
  CHECK(last->message == "saved");
  CHECK(text == "the profile");
  // On a busy machine it takes longer than the tool waits here.
  std::string end;
  for (int i = 0; i < 100 && end != NameOf(fake) + " has ended"; ++i)
    end = window->HearAnswer({}).status().message();
  CHECK(end == NameOf(fake) + " has ended");
  CHECK_FALSE(window->HasNews());
}

TEST_CASE("only the target is heard at the tool's socket") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string& request) {
    const std::string call = OptionsIn(request);
    // Another process of the same user comes first.
    const pid_t other = fork();
    if (other == 0) {
      const OwnedFd connection = ConnectToTool(control::CalledTo(call));
      const std::string bytes =
          control::FormatGreeting() +
          control::FormatMessage(control::Kind::kAnswer,
                                 control::FormatAnswer({"status", Outcome::kDone, "of another"}));
      send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      _exit(0);
    }
    waitpid(other, nullptr, 0);
    return HearCall(call, Obey) ? std::string(kLoaded) : std::string("-1\n");
  };
  const FakeJvm fake(part);
  const Result<control::Answer> answer = Send(fake, control::Describe());
  REQUIRE(answer.ok());
  CHECK(answer->message == "48000");
}

TEST_CASE("where the JVM cannot connect to the tool, its control socket takes the command") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string&) { return std::string("0\nreturn code: -1\n"); };
  const FakeJvm fake(part);
  Result<JvmTarget> opened = JvmTarget::Open(fake.pid(), kPatient.listen);
  REQUIRE(opened.ok());
  const auto target = std::make_shared<JvmTarget>(std::move(*opened));
  target->jvm.control = fake.folder() + "/a.sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  target->jvm.control.copy(address.sun_path, sizeof address.sun_path - 1);
  const OwnedFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listener.get(), 1) == 0);
  const auto connection = AgentConnection::Open(target, "", kPatient);
  REQUIRE(connection.ok());
  CHECK(OwnedFd(accept(listener.get(), nullptr, nullptr)).is_open());
  fs::remove(target->jvm.control);
  target->jvm.control.clear();
  CHECK(AgentConnection::Open(target, "", kPatient).status().message().find("refused to start") !=
        std::string::npos);
}

TEST_CASE("what an agent can do wrong") {
  FakeJvm::Part part = WithAgent();
  AttachTimeouts timeouts = kPatient;
  std::string expected;
  SECTION("it is not loaded") {
    part.maps.clear();
    const FakeJvm fake(part);
    const std::string pid = std::to_string(fake.pid());
    CHECK(WhyNot(fake) == "the agent is not loaded in process " + pid + ": 'iprof profile " + pid +
                              "' or 'iprof attach " + pid + "' loads it");
    return;
  }
  SECTION("it never answers") {
    part.answer = Loads([](control::Channel& channel, const control::Command&) {
      static_cast<void>(channel.Hear());
    });
    timeouts = kShortAnswer;
    expected = " has not answered within 0.5 s (--timeout)";
  }
  SECTION("it closes the connection") {
    part.answer = Loads([](control::Channel&, const control::Command&) {});
    expected =
        ": the agent closed the connection without an answer: the program is ending, or the agent "
        "has failed";
  }
  SECTION("its answer is damaged") {
    part.answer = Loads([](control::Channel& channel, const control::Command&) {
      static_cast<void>(channel.Send(control::Kind::kAnswer, "{\"outcome\":1"));
    });
    expected = ": the agent's answer is damaged";
  }
  SECTION("its answer is cut by its end") {
    part.answer = Loads([](control::Channel& channel, const control::Command&) {
      static_cast<void>(channel.Say(std::string("A\0\0\1\0{", 6)));
      kill(getpid(), SIGKILL);
    });
    expected = " has ended";
  }
  SECTION("its answer is too long") {
    part.answer = Loads([](control::Channel& channel, const control::Command&) {
      static_cast<void>(channel.Send(control::Kind::kAnswer, std::string(2 << 20, ' ')));
    });
    expected = ": the other side's message is damaged, or too long";
  }
  SECTION("it is of another release, and does not come") {
    part.answer = [](const std::string&) { return kLoaded; };
    expected =
        ": the agent did not take the command: the program is ending, or the agent has stopped "
        "working or is of another release than this tool";
  }
  SECTION("it is of a later release") {
    part.answer = [](const std::string& request) {
      const OwnedFd connection = ConnectToTool(control::CalledTo(OptionsIn(request)));
      send(connection.get(), "iprof/3\n", 8, MSG_NOSIGNAL);
      return kLoaded;
    };
    expected =
        ": the agent is of another release than this tool: use the tool of the agent's release";
  }
  SECTION("it refuses without an answer") {
    part.answer = [](const std::string&) { return std::string("0\nreturn code: -1\n"); };
    expected =
        ": the agent refused to start: the program's standard error, or the file of log=, says why";
  }
  SECTION("the JVM ends in the middle") {
    part.dies = true;
    expected = " has ended";
  }
  SECTION("the JVM ends after it took the command") {
    part.answer = Loads([](control::Channel&, const control::Command&) {
      usleep(100'000);
      kill(getpid(), SIGKILL);
    });
    expected = " has ended";
  }
  if (geteuid() == 0) part.in_own_root = true;
  const FakeJvm fake(part);
  CHECK(WhyNot(fake, timeouts) == NameOf(fake) + expected);
  CHECK(fake.IsTidy());
}

TEST_CASE("an interrupt ends the wait for an answer and leaves nothing behind") {
  FakeJvm::Part part = WithAgent();
  if (geteuid() == 0) part.in_own_root = true;
  part.answer = Loads([](control::Channel& channel, const control::Command&) {
    kill(getppid(), SIGTERM);
    static_cast<void>(channel.Hear());
  });
  const FakeJvm fake(part);
  const auto before = signal(SIGTERM, [](int) {});
  CHECK(WhyNot(fake) == "interrupted while waiting for " + NameOf(fake));
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

TEST_CASE("a command that may still be carried out is said to be") {
  FakeJvm::Part part = WithAgent();
  part.in_own_root = geteuid() == 0;
  const bool begins = GENERATE(false, true);
  part.answer = Loads([begins](control::Channel& channel, const control::Command& command) {
    if (begins && ProfileOf(command.wish) != nullptr)
      static_cast<void>(channel.Send(control::Kind::kData, "part"));
    kill(getppid(), SIGTERM);
    static_cast<void>(channel.Hear());
  });
  const FakeJvm fake(part);
  const auto before = signal(SIGTERM, [](int) {});
  const std::string pid = std::to_string(fake.pid());
  const std::string goes_on =
      "interrupted while waiting for " + NameOf(fake) + "; the agent may still carry out '";
  SECTION("without a profile") {
    CHECK(Send(fake, control::Reset()).status().message() ==
          goes_on + "reset': 'iprof status " + pid + "' shows it");
  }
  SECTION("with one, which stays in the agent, also if part of it has come") {
    const control::Stop stop{{.sent = control::Sent::kPlain}};
    std::string text;
    CHECK(Send(fake, stop, kPatient, Into(text)).status().message() ==
          goes_on + "stop', and keeps what it has recorded: 'iprof stop " + pid +
              " -o FILE' writes it");
  }
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

}  // namespace
}  // namespace iprof::jvm
