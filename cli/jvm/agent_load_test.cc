// Loads of the agent into processes of our own that play a JVM: what it answers decides.
#include "cli/jvm/agent_control.h"

#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/jvm/fake_agent.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

using control::Outcome;
namespace fs = std::filesystem;

// What the tool makes of a load.
Result<std::string> LoadInto(const FakeJvm& fake, const std::string& options) {
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  Result<std::string> loaded = LoadAgent(*connection, fs::read_symlink("/proc/self/exe"), options);
  CHECK(fake.IsTidy());
  return loaded;
}

// A JVM that answers to a load so, and the agent in it. Null: the library gives no answer.
FakeJvm::Part LoadsWith(const std::string& jvm_says, const std::optional<control::Answer>& answer) {
  FakeJvm::Part part;
  part.answer = [=](const std::string& request) {
    const std::string options = OptionsIn(request);
    const size_t reply = options.find(",reply=");
    if (!options.starts_with("out=x") || reply == std::string::npos) return std::string("-1\n");
    if (!answer) return jvm_says;
    control::Channel channel(ConnectToTool(options.substr(reply + 7)), WaitLong);
    static_cast<void>(channel.Say(control::FormatGreeting()));
    SayAnswer(channel, *answer);
    return jvm_says;
  };
  if (geteuid() == 0) part.in_own_root = true;
  return part;
}

TEST_CASE("the agent's own answer decides whether a load succeeded, not the JVM's") {
  control::Answer answer{"attach", Outcome::kDone, "the agent is loaded", control::SessionStatus()};
  answer.status->state = "recording";
  std::string jvm_says = kLoaded;
  std::string expected;
  Code code = Code::kUnsupported;
  SECTION("it is loaded") {
    const FakeJvm fake(LoadsWith(jvm_says, answer));
    const Result<std::string> loaded = LoadInto(fake, "out=x");
    REQUIRE(loaded.ok());
    CHECK(*loaded == "the agent is loaded");
    return;
  }
  SECTION("it cannot start") {
    jvm_says = "0\nreturn code: -1\n";
    answer = {"attach", Outcome::kFailed, "cannot write x", {}};
    expected = ": cannot write x";
  }
  SECTION("it stays out") {
    answer = {"attach", Outcome::kRefused, "the heap is too small", {}};
    expected = ": the heap is too small";
  }
  SECTION("another load came first") {
    answer = {"attach", Outcome::kTaken, "already loaded", answer.status};
    answer.status->out = "/srv/first.iprof";
    code = Code::kIo;
    expected =
        ": already loaded; 'iprof status {}' shows what it does (recording, out=/srv/first.iprof)";
  }
  SECTION("that of another tool, into its own folder") {
    answer = {"attach", Outcome::kTaken, "already loaded", answer.status};
    code = Code::kIo;
    expected = ": already loaded; 'iprof status {}' shows what it does (recording)";
  }
  const FakeJvm fake(LoadsWith(jvm_says, answer));
  if (const size_t at = expected.find("{}"); at != std::string::npos)
    expected.replace(at, 2, std::to_string(fake.pid()));
  const Result<std::string> loaded = LoadInto(fake, "out=x");
  CHECK(loaded.status().message() == NameOf(fake) + expected);
  CHECK(loaded.status().code() == code);
}

TEST_CASE("a library that gives no answer is not called loaded") {
  const FakeJvm fake(LoadsWith(kLoaded, std::nullopt));
  const Result<std::string> loaded = LoadInto(fake, "out=x");
  CHECK(loaded.status().code() == Code::kIo);
  CHECK(loaded.status().message().starts_with(NameOf(fake) +
                                              " has loaded the library, which gave no answer"));
}

// Options that fit a request, but not together with the path of the answer.
TEST_CASE("of long options the agent's status says whether it runs") {
  const std::string options = "out=x,only=" + std::string(1000, 'x');
  FakeJvm::Part part = WithAgent();
  std::string state = "idle";
  bool runs = false;
  SECTION("it does not") {}
  SECTION("it does") {
    state = "recording";
    runs = true;
  }
  part.answer = [=](const std::string& request) -> std::string {
    if (!request.starts_with("load|")) return "-1\n";
    if (request.ends_with(options)) return kLoaded;
    const auto act = [state](control::Channel& channel, const control::Command&) {
      control::Answer answer{"status", Outcome::kDone, "", control::SessionStatus()};
      answer.status->state = state;
      SayAnswer(channel, answer);
    };
    return HearCall(OptionsIn(request), act) ? kLoaded : "-1\n";
  };
  const FakeJvm fake(part);
  const Result<std::string> loaded = LoadInto(fake, options);
  CHECK(loaded.ok() == runs);
  if (runs) {
    CHECK(loaded->starts_with("the agent runs. "));
  } else {
    CHECK(loaded.status().code() == Code::kUnsupported);
    CHECK(loaded.status().message().starts_with(NameOf(fake) + ": the agent did not start"));
  }
}

TEST_CASE("a load that may still be carried out is said to be") {
  FakeJvm::Part part;
  part.hangs = true;
  part.in_own_root = geteuid() == 0;
  const FakeJvm fake(part);
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  const auto before = signal(SIGTERM, [](int) {});
  {
    const HeldSignals held;
    kill(getpid(), SIGTERM);
    CHECK(LoadAgent(*connection, fs::read_symlink("/proc/self/exe"), "out=x").status().message() ==
          "interrupted; " + NameOf(fake) + " may still load the agent: 'iprof list' shows it");
  }
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

}  // namespace
}  // namespace iprof::jvm
