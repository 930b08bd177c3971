// Commands where a JVM forbids to load the agent: the agent takes them from a file when the doorbell rings.
#include "cli/jvm/doorbell.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "cli/jvm/fake_agent.h"

namespace iprof::jvm {
namespace {

namespace fs = std::filesystem;

// Does it soon, while the tool has the whole answer already.
template <typename Later>
void InAMoment(const Later& later) {
  std::thread([later] {
    usleep(10'000);
    later();
  }).detach();
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
          NameOf(fake) +
              ": the agent did not take the command: the program is ending, or "
              "the agent has stopped working or is of another release than this tool");
    CHECK_FALSE(fs::exists(file));
  }
  SECTION("another tool's command stays there") {
    std::ofstream(file) << "command=stop";
    CHECK(WhyNot(fake, kShortAnswer) ==
          NameOf(fake) + " has not answered within 0.5 s (--timeout)");
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
  CHECK(WhyNot(fake) == NameOf(fake) + " has ended");
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
            .starts_with(is_interrupted ? "interrupted while waiting for " + NameOf(fake)
                                        : NameOf(fake) + ": the agent did not take the command"));
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

}  // namespace
}  // namespace iprof::jvm
