// Commands to processes of our own that play a JVM with an agent: good ones, and every way in which one fails.
#include "cli/jvm/agent_control.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/jvm/control_path.h"
#include "cli/jvm/doorbell.h"
#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
namespace fs = std::filesystem;

constexpr AttachTimeouts kPatient{60s, 60s};
constexpr AttachTimeouts kShortAnswer{60s, 500ms};
constexpr uid_t kSomebody = 65534;
constexpr char kLoaded[] = "0\nreturn code: 0\n";
constexpr char kForbidden[] =
    "0\nDynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target "
    "VM.";

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The rest of these functions run in the fake.

// What an agent does with a command that it was given; `channel` is its connection.
using Act = std::function<void(control::Channel& channel, const control::Command& command)>;

Status WaitLong(int fd, short events) {
  pollfd waited{fd, events, 0};
  return poll(&waited, 1, 60'000) > 0 ? Status() : Status(Code::kIo, "the tool says nothing");
}

// An agent's connection to the tool at this socket; not open if the agent cannot connect.
OwnedFd ConnectToTool(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof address.sun_path - 1));
  OwnedFd connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    connection.Close();
  return connection;
}

// Connects at once, and acts on a thread of its own, as the tool speaks when the JVM has answered. False: there is no tool.
bool HearCall(const std::string& call, const Act& act) {
  OwnedFd connection = ConnectToTool(control::CalledTo(call));
  if (!connection.is_open()) return false;
  const auto channel = std::make_shared<control::Channel>(std::move(connection), WaitLong);
  std::thread([channel, act] {
    static_cast<void>(channel->Say(control::FormatGreeting()));
    const Result<std::string> text = channel->HearGreeting(control::Peer::kTool);
    if (!text.ok()) return;
    const Result<control::Command> command = control::ParseCommand(*text);
    if (command.ok()) act(*channel, *command);
  }).detach();
  return true;
}

void SayAnswer(control::Channel& channel, const control::Answer& answer) {
  static_cast<void>(channel.Send(control::Kind::kAnswer, control::FormatAnswer(answer)));
}

// Does as an agent does, and names the command in its message.
void Obey(control::Channel& channel, const control::Command& command) {
  std::string said = std::to_string(command.timeout.count());
  const control::ProfileWish* const profile = ProfileOf(command.wish);
  if (profile != nullptr && profile->sent != control::Sent::kNo) {
    control::ProfileSink sink(channel);
    static_cast<void>(sink.Write("the profile"));
    static_cast<void>(sink.Finish());
    const Result<control::Message> saved = channel.Hear();
    said = !saved.ok()                            ? "not saved: " + saved.status().message()
           : saved->kind == control::Kind::kSaved ? "saved"
                                                  : "not saved";
  }
  SayAnswer(channel, {std::string(VerbName(command.wish)), Outcome::kDone, said});
}

// Does it soon, while the tool has the whole answer already.
template <typename Later>
void InAMoment(const Later& later) {
  std::thread([later] {
    usleep(10'000);
    later();
  }).detach();
}

// The agent's options in a request "load|PATH|true|OPTIONS".
std::string OptionsIn(const std::string& request) { return request.substr(request.rfind('|') + 1); }

// A JVM whose agent acts so when it is called.
std::function<std::string(const std::string&)> Loads(const Act& act) {
  return [act](const std::string& request) -> std::string {
    if (!request.starts_with("load|")) return "-1\n";
    return HearCall(OptionsIn(request), act) ? kLoaded : "0\nreturn code: -1\n";
  };
}

FakeJvm::Part WithAgent() {
  FakeJvm::Part part;
  part.maps = "libiprofagent.so";
  part.answer = Loads(Obey);
  return part;
}

bool IsRoot() {
  if (geteuid() == 0) return true;
  WARN("not root: roots and users of other processes are not tested");
  return false;
}

Result<control::Answer> Send(const FakeJvm& fake, control::Wish wish,
                             const AttachTimeouts& timeouts = kPatient,
                             const TakeProfile& take = {}) {
  return SendCommand({fake.pid(), {}}, {.wish = std::move(wish)}, timeouts, take);
}

std::string WhyNot(const FakeJvm& fake, const AttachTimeouts& timeouts = kPatient) {
  const Result<control::Answer> answer = Send(fake, control::Describe(), timeouts);
  return answer.ok() ? "it was answered" : answer.status().message();
}

std::string Process(const FakeJvm& fake) { return "process " + std::to_string(fake.pid()); }

// Takes all of a profile.
TakeProfile Into(std::string& text) {
  return [&text](ByteSource& profile) {
    char bytes[100];
    for (;;) {
      const Result<size_t> count = profile.Read(bytes, sizeof bytes);
      if (!count.ok() || *count == 0) return count.status();
      text.append(bytes, *count);
    }
  };
}

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
  CHECK(window->HearAnswer({}).status().message() == Process(fake) + " has ended");
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

// A process that connects to the tool again and again. Once the tool has closed a connection of it, it does this.
void ConnectForEver(const std::string& call, const std::function<void()>& once_heard) {
  for (int fd = 3; fd < 256; ++fd) close(fd);  // the tool waits for the end of the JVM's answer
  bool is_heard = false;
  for (;;) {
    const OwnedFd connection = ConnectToTool(control::CalledTo(call));
    if (!connection.is_open()) return;
    char byte = 0;
    const bool is_closed = recv(connection.get(), &byte, 1, 0) == 0;
    if (is_closed && !std::exchange(is_heard, true)) once_heard();
  }
}

TEST_CASE("others that connect to the tool's socket for ever do not hold it up") {
  const bool is_interrupted = GENERATE(true, false);
  FakeJvm::Part part = WithAgent();
  part.answer = [is_interrupted, tool = getpid()](const std::string& request) {
    if (request.starts_with("load|")) return std::string(kForbidden);
    const std::string path = "/tmp/.iprof_command" + std::to_string(getpid());
    const std::string call = ReadFile(path);
    fs::remove(path);
    if (fork() == 0) {
      ConnectForEver(call, [=] {
        if (is_interrupted) kill(tool, SIGTERM);
      });
      _exit(0);
    }
    return std::string("0\n");
  };
  const FakeJvm fake(part);
  const auto before = signal(SIGTERM, [](int) {});
  CHECK(WhyNot(fake, kShortAnswer)
            .starts_with(is_interrupted ? "interrupted while waiting for " + Process(fake)
                                        : Process(fake) + ": the agent did not take the command"));
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
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
  CHECK(loaded.status().message() == Process(fake) + expected);
  CHECK(loaded.status().code() == code);
}

TEST_CASE("a library that gives no answer is not called loaded") {
  const FakeJvm fake(LoadsWith(kLoaded, std::nullopt));
  const Result<std::string> loaded = LoadInto(fake, "out=x");
  CHECK(loaded.status().code() == Code::kIo);
  CHECK(loaded.status().message().starts_with(Process(fake) +
                                              " has loaded the library, which gave no answer"));
}

// Options that fit a request, but not together with the path of the answer.
TEST_CASE("of long options the agent's status tells whether it runs") {
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
    CHECK(loaded.status().message().starts_with(Process(fake) + ": the agent did not start"));
  }
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
  SECTION("the JVM ends meanwhile") {
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
  CHECK(WhyNot(fake, timeouts) == Process(fake) + expected);
  CHECK(fake.IsTidy());
}

void TakeFile(pid_t jvm) {
  const std::string path = "/tmp/.iprof_command" + std::to_string(jvm);
  struct stat found {};
  const bool is_private = lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
                          found.st_uid == geteuid() && (found.st_mode & 07777) == 0600;
  const std::string call = ReadFile(path);
  fs::remove(path);
  if (is_private) HearCall(call, Obey);
}

// An agent in a JVM that forbids loading: it takes commands from the doorbell's file.
std::string TakeFromDoorbell(const std::string& request) {
  if (request.starts_with("load|")) return kForbidden;
  if (request != "jcmd|JVMTI.data_dump||") return "-1\n" + request;
  TakeFile(getpid());
  return "0\n";
}

TEST_CASE("where loading is forbidden, the doorbell is rung") {
  FakeJvm::Part part = WithAgent();
  part.answer = TakeFromDoorbell;
  SECTION("here") {}
  SECTION("in another root, as another user") {
    if (!IsRoot()) return;
    part.in_own_root = true;
    part.uid = kSomebody;
  }
  const FakeJvm fake(part);
  const std::string file = fake.tmp() + "/.iprof_command" + std::to_string(fake.pid());
  SECTION("alone") {}
  SECTION("where a killed tool left its command") {
    std::ofstream(file) << "command=stop";
    fs::last_write_time(file, fs::file_time_type::clock::now() - 2 * kStaleAfter);
    if (part.uid != 0) REQUIRE(chown(file.c_str(), part.uid, part.uid) == 0);
  }
  const Result<control::Answer> answer = Send(fake, control::Reset());
  REQUIRE(answer.ok());
  CHECK(answer->command == "reset");
  CHECK_FALSE(fs::exists(file));
  CHECK(fake.IsTidy());
}

TEST_CASE("the doorbell is not answered") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string& request) {
    return request.starts_with("load|") ? std::string(kForbidden) : std::string("0\n");
  };
  const FakeJvm fake(part);
  const std::string file = fake.tmp() + "/.iprof_command" + std::to_string(fake.pid());
  SECTION("the agent does not take the file") {
    CHECK(WhyNot(fake) ==
          Process(fake) +
              ": the agent did not take the command: the program is ending, or "
              "the agent has stopped working or is of another release than this tool");
    CHECK_FALSE(fs::exists(file));
  }
  SECTION("another tool's command stays there") {
    std::ofstream(file) << "command=stop";
    CHECK(WhyNot(fake, kShortAnswer) ==
          Process(fake) + " has not answered within 0.5 s (--timeout)");
    CHECK(ReadFile(file) == "command=stop");
    fs::remove(file);
  }
}

TEST_CASE("an agent that looks at the doorbell only after the JVM's answer has the command") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string& request) {
    if (request.starts_with("load|")) return std::string(kForbidden);
    InAMoment([own = getpid()] { TakeFile(own); });
    return std::string("0\n");
  };
  const FakeJvm fake(part);
  const Result<control::Answer> answer = Send(fake, control::Reset());
  REQUIRE(answer.ok());
  CHECK(answer->command == "reset");
}

TEST_CASE("a JVM that ends without a look at the doorbell has ended") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string& request) {
    if (request.starts_with("load|")) return std::string(kForbidden);
    InAMoment([own = getpid()] { kill(own, SIGKILL); });
    return std::string("0\n");
  };
  const FakeJvm fake(part);
  CHECK(WhyNot(fake) == Process(fake) + " has ended");
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
  CHECK(WhyNot(fake) == "interrupted while waiting for " + Process(fake));
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
      "interrupted while waiting for " + Process(fake) + "; the agent may still carry out '";
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
          "interrupted; " + Process(fake) + " may still load the agent: 'iprof list' shows it");
  }
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

TEST_CASE("the control socket that a JVM's options name") {
  using Words = std::vector<std::string>;
  const Words java = {"java", "-cp", "x", "Main", "control=/no"};
  const auto with = [](const char* option) { return ControlPathIn({"java", option}, {}, 42); };
  CHECK(with("-agentpath:/opt/libiprofagent.so=out=x,control=/run/a.sock,jdk=n") == "/run/a.sock");
  CHECK(with("-agentlib:iprofagent=control=b.sock") == "b.sock");
  CHECK(with("-agentlib:iprofagent=control=/run/%p%%.sock") == "/run/42%.sock");
  CHECK(with("-agentlib:iprofagent=control=/run/%h.sock").empty());
  CHECK(with("-agentlib:iprofagent=control=/run/%").empty());
  CHECK(with("-agentpath:/opt/libother.so=control=/run/a.sock").empty());
  CHECK(with("-agentpath:/opt/libiprofagent.so").empty());
  CHECK(ControlPathIn(java, {}, 42).empty());
  const Words environment = {"PATH=/bin",
                             "JAVA_TOOL_OPTIONS=-Xmx1g  "
                             "'-agentpath:/opt/libiprofagent.so=control=/e.sock' -Da=b"};
  CHECK(ControlPathIn(java, environment, 42) == "/e.sock");
  CHECK(ControlPathIn({"java", "-agentlib:iprofagent=control=/c"}, environment, 42) == "/c");
  CHECK(ControlPathIn({}, {"JAVA_TOOL_OPTIONS="}, 42).empty());
}

}  // namespace
}  // namespace iprof::jvm
