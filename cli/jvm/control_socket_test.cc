// A control socket, with a thread of the test as the agent.
#include "cli/jvm/control_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <utility>

#include "cli/jvm/agent_control.h"
#include "cli/jvm/fake_jvm.h"
#include "writer/base/temporary_folder.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Listens at PATH, reads one line and lets the test deal with the connection.
class Server {
 public:
  using Serve = std::function<void(int connection, const std::string& line)>;

  Server(const std::string& path, Serve serve) : serve_(std::move(serve)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path.c_str());
    listener_ = socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(listen(listener_, 5) == 0);
    thread_ = std::thread([this] { Run(); });
  }
  ~Server() {
    shutdown(listener_, SHUT_RDWR);
    thread_.join();
    close(listener_);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

 private:
  void Run() {
    for (;;) {
      const int connection = accept(listener_, nullptr, nullptr);
      if (connection < 0) return;
      std::string line;
      char byte = 0;
      while (read(connection, &byte, 1) == 1 && byte != '\n') line += byte;
      serve_(connection, line);
      close(connection);
    }
  }

  Serve serve_;
  int listener_ = -1;
  std::thread thread_;
};

void Write(int connection, const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const ssize_t n = send(connection, text.data() + at, text.size() - at, MSG_NOSIGNAL);
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

// As an agent answers.
void Answer(int connection, const std::string& message) {
  Write(connection, control::FormatGreeting() +
                        control::FormatMessage(
                            control::Kind::kAnswer,
                            control::FormatAnswer({"status", control::Outcome::kDone, message})));
}

std::string Said(const Result<control::Answer>& answer) {
  return answer.ok() ? answer->message : answer.status().message();
}

std::string Ask(const std::string& path, std::chrono::milliseconds most = 60s) {
  return Said(SendCommand({0, path}, {}, {60s, most}));
}

// What the one that listens there says when it is given a command.
std::string AskIn(const JvmTarget& target, const std::string& path) {
  const Result<OwnedFd> connected = ConnectIn(target, path, 60s);
  if (!connected.ok()) return connected.status().message();
  Write(connected->get(), "x\n");
  fcntl(connected->get(), F_SETFL, 0);  // the read waits
  std::string said;
  ReadAll(connected->get(), 100, said);
  return said;
}

TEST_CASE("a command over the control socket") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.sock";
  const Server server(path,
                      [](int connection, const std::string& line) { Answer(connection, line); });
  CHECK(Ask(path) == "iprof/3 command=status,timeout=48s");
}

TEST_CASE("an address without a process id is a socket, and the JVM writes the file itself") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.sock";
  const Server server(path,
                      [](int connection, const std::string& line) { Answer(connection, line); });
  CHECK(Said(SendCommand({0, path}, {control::Dump{{.out = "/data/x.iprof"}}}, {60s, 60s})) ==
        "iprof/3 command=dump,timeout=48s,out=/data/x.iprof");
}

TEST_CASE("a socket in the target's file system") {
  FakeJvm::Part part;
  if (geteuid() == 0) part.in_own_root = true;
  const FakeJvm fake(part);
  const std::string path = fake.folder() + "/c.sock";
  const Server server(path,
                      [](int connection, const std::string&) { Write(connection, "answered"); });
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  const std::string seen = part.in_own_root ? "/c.sock" : path;
  CHECK(AskIn(*target, seen) == "answered");
  CHECK(AskIn(*target, "c.sock") == "answered");  // from its working directory
  CHECK(AskIn(*target, "d.sock") ==
        "control socket d.sock: it is not there: the program is ending, or the file was removed");
  if (geteuid() != 0) return;
  REQUIRE(chown(path.c_str(), 65534, 65534) == 0);
  CHECK(AskIn(*target, seen) ==
        "control socket /c.sock: it belongs to user nobody, not to the user of the JVM");
}

TEST_CASE("a JVM that is ending has removed its socket") {
  const FakeJvm fake;
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  std::thread end([&] {
    usleep(10'000);
    kill(fake.pid(), SIGKILL);
  });
  CHECK(AskIn(*target, "c.sock") == "process " + std::to_string(fake.pid()) + " has ended");
  end.join();
}

TEST_CASE("a socket that the agent makes just then is found") {
  const FakeJvm fake;
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  const std::string draft = fake.folder() + "/draft";
  const Server server(draft,
                      [](int connection, const std::string&) { Write(connection, "answered"); });
  std::thread agent([&] {
    usleep(10'000);
    fs::rename(draft, fake.folder() + "/c.sock");
  });
  const std::string answer = AskIn(*target, "c.sock");
  agent.join();
  CHECK(answer == "answered");
}

// How many sockets this process has.
size_t OwnSockets() {
  size_t count = 0;
  std::error_code ignored;  // of one that was closed since it was listed
  for (const auto& each : fs::directory_iterator("/proc/self/fd")) {
    if (fs::read_symlink(each.path(), ignored).string().starts_with("socket:")) ++count;
  }
  return count;
}

TEST_CASE("a socket that its JVM removes before it takes the connection") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listener, 0) == 0);
  // It takes the only place, so the tool tries again and again.
  const int first = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(connect(first, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  const size_t before = OwnSockets();
  std::thread end([&] {
    // Until the tool has found the file.
    for (int i = 0; i < 1'000'000 && OwnSockets() == before; ++i) std::this_thread::yield();
    unlink(path.c_str());
  });
  CHECK(Ask(path) ==
        "control socket " + path + ": it was removed: the program that made it is ending");
  end.join();
  close(first);
  close(listener);
}

TEST_CASE("what can be wrong with a control socket") {
  const TemporaryFolder folder;
  const std::string path = folder / "a.sock";
  const std::string where = "control socket " + path + ": ";
  SECTION("it is not there") {
    CHECK(Ask(path) == where + "cannot find it: No such file or directory");
    CHECK(Ask("/nowhere/a.sock") ==
          "control socket /nowhere/a.sock: cannot find it: No such file or directory");
  }
  SECTION("it is a file") {
    std::ofstream(path) << "x";
    CHECK(Ask(path) == where + "it is not a socket");
  }
  SECTION("its JVM has ended") {
    {
      const Server ended(path, [](int, const std::string&) {});
    }
    CHECK(Ask(path) == where + "it has no listener: the JVM that made it has ended");
  }
  SECTION("it is closed") {
    const Server server(path, [](int, const std::string&) {});
    CHECK(Ask(path) == where +
                           "it was closed without an answer: the JVM has ended, its agent "
                           "could not start, or it takes no commands of this user");
  }
  SECTION("it says nothing") {
    const Server server(path, [](int connection, const std::string&) {
      pollfd closed{connection, POLLRDHUP, 0};
      poll(&closed, 1, 60'000);  // until the client gives up
    });
    CHECK(Ask(path, 300ms) == where + "no answer within 0.3 s (--timeout)");
  }
  SECTION("its agent is of another release") {
    const Server server(path, [](int connection, const std::string&) {
      Write(connection, "{\"iprofagent\":1,\"outcome\":\"refused\"}\n");
    });
    CHECK(Ask(path) == where +
                           "the agent is of another release than this tool: use the tool of the "
                           "agent's release");
  }
  SECTION("it says too much") {
    const Server server(path, [](int connection, const std::string&) {
      Write(connection, std::string(3 << 20, 'x'));
    });
    CHECK(Ask(path) == where + "the other side's first line is too long");
  }
}

}  // namespace
}  // namespace iprof::jvm
