// Commands to processes of our own that play a JVM with an agent: good ones, and every way in which one fails.
#include "cli/jvm/agent_control.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cli/jvm/control_path.h"
#include "cli/jvm/doorbell.h"
#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/target_wait.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
using control::Outcome;
using control::Verb;
namespace fs = std::filesystem;

constexpr AttachTimeouts kPatient{60s, 60s};
constexpr AttachTimeouts kShortAnswer{60s, 500ms};
constexpr uid_t kSomebody = 65534;
constexpr char kLoaded[] = "0\nreturn code: 0\n";
constexpr char kForbidden[] =
    "0\nDynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target "
    "VM.";

// The rest of these functions run in the fake.

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteAnswer(const control::Command& command, const std::string& json) {
  std::ofstream(command.reply + ".part") << json;
  fs::rename(command.reply + ".part", command.reply);
}

// The agent's options in a request "load|PATH|true|OPTIONS".
control::Command CommandIn(const std::string& request) {
  return *control::ParseCommand(request.substr(request.rfind('|') + 1));
}

// Does as an agent does, and tells the command in its message.
void Obey(control::Command command) {
  if (!command.out.empty()) std::ofstream(command.out) << "the profile";
  const control::Answer answer{std::string(VerbName(command.verb)),
                               Outcome::kDone,
                               std::to_string(command.timeout.count()),
                               {}};
  struct stat folder {};
  const std::string parent = fs::path(command.reply).parent_path();
  const bool is_private = stat(parent.c_str(), &folder) == 0 && folder.st_uid == geteuid() &&
                          (folder.st_mode & 07777) == 0700;
  WriteAnswer(command, is_private ? control::FormatAnswer(answer) : "the folder is not private");
}

// Does it soon, while the tool has the whole answer already.
template <typename Act>
void InAMoment(const Act& act) {
  if (fork() != 0) return;
  for (int fd = 3; fd < 100; ++fd) close(fd);
  usleep(10'000);
  act();
  _exit(0);
}

std::string LoadAndObey(const std::string& request) {
  if (!request.starts_with("load|")) return "-1\n";
  Obey(CommandIn(request));
  return kLoaded;
}

FakeJvm::Part WithAgent() {
  FakeJvm::Part part;
  part.maps = "libiprofagent.so";
  part.answer = LoadAndObey;
  return part;
}

bool IsRoot() {
  if (geteuid() == 0) return true;
  WARN("not root: roots and users of other processes are not tested");
  return false;
}

Result<AgentReply> Send(const FakeJvm& fake, Verb verb, ProfileForm form = ProfileForm::kNone,
                        const AttachTimeouts& timeouts = kPatient) {
  return SendCommand({fake.pid(), {}}, {verb, form, {}, 0s}, timeouts);
}

std::string WhyNot(const FakeJvm& fake, const AttachTimeouts& timeouts = kPatient) {
  const Result<AgentReply> reply = Send(fake, Verb::kStatus, ProfileForm::kNone, timeouts);
  return reply.ok() ? "it was answered" : reply.status().message();
}

std::string Process(const FakeJvm& fake) { return "process " + std::to_string(fake.pid()); }

TEST_CASE("a command reaches the agent, and its answer comes back") {
  const FakeJvm fake(WithAgent());
  const Result<AgentReply> reply = Send(fake, Verb::kStart);
  REQUIRE(reply.ok());
  CHECK(reply->answer.command == "start");
  CHECK(reply->answer.outcome == Outcome::kDone);
  CHECK(reply->answer.message == "48000");  // how long it may wait in the agent: less than the tool
  CHECK_FALSE(reply->profile.is_open());
}

TEST_CASE("a profile comes through the private folder, of which nothing stays") {
  FakeJvm::Part part = WithAgent();
  SECTION("here") {}
  SECTION("in another root, as another user") {
    if (!IsRoot()) return;
    part.in_own_root = true;
    part.uid = kSomebody;
  }
  const FakeJvm fake(part);
  for (const ProfileForm form : {ProfileForm::kPlain, ProfileForm::kGzip}) {
    const Result<AgentReply> reply = Send(fake, Verb::kDump, form);
    REQUIRE(reply.ok());
    REQUIRE(reply->profile.is_open());
    std::string text;
    CHECK(ReadAll(reply->profile.get(), 100, text));
    CHECK(text == "the profile");
  }
  CHECK(fake.IsTidy());
  CHECK(geteuid() == getuid());
}

TEST_CASE("a refusal is an answer") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string& request) {
    WriteAnswer(
        CommandIn(request),
        control::FormatAnswer({"stop", Outcome::kRefused, "nothing is being recorded", {}}));
    return std::string("0\nreturn code: -1\n");
  };
  const FakeJvm fake(part);
  const Result<AgentReply> reply = Send(fake, Verb::kStop, ProfileForm::kPlain);
  REQUIRE(reply.ok());
  CHECK(reply->answer.outcome == Outcome::kRefused);
  CHECK(reply->answer.message == "nothing is being recorded");
  CHECK_FALSE(reply->profile.is_open());
}

TEST_CASE("the agent is told that its profile is in its place, if it waits for that") {
  FakeJvm::Part part = WithAgent();
  part.answer = [](const std::string& request) -> std::string {
    if (!request.starts_with("load|")) return "-1\n";
    const control::Command command = CommandIn(request);
    control::Answer answer{"saved", Outcome::kDone, "", control::SessionStatus()};
    answer.status->counters = static_cast<uint64_t>(command.recording);
    if (command.verb != Verb::kSaved || command.recording == 8) answer.outcome = Outcome::kRefused;
    WriteAnswer(command, control::FormatAnswer(answer));
    return kLoaded;
  };
  const FakeJvm fake(part);
  control::Answer answer{"stop", Outcome::kDone, "stopped", control::SessionStatus()};
  answer.status->state = "stopped";
  answer.status->recording = 7;
  answer.status->counters = 1;
  uint64_t counters = 1;
  SECTION("it does") { counters = 7; }
  SECTION("it refuses, because another recording has begun") { answer.status->recording = 8; }
  SECTION("it goes on recording") { answer.status->state = "recording"; }
  SECTION("it is of an older release") { answer.status->recording = 0; }
  TellSaved({fake.pid(), {}}, answer, kPatient);
  CHECK(answer.message == "stopped");
  CHECK(answer.status->counters == counters);
  CHECK(fake.IsTidy());
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
    const std::string options = request.substr(request.rfind('|') + 1);
    const size_t reply = options.find(",reply=");
    if (!options.starts_with("out=x") || reply == std::string::npos) return std::string("-1\n");
    control::Command where;
    where.reply = options.substr(reply + 7);
    if (answer) WriteAnswer(where, control::FormatAnswer(*answer));
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
    answer.status->out = "/tmp/.iprof-1/exit.iprof";
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
    control::Answer answer{"status", Outcome::kDone, "", control::SessionStatus()};
    answer.status->state = state;
    WriteAnswer(CommandIn(request), control::FormatAnswer(answer));
    return kLoaded;
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
    part.answer = [](const std::string&) { return kLoaded; };
    timeouts = kShortAnswer;
    expected = " has not answered within 0.5 s (--timeout)";
  }
  SECTION("its answer is damaged") {
    part.answer = [](const std::string& request) {
      WriteAnswer(CommandIn(request), "{\"iprofagent\":1");
      return kLoaded;
    };
    expected = ": the agent's answer is damaged";
  }
  SECTION("its answer is cut by its end") {
    part.answer = [](const std::string& request) {
      WriteAnswer(CommandIn(request), "{\"iprofagent\":1");
      InAMoment([own = getpid()] { kill(own, SIGKILL); });
      return kLoaded;
    };
    expected = " has ended";
  }
  SECTION("its answer is too long") {
    part.answer = [](const std::string& request) {
      WriteAnswer(CommandIn(request), std::string(2 << 20, ' '));
      return kLoaded;
    };
    expected = ": the agent's answer is too long";
  }
  SECTION("its answer is a link") {
    part.answer = [](const std::string& request) {
      fs::create_symlink("/etc/passwd", CommandIn(request).reply);
      return kLoaded;
    };
    timeouts = kShortAnswer;
    expected = " has not answered within 0.5 s (--timeout)";
  }
  SECTION("it is too old, and refuses without an answer") {
    part.answer = [](const std::string&) { return std::string("0\nreturn code: -1\n"); };
    expected =
        ": the agent refused to start: the program's standard error, or the file of log=, says why";
  }
  SECTION("the JVM ends meanwhile") {
    part.dies = true;
    expected = " has ended";
  }
  SECTION("the JVM ends after it took the command") {
    part.answer = [](const std::string&) {
      const pid_t own = getpid();
      if (fork() == 0) {
        usleep(100'000);
        kill(own, SIGKILL);
        _exit(0);
      }
      return kLoaded;
    };
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
  const auto command = control::ParseCommand(ReadFile(path));
  fs::remove(path);
  if (is_private && command.ok()) Obey(*command);
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
  const Result<AgentReply> reply = Send(fake, Verb::kReset);
  REQUIRE(reply.ok());
  CHECK(reply->answer.command == "reset");
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
    CHECK(WhyNot(fake) == Process(fake) +
                              ": the agent did not take the command: the program is ending, or "
                              "the agent has stopped working or is too old for commands");
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
  const Result<AgentReply> reply = Send(fake, Verb::kReset);
  REQUIRE(reply.ok());
  CHECK(reply->answer.command == "reset");
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
  part.answer = [](const std::string&) {
    kill(getppid(), SIGTERM);
    return std::string(kLoaded);
  };
  const FakeJvm fake(part);
  const auto before = signal(SIGTERM, [](int) {});
  CHECK(WhyNot(fake) == "interrupted while waiting for " + Process(fake));
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

TEST_CASE("a command that may still be carried out is said to be") {
  FakeJvm::Part part = WithAgent();
  part.in_own_root = geteuid() == 0;
  part.answer = [](const std::string&) {
    kill(getppid(), SIGTERM);
    return std::string(kLoaded);
  };
  const FakeJvm fake(part);
  const auto before = signal(SIGTERM, [](int) {});
  const std::string pid = std::to_string(fake.pid());
  const std::string goes_on =
      "interrupted while waiting for " + Process(fake) + "; the agent may still carry out '";
  SECTION("without a profile") {
    const Result<AgentReply> reply = Send(fake, Verb::kReset);
    CHECK(reply.status().message() == goes_on + "reset': 'iprof status " + pid + "' shows it");
    CHECK(fake.IsTidy());
  }
  SECTION("with one, which has a place") {
    const std::string said = Send(fake, Verb::kStop, ProfileForm::kPlain).status().message();
    const std::string start = goes_on + "stop' and write the profile to /tmp/";
    const std::string end = "/profile.iprof, where it stays for an hour; 'iprof stop " + pid +
                            " -o FILE' writes it again";
    REQUIRE(said.starts_with(start));
    REQUIRE(said.ends_with(end));
    const std::string folder =
        fake.tmp() + "/" + said.substr(start.size(), said.size() - start.size() - end.size());
    CHECK(fs::is_directory(folder));
    fs::remove_all(folder);
  }
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
