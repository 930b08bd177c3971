// Recordings of a process of our own that plays a JVM with an agent.
#include "cli/live/window_recording.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/target_wait.h"
#include "writer/control/channel.h"
#include "writer/control/command.h"

namespace iprof::cli {
namespace {

using namespace std::chrono_literals;
using control::Channel;
using control::Kind;
using control::Outcome;
namespace fs = std::filesystem;

// What the agent does with a connection, and in which folder it may put its files. All of it runs in the fake.
using Act = std::function<void(Channel& channel, const std::string& folder)>;

void SayAnswer(Channel& channel, const control::Answer& answer) {
  static_cast<void>(channel.Send(Kind::kAnswer, control::FormatAnswer(answer)));
}

void SayStarted(Channel& channel) { SayAnswer(channel, {"start", Outcome::kDone, ""}); }

// Returns when the tool has answered.
void SendProfile(Channel& channel) {
  control::ProfileSink sink(channel);
  static_cast<void>(sink.Write("the last profile"));
  static_cast<void>(sink.Finish());
  static_cast<void>(channel.Hear());
}

void WriteFile(const std::string& path) { std::ofstream(path) << "recorded"; }

struct Agent {
  Act at_start;
  std::function<void(Channel& window, Channel& channel)> at_stop = {};
  std::shared_ptr<Channel> window = nullptr;

  void Obey(const std::shared_ptr<Channel>& channel, const control::Wish& wish) {
    if (const auto* const start = std::get_if<control::Start>(&wish)) {
      window = channel;
      std::ofstream("folder") << start->folder;
      at_start(*channel, start->folder);
    } else if (std::holds_alternative<control::Stop>(wish)) {
      at_stop(*window, *channel);
    } else {
      control::Answer answer{"status", Outcome::kDone, "", control::SessionStatus()};
      answer.status->state = "stopped";
      SayAnswer(*channel, answer);
    }
  }
};

// The agent hears the call of the tool. Commands come one after the other.
bool HearCall(const std::shared_ptr<Agent>& agent, const std::string& call) {
  const std::string path = control::CalledTo(call);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  OwnedFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return false;
  const auto wait = [](int fd, short events) {
    pollfd waited{fd, events, 0};
    return poll(&waited, 1, 60'000) > 0 ? Status() : Status(Code::kIo, "the tool says nothing");
  };
  std::thread([agent, channel = std::make_shared<Channel>(std::move(connection), wait)] {
    static_cast<void>(channel->Say(control::FormatGreeting()));
    const Result<std::string> text = channel->HearGreeting(control::Peer::kTool);
    if (!text.ok()) return;
    const Result<control::Command> command = control::ParseCommand(*text);
    if (command.ok()) agent->Obey(channel, command->wish);
  }).detach();
  return true;
}

jvm::FakeJvm::Part With(const Agent& acts) {
  jvm::FakeJvm::Part part;
  part.maps = "libiprofagent.so";
  part.answer = [agent = std::make_shared<Agent>(acts)](const std::string& request) {
    const bool is_heard = HearCall(agent, request.substr(request.rfind('|') + 1));
    return std::string(is_heard ? "0\nreturn code: 0\n" : "0\nreturn code: -1\n");
  };
  return part;
}

// All processes have this clock.
std::chrono::nanoseconds Now() { return std::chrono::steady_clock::now().time_since_epoch(); }

// A recording until its end, the test's interrupt or the program's end, and what became of it.
struct Recorded {
  explicit Recorded(const Agent& agent, const Status& saved = {},
                    std::chrono::milliseconds duration = 0ms)
      : fake(With(agent)) {
    const auto before = signal(SIGINT, [](int) {});
    {
      const jvm::HeldSignals held;
      Console console;
      WindowOrder order;
      order.address.pid = fake.pid();
      order.timeouts = {60s, 2s};
      order.duration = duration;
      order.save = [&](ByteSource& profile) {
        char bytes[100];
        for (;;) {
          const Result<size_t> count = profile.Read(bytes, sizeof bytes);
          if (!count.ok()) return count.status();
          if (*count == 0) return saved;
          text.append(bytes, *count);
        }
      };
      order.save_recovered = [](const Profile&) { return Status(Code::kInternal, "recovered"); };
      result = WindowRecording(std::move(order), console).Record();
    }
    signal(SIGINT, before);
    std::ifstream in(fake.folder() + "/folder");
    folder.assign(std::istreambuf_iterator<char>(in), {});
    REQUIRE(folder.starts_with("/tmp/.iprof-"));
  }
  ~Recorded() { fs::remove_all(folder); }

  jvm::FakeJvm fake;
  Result<RecordedWindow> result = Status(Code::kInternal, "nothing was recorded");
  std::string text;    // of the profile
  std::string folder;  // the tool's
};

TEST_CASE("the answer to a start that comes late is not the program's end") {
  const Agent agent{.at_start =
                        [](Channel&, const std::string& folder) {
                          WriteFile(folder + "/agent.iraw");
                          kill(getppid(), SIGINT);
                        },
                    .at_stop =
                        [](Channel& window, Channel& channel) {
                          SayStarted(window);
                          static_cast<void>(channel.Hear());  // nothing: the tool waits in vain
                        }};
  const Recorded recorded(agent);
  CHECK(recorded.result.status().message().starts_with(
      "process " + std::to_string(recorded.fake.pid()) +
      " has not answered within 2 s (--timeout); the agent may still carry out 'stop'"));
  CHECK(recorded.fake.IsRunning());
  CHECK(fs::exists(recorded.folder + "/agent.iraw"));
}

TEST_CASE("a recording is as long as it was after the answer to the start") {
  const Agent agent{.at_start =
                        [](Channel& channel, const std::string&) {
                          usleep(300'000);  // it changes classes
                          std::ofstream("answered") << Now().count();
                          SayStarted(channel);
                        },
                    .at_stop =
                        [](Channel&, Channel& channel) {
                          SendProfile(channel);
                          SayAnswer(channel, {"stop", Outcome::kDone, ""});
                        }};
  const Recorded recorded(agent, {}, 1ms);
  const auto end = Now();
  REQUIRE(recorded.result.ok());
  CHECK(recorded.text == "the last profile");
  int64_t answered = 0;
  std::ifstream(recorded.fake.folder() + "/answered") >> answered;
  CHECK(recorded.result->recorded >= 1ms);
  CHECK(recorded.result->recorded <= end - std::chrono::nanoseconds(answered));
}

TEST_CASE("a profile that the program's end cuts short in the stop comes over the window") {
  const Agent agent{.at_start =
                        [](Channel& channel, const std::string&) {
                          SayStarted(channel);
                          usleep(100'000);
                          kill(getppid(), SIGINT);
                        },
                    .at_stop =
                        [](Channel& window, Channel& channel) {
                          static_cast<void>(channel.Send(Kind::kData, "part; "));
                          SayAnswer(channel, {"stop",
                                              Outcome::kFailed,
                                              std::string(control::kEnding),
                                              {},
                                              control::ProgramEnd::kOvertook});
                          usleep(100'000);
                          SendProfile(window);
                          _exit(0);
                        }};
  const Recorded recorded(agent);
  REQUIRE(recorded.result.ok());
  CHECK(recorded.result->how == RecordedWindow::HowEnded::kByItself);
  CHECK(recorded.text == "part; the last profile");
  CHECK_FALSE(fs::exists(recorded.folder));
}

TEST_CASE("what could not be saved at the program's end is in the file that the agent wrote") {
  const std::string name = GENERATE("agent.iraw", "agent.iprof");
  const Agent agent{.at_start = [name](Channel& channel, const std::string& folder) {
    SayStarted(channel);
    SendProfile(channel);
    WriteFile(folder + "/" + name);
    _exit(0);
  }};
  const Recorded recorded(agent, {Code::kIo, "the disk is full"});
  CHECK(recorded.result.status().message() == "the disk is full; what was recorded is in " +
                                                  recorded.folder + "/" + name +
                                                  ", where it stays for an hour");
  CHECK(fs::exists(recorded.folder + "/" + name));
}

}  // namespace
}  // namespace iprof::cli
