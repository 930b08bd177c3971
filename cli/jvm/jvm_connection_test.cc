// A connection to processes of our own that play a JVM: good ones, and every way in which one fails.
#include "cli/jvm/jvm_connection.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "cli/jvm/fake_jvm.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// Long, as the machine may be busy; no test that passes waits for it.
constexpr AttachTimeouts kPatient{60s, 60s};
// For what never comes.
constexpr AttachTimeouts kShort{300ms, 300ms};
constexpr AttachTimeouts kShortAnswer{60s, 300ms};

std::string WhyNot(const FakeJvm& fake, const AttachTimeouts& timeouts) {
  const Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), timeouts);
  return connection.ok() ? "it was opened" : connection.status().message();
}

std::string Process(const FakeJvm& fake) { return "process " + std::to_string(fake.pid()); }

void LeaveStaleSocket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strcpy(address.sun_path, path.c_str());
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  close(fd);
}

TEST_CASE("a JVM is asked to listen once, then takes requests") {
  const FakeJvm fake;
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  CHECK(fake.IsTidy());
  CHECK(connection->Request({"jcmd", "JVMTI.data_dump"})->text == "jcmd|JVMTI.data_dump||");
  CHECK(connection->Request({"load", "/x", "true", "a=b"})->text == "load|/x|true|a=b");
  CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
}

TEST_CASE("while another tool asks the JVM to listen, no second signal is sent") {
  const FakeJvm fake;
  // The other tool's file, in the JVM's working directory, which is ours.
  const std::string path =
      "/proc/" + std::to_string(fake.pid()) + "/cwd/.attach_pid" + std::to_string(fake.pid());
  const int other = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(other >= 0);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK(WhyNot(fake, kShort).find("0.3 s") != std::string::npos);
  CHECK(fs::exists(path));
  unlink(path.c_str());
  close(other);
  CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  CHECK(fake.IsTidy());
}

TEST_CASE("long requests go to those who know version 2") {
  const RequestWords words = {"load", "/x", "true", std::string(5000, 'o')};
  FakeJvm::Part part;
  part.answer = [](const std::string& request) {
    return request.starts_with("getversion")
               ? std::string("-1\nOperation getversion not recognized!")
               : "0\n" + request;
  };
  const FakeJvm old(part);
  const Result<Answer> refused = JvmConnection::Open(old.pid(), kPatient)->Request(words);
  CHECK(refused.status().message() ==
        Process(old) +
            ": this JVM takes at most 1024 bytes of options or path, and there are 5000 "
            "(JDK 25 and later take more): shorten them");
  part.knows_version_2 = true;
  part.answer = [](const std::string& request) {
    return request.starts_with("getversion") ? std::string("0\n2") : "0\n" + request;
  };
  const FakeJvm modern(part);
  CHECK(JvmConnection::Open(modern.pid(), kPatient)->Request(words)->text ==
        "load|/x|true|" + words[3]);
}

TEST_CASE("a JVM that does not answer, or not as it should") {
  FakeJvm::Part part;
  std::string expected;
  SECTION("hangs") {
    part.hangs = true;
    expected = " has not answered within 0.3 s (--timeout)";
  }
  SECTION("closes early") {
    part.answer = [](const std::string&) { return std::string(); };
    expected =
        ": it closed the connection without an answer: it is ending, or takes no requests of this "
        "user and group";
  }
  SECTION("writes garbage") {
    part.answer = [](const std::string&) { return std::string("\x7f\x01garbage\n"); };
    expected = ": its answer is not one of HotSpot: '\x7f\x01garbage'";
  }
  SECTION("ends in the middle") {
    part.dies = true;
    expected = " has ended";
  }
  const FakeJvm fake(part);
  Result<JvmConnection> connection =
      JvmConnection::Open(fake.pid(), part.hangs ? kShortAnswer : kPatient);
  REQUIRE(connection.ok());
  CHECK(connection->Request({"properties"}).status().message() == Process(fake) + expected);
}

TEST_CASE("a JVM that never opens its socket") {
  FakeJvm::Part part;
  part.listens = false;
  const FakeJvm fake(part);
  CHECK(WhyNot(fake, kShort) ==
        Process(fake) +
            " has not opened its attach socket within 0.3 s: it is too busy, or runs with "
            "-XX:+DisableAttachMechanism (--timeout waits longer)");
  CHECK(fake.IsTidy());
}

TEST_CASE("SIGQUIT is sent only to those who handle it") {
  FakeJvm::Part part;
  SECTION("never") {
    part.quit_handled_after_ms = -1;
    const FakeJvm fake(part);
    const std::string said = WhyNot(fake, kShort);
    CHECK(said.starts_with(Process(fake) + " does not handle SIGQUIT, which would end it"));
    CHECK(fake.IsRunning());
    CHECK(fake.IsTidy());
  }
  SECTION("a JVM that is starting is waited for") {
    part.quit_handled_after_ms = 200;
    const FakeJvm fake(part);
    CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  }
  SECTION("one that starts in another folder gets the file where it looks for it") {
    part.quit_handled_after_ms = 200;
    part.starts_elsewhere = true;
    const FakeJvm fake(part);
    CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
    CHECK(fake.IsTidy());
  }
}

TEST_CASE("a JVM that removed its own socket while it started is asked again") {
  FakeJvm::Part part;
  part.loses_socket = true;
  const FakeJvm fake(part);
  CHECK(JvmConnection::Open(fake.pid(), {1h, 60s}).ok());  // it must not take half of that
  CHECK(fake.IsTidy());
}

TEST_CASE("a JVM that removes its socket after it was asked is asked again") {
  FakeJvm::Part part;
  part.drops_socket = true;
  const FakeJvm fake(part);
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  while (fs::exists(fake.socket_path())) std::this_thread::yield();
  const Result<Answer> answer = connection->Request({"properties"});
  REQUIRE(answer.ok());
  CHECK(answer->text == "properties|||");
  CHECK(fake.IsTidy());
}

TEST_CASE("a JVM that lives and has a socket without a listener does not listen any more") {
  const FakeJvm fake;
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  fs::remove(fake.socket_path());
  LeaveStaleSocket(fake.socket_path());
  CHECK(connection->Request({"properties"}).status().message() ==
        Process(fake) +
            " does not listen any more: it is ending, or its attach socket was removed");
}

TEST_CASE("a JVM that has lost its socket and makes no other one does not listen any more") {
  const FakeJvm fake;
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), {60s, 1200ms});
  REQUIRE(connection.ok());
  fs::remove(fake.socket_path());
  CHECK(connection->Request({"properties"}).status().message() ==
        Process(fake) +
            " does not listen any more: it is ending, or its attach socket was removed");
  CHECK(fake.IsRunning());
  CHECK(fake.IsTidy());
}

TEST_CASE("a JVM that ends while it answers a load has ended") {
  FakeJvm::Part part;
  part.answer = [](const std::string&) {
    const pid_t own = getpid();
    if (fork() == 0) {
      for (int fd = 3; fd < 100; ++fd) close(fd);  // so that the tool has the whole answer
      usleep(100'000);
      kill(own, SIGKILL);
      _exit(0);
    }
    return std::string("0\n");
  };
  const FakeJvm fake(part);
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  CHECK(connection->Request({"load", "/x", "true", "a=b"}).status().message() ==
        Process(fake) + " has ended");
}

TEST_CASE("files that stand where the socket should be") {
  const FakeJvm fake;
  SECTION("a socket without a listener is replaced") {
    LeaveStaleSocket(fake.socket_path());
    CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  }
  SECTION("a file is refused") {
    std::ofstream(fake.socket_path()) << "x";
    CHECK(WhyNot(fake, kPatient).find("is not the attach socket of") != std::string::npos);
  }
  SECTION("a link is not followed") {
    fs::create_symlink("/nowhere", fake.socket_path());
    CHECK(WhyNot(fake, kPatient).find("is not the attach socket of") != std::string::npos);
  }
}

TEST_CASE("a stopped JVM is told from a slow one") {
  const FakeJvm fake;
  const std::string expected =
      Process(fake) + " is stopped (SIGSTOP, or a debugger): let it go on, then repeat the command";
  SECTION("before") {
    kill(fake.pid(), SIGSTOP);
    waitpid(fake.pid(), nullptr, WUNTRACED);
    CHECK(WhyNot(fake, kPatient) == expected);
  }
  SECTION("while it is asked") {
    Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kShortAnswer);
    REQUIRE(connection.ok());
    kill(fake.pid(), SIGSTOP);
    waitpid(fake.pid(), nullptr, WUNTRACED);
    CHECK(connection->Request({"properties"}).status().message() == expected);
  }
}

TEST_CASE("a JVM that is stopped while it is asked prints no threads when it goes on") {
  FakeJvm::Part part;
  part.stops_when_asked = true;
  const FakeJvm fake(part);
  CHECK(WhyNot(fake, kPatient).find("is stopped") != std::string::npos);
  // A real JVM prints its threads where there is no file.
  CHECK_FALSE(fake.IsTidy());
  kill(fake.pid(), SIGCONT);
  CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  CHECK(fake.IsTidy());
}

TEST_CASE("what a killed tool left is removed when the JVM listens") {
  const FakeJvm fake;
  CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  const std::string name = "/.attach_pid" + std::to_string(fake.pid());
  const std::string in_use = "/tmp" + name;
  std::ofstream(fake.folder() + name);
  const int other = open(in_use.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  CHECK_FALSE(fs::exists(fake.folder() + name));
  CHECK(fs::exists(in_use));
  close(other);
  CHECK(JvmConnection::Open(fake.pid(), kPatient).ok());
  CHECK(fake.IsTidy());
}

TEST_CASE("processes that are no JVM") {
  FakeJvm::Part part;
  part.has_libjvm = false;
  FakeJvm fake(part);
  CHECK(WhyNot(fake, kPatient) == Process(fake) + " is not a JVM: no libjvm.so is loaded in it");
  CHECK(fake.IsRunning());
  kill(fake.pid(), SIGKILL);
  siginfo_t info;
  waitid(P_PID, static_cast<id_t>(fake.pid()), &info, WEXITED | WNOWAIT);  // it stays a zombie
  CHECK(WhyNot(fake, kPatient) == Process(fake) + " has ended");
  fake.End();
  CHECK(WhyNot(fake, kPatient) == "there is no " + Process(fake));
}

TEST_CASE("an interrupt ends the wait and leaves nothing behind") {
  FakeJvm::Part part;
  part.listens = false;
  const FakeJvm fake(part);
  const auto before = signal(SIGTERM, [](int) {});
  const pid_t test = getpid();
  const pid_t interrupter = fork();
  if (interrupter == 0) {
    while (fake.IsTidy()) usleep(1000);  // until the wait has begun
    kill(test, SIGTERM);
    _exit(0);
  }
  CHECK(WhyNot(fake, kPatient) == "interrupted while waiting for " + Process(fake));
  waitpid(interrupter, nullptr, 0);
  CHECK(fake.IsTidy());
  signal(SIGTERM, before);
}

}  // namespace
}  // namespace iprof::jvm
