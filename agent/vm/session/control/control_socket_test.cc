#include "agent/vm/session/control/control_socket.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "writer/base/temporary_folder.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

std::string NewPath() {
  const std::string path = "/tmp/iprof_socket_test" + std::to_string(getpid());
  fs::remove(path);
  return path;
}

Result<std::unique_ptr<ControlSocket>> Opened(
    const std::string& path, const ControlSocket::Handler& handler,
    std::chrono::milliseconds patience = ControlSocket::kLinePatience) {
  auto opened = ControlSocket::Open(path);
  if (opened.ok()) REQUIRE((*opened)->Serve(handler, {}, patience).ok());
  return opened;
}

int Connect(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return client;
  close(client);
  return -1;
}

std::string Ask(const std::string& path, const std::string& text) {
  const int client = Connect(path);
  if (client < 0) return "refused";
  send(client, text.data(), text.size(), MSG_NOSIGNAL);
  std::string answer;
  char bytes[256];
  for (ssize_t got = 0; (got = recv(client, bytes, sizeof bytes, 0)) > 0;)
    answer.append(bytes, static_cast<size_t>(got));
  close(client);
  return answer;
}

// Answers with the line itself.
const ControlSocket::Handler kEcho = [](const std::string& line,
                                        const std::shared_ptr<ToolConnection>& client) {
  const std::string answer = "<" + line + ">";
  send(client->fd(), answer.data(), answer.size(), MSG_NOSIGNAL);
};

}  // namespace

TEST_CASE("Each client gets an answer to its line", "[control_socket]") {
  const std::string path = NewPath();
  auto opened = Opened(path, kEcho);
  REQUIRE(opened.ok());
  struct stat found {};
  REQUIRE(lstat(path.c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  std::vector<std::thread> clients;
  std::vector<std::string> answers(8);
  for (size_t i = 0; i < answers.size(); ++i) {
    clients.emplace_back(
        [&, i] { answers[i] = Ask(path, "command=status" + std::to_string(i) + "\nmore"); });
  }
  for (std::thread& client : clients) client.join();
  for (size_t i = 0; i < answers.size(); ++i)
    CHECK(answers[i] == "<command=status" + std::to_string(i) + ">");
  (*opened)->Close();
  CHECK_FALSE(fs::exists(path));
  CHECK(Ask(path, "x\n") == "refused");
}

TEST_CASE("A socket is not made through another user's link", "[control_socket]") {
  if (geteuid() != 0) return;
  const std::string folder = NewPath();
  const std::string link = folder + "-link";
  fs::create_directory(folder);
  fs::create_symlink(folder, link);
  REQUIRE(lchown(link.c_str(), 4002, static_cast<gid_t>(-1)) == 0);
  const auto refused = Opened(link + "/socket", kEcho);
  CHECK(refused.status().message() ==
        "cannot create '" + link + "/socket': the link '" + link +
            "' belongs to another user (uid 4002) and is not followed");
  CHECK(fs::is_empty(folder));
  // Links of our own user are followed.
  REQUIRE(lchown(link.c_str(), 0, static_cast<gid_t>(-1)) == 0);
  const auto opened = Opened(link + "/socket", kEcho);
  REQUIRE(opened.ok());
  CHECK(Ask(folder + "/socket", "x\n") == "<x>");
  (*opened)->Close();
  CHECK(fs::is_empty(folder));
  fs::remove(link);
  fs::remove(folder);
}

TEST_CASE("A client that leaves or sends too much does no harm", "[control_socket]") {
  const std::string path = NewPath();
  auto opened = Opened(path, kEcho);
  REQUIRE(opened.ok());
  close(Connect(path));
  CHECK(Ask(path, std::string(40'000, 'x') + "\n").empty());
  CHECK(Ask(path, "still here\n") == "<still here>");
}

// What a client finds at its connection: 0 if it was closed, -1 if there is nothing.
ssize_t Peek(int client) {
  char byte = 0;
  return recv(client, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

TEST_CASE("A tool of another release is refused, and its own hears the version",
          "[control_socket]") {
  const std::string path = NewPath();
  auto opened =
      Opened(path, [](const std::string& line, const std::shared_ptr<ToolConnection>& client) {
        const auto command = client->Greet(line);
        if (command.ok()) client->Answer({*command, control::Outcome::kDone, ""});
      });
  REQUIRE(opened.ok());
  CHECK(Ask(path, "command=status\n") == "{\"iprofagent\":3}\n");
  CHECK(Ask(path, "iprof/2 command=status\n") == "{\"iprofagent\":3}\n");
  CHECK(Ask(path, "iprof/3 command=x\n") ==
        std::string("iprof/3\nA\0\0\0\66", 13) +
            "{\"command\":\"command=x\",\"outcome\":\"done\",\"message\":\"\"}\n");
}

TEST_CASE("Silent clients delay no other, and the oldest of too many is dropped",
          "[control_socket]") {
  const std::string path = NewPath();
  auto opened = Opened(path, kEcho, std::chrono::hours(1));
  REQUIRE(opened.ok());
  std::vector<int> silent(ControlSocket::kMostSilent);
  for (int& client : silent) client = Connect(path);
  send(silent.back(), "half a ", 7, MSG_NOSIGNAL);
  CHECK(Ask(path, "x\n") == "<x>");
  char byte = 0;
  CHECK(recv(silent.front(), &byte, 1, 0) == 0);
  for (size_t i = 1; i < silent.size(); ++i) CHECK(Peek(silent[i]) == -1);
  send(silent.back(), "line\n", 5, MSG_NOSIGNAL);
  char answer[20] = {};
  CHECK(recv(silent.back(), answer, sizeof answer, 0) == 13);
  CHECK(std::string(answer) == "<half a line>");
  (*opened)->Close();
  for (const int client : silent) close(client);
}

TEST_CASE("A client that stays silent is dropped after a while", "[control_socket]") {
  const std::string path = NewPath();
  auto opened = Opened(path, kEcho, std::chrono::milliseconds(20));
  REQUIRE(opened.ok());
  const int client = Connect(path);
  char byte = 0;
  CHECK(recv(client, &byte, 1, 0) == 0);
  close(client);
}

TEST_CASE("Clients that come before the socket is served wait, or are dropped with it",
          "[control_socket]") {
  const std::string path = NewPath();
  auto opened = ControlSocket::Open(path);
  REQUIRE(opened.ok());
  const int client = Connect(path);
  REQUIRE(client >= 0);
  send(client, "early\n", 6, MSG_NOSIGNAL);
  CHECK(Peek(client) == -1);
  char answer[10] = {};
  SECTION("served") {
    REQUIRE((*opened)->Serve(kEcho).ok());
    CHECK(recv(client, answer, sizeof answer, 0) == 7);
  }
  SECTION("closed") {
    *opened = nullptr;
    CHECK(recv(client, answer, sizeof answer, 0) <= 0);
    CHECK_FALSE(fs::exists(path));
  }
  close(client);
}

TEST_CASE("An existing path is refused, a socket left behind is replaced", "[control_socket]") {
  const std::string path = NewPath();
  std::ofstream(path) << "data";
  const auto refused = Opened(path, kEcho);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.status().message() ==
        "'" + path + "' exists already, and is not a socket that a killed JVM left");
  CHECK(fs::file_size(path) == 4);
  fs::remove(path);
  {
    auto first = Opened(path, kEcho);
    REQUIRE(first.ok());
    CHECK_FALSE(Opened(path, kEcho).ok());
    CHECK(Ask(path, "a\n") == "<a>");
    // As after a kill: the path stays, without a listener.
    fs::rename(path, path + ".kept");
  }
  fs::rename(path + ".kept", path);
  auto second = Opened(path, kEcho);
  REQUIRE(second.ok());
  CHECK(Ask(path, "b\n") == "<b>");
}

TEST_CASE("Whoever finds the path can connect", "[control_socket]") {
  const std::string path = NewPath();
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::thread finder([&] {
      while (access(path.c_str(), F_OK) != 0) {
      }
      const int client = Connect(path);
      if (client < 0) ++refused;
      close(client);
    });
    auto opened = ControlSocket::Open(path);
    finder.join();
    REQUIRE(opened.ok());
  }
  CHECK(refused == 0);
  CHECK_FALSE(fs::exists("/tmp/.iprof-control-" + std::to_string(getpid())));
}

TEST_CASE("Close removes only its own path", "[control_socket]") {
  const std::string path = NewPath();
  auto opened = Opened(path, kEcho);
  REQUIRE(opened.ok());
  fs::remove(path);
  std::ofstream(path) << "another's";
  (*opened)->Close();
  CHECK(fs::exists(path));
  fs::remove(path);
}

TEST_CASE("Missing folders are made, for this user only", "[control_socket]") {
  const TemporaryFolder folder;
  const auto opened = Opened(folder / "a/b/socket", kEcho);
  REQUIRE(opened.ok());
  CHECK(Ask(folder / "a/b/socket", "x\n") == "<x>");
  for (const char* made : {"a", "a/b"})
    CHECK(fs::status(folder / made).permissions() == fs::perms::owner_all);
}

TEST_CASE("A path that is too long or cannot have its folder is refused", "[control_socket]") {
  CHECK_FALSE(ControlSocket::Open("/tmp/" + std::string(200, 'x')).ok());
  CHECK_FALSE(ControlSocket::Open("/dev/null/socket").ok());
  CHECK_FALSE(ControlSocket::Open("/proc/no such folder/socket").ok());
}

}  // namespace iprof::vm
