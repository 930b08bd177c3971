// Where the target finds the agent's library, with processes of our own that play a JVM, some of them in a
// root of their own and as another user. Those tests need root, and say so where they cannot run.
#include "cli/jvm/placed_library.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/jvm_connection.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr AttachTimeouts kPatient{60s, 60s};
constexpr uid_t kSomebody = 65534;

// This test is a shared library as far as its header goes (a position-independent program).
std::string Library() { return fs::read_symlink("/proc/self/exe"); }

// Answers as a JVM that looks whether it can read the library.
std::string LoadIfReadable(const std::string& request) {
  const size_t from = request.find('|') + 1;
  const std::string path = request.substr(from, request.find('|', from) - from);
  struct stat found {};
  if (stat(path.c_str(), &found) != 0 || access(path.c_str(), R_OK | X_OK) != 0) {
    return "0\n" + path + " was not loaded.\n" + path + ": cannot be read\n";
  }
  if ((found.st_mode & 07777) != 0755 && path.starts_with("/tmp/.iprof-")) return "0\nwrong mode";
  return "0\nreturn code: 0\n";
}

bool IsRoot() {
  if (geteuid() == 0) return true;
  WARN("not root: roots and users of other processes are not tested");
  return false;
}

TEST_CASE("a library that the target sees is not copied") {
  const FakeJvm fake;
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  const Result<PlacedLibrary> placed = PlacedLibrary::Place(*target, Library());
  REQUIRE(placed.ok());
  CHECK(placed->path() == Library());
  CHECK_FALSE(placed->is_copy());
  CHECK_FALSE(placed->was_mapped());
}

TEST_CASE("a library that is mapped is named as it is mapped") {
  FakeJvm::Part part;
  part.maps = "libiprofagent.so";
  const FakeJvm fake(part);
  const std::string mapped = fake.folder() + "/libiprofagent.so";
  SECTION("its file is there") {}
  SECTION("its file is gone") { fs::remove(mapped); }
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  const Result<PlacedLibrary> placed = PlacedLibrary::Place(*target, "/nowhere/libiprofagent.so");
  REQUIRE(placed.ok());
  CHECK(placed->path() == mapped);
  CHECK(placed->was_mapped());
}

TEST_CASE("what is no library never reaches the JVM") {
  const FakeJvm fake;
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  const std::string text = fake.folder() + "/text";
  std::ofstream(text) << "not an ELF file, but long enough to be one: " << std::string(100, 'x');
  CHECK(PlacedLibrary::Place(*target, text).status().message() ==
        text + " is not a shared library for this processor");
  CHECK(PlacedLibrary::Place(*target, "/nowhere/x.so").status().message() ==
        "cannot read the agent's library /nowhere/x.so: No such file or directory");
}

TEST_CASE("a target in another root gets a copy, which is removed afterwards") {
  if (!IsRoot()) return;
  FakeJvm::Part part;
  part.in_own_root = true;
  part.answer = LoadIfReadable;
  SECTION("of the same user") {}
  SECTION("of another user") { part.uid = kSomebody; }
  SECTION("whose /tmp is a link, which leads within its root") { part.tmp_link = "/var/tmp"; }
  const FakeJvm fake(part);
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  const Status loaded = connection->Load(Library(), "");
  CHECK(loaded.message() == "");
  CHECK(fake.IsTidy());
}

TEST_CASE("a target of another user gets a copy of what it may not read") {
  if (!IsRoot()) return;
  FakeJvm::Part part;
  part.uid = kSomebody;
  part.answer = LoadIfReadable;
  const FakeJvm fake(part);
  const std::string secret = fake.folder() + "/secret.so";
  fs::copy_file(Library(), secret);
  fs::permissions(secret, fs::perms(0700));
  Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
  REQUIRE(connection.ok());
  CHECK(connection->Load(secret, "").message() == "");
  CHECK(geteuid() == 0);
  struct stat socket {};
  REQUIRE(stat(fake.socket_path().c_str(), &socket) == 0);
  CHECK(socket.st_uid == kSomebody);
}

TEST_CASE("a copy that cannot be made is a sentence") {
  if (!IsRoot()) return;
  FakeJvm::Part part;
  part.in_own_root = true;
  part.uid = kSomebody;
  const FakeJvm fake(part);
  REQUIRE(JvmConnection::Open(fake.pid(), kPatient).ok());
  fs::permissions(fake.tmp(), fs::perms(0555));
  const Status refused = JvmConnection::Open(fake.pid(), kPatient)->Load(Library(), "");
  CHECK(refused.code() == Code::kIo);
  CHECK(refused.message() == "process " + std::to_string(fake.pid()) + " cannot read " + Library() +
                                 ", and copying it to its /tmp failed: Permission denied");
}

TEST_CASE("without root, another user's JVM is out of reach") {
  if (!IsRoot()) return;
  const FakeJvm fake;
  const pid_t visitor = fork();
  if (visitor == 0) {
    if (setgid(kSomebody) != 0 || setuid(kSomebody) != 0) _exit(1);
    const Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
    const std::string expected = "process " + std::to_string(fake.pid()) +
                                 " belongs to user root, and iprof runs as " + UserName(kSomebody) +
                                 ": run it as that user or as root";
    const bool is_right = !connection.ok() && connection.status().message() == expected;
    _exit(is_right ? 0 : 2);
  }
  int status = -1;
  waitpid(visitor, &status, 0);
  CHECK(status == 0);
}

}  // namespace
}  // namespace iprof::jvm
