// A name has one owner at a time, however the owner ends, and nothing stays behind.
#include "writer/profile/io/lock_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "writer/base/temporary_folder.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

Result<LockFile> Take(const std::string& path, milliseconds patience = {},
                      SystemCalls& calls = SystemCalls::Real()) {
  const Result<FilePlace> place = FilePlace::Find(path);
  REQUIRE(place.ok());
  return LockFile::Take(*place, patience, calls);
}

int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a name is held once, released by the destructor, and leaves no file") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  {
    Result<LockFile> first = Take(path);
    REQUIRE(first.ok());
    CHECK(fs::status(folder / ".app.iprof.lock").permissions() == fs::perms(0600));
    CHECK(Take(path).status().code() == Code::kLimit);
    CHECK(Take(path).status().message() == "another running process writes it");
    CHECK(Take(folder / "other.iprof").ok());
    CHECK(LockFile::IsHeldBy(*FilePlace::Find(path), getpid()));
    CHECK_FALSE(LockFile::IsHeldBy(*FilePlace::Find(path), getppid()));
    CHECK_FALSE(LockFile::IsHeldBy(*FilePlace::Find(folder / "other.iprof"), getpid()));
    const LockFile moved = std::move(*first);
    CHECK_FALSE(first->is_held());
    CHECK(moved.is_held());
    CHECK_FALSE(Take(path).ok());
  }
  CHECK(folder.IsEmpty());
  CHECK(Take(path).ok());
  CHECK(folder.IsEmpty());
}

TEST_CASE("the lock of a process that was killed is free, and is removed by the next one") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const Result<LockFile> held = Take(path);
    const char said = held.ok() ? 'y' : 'n';
    if (write(ready[1], &said, 1) != 1) _exit(1);
    for (;;) pause();
  }
  char said = 0;
  REQUIRE(read(ready[0], &said, 1) == 1);
  CHECK(said == 'y');
  CHECK(Take(path).status().code() == Code::kLimit);
  kill(child, SIGKILL);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(fs::exists(folder / ".app.iprof.lock"));
  CHECK(Take(path).ok());
  CHECK(folder.IsEmpty());
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("many processes take turns, and never two at once") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  struct Shared {
    std::atomic<int> inside;
    std::atomic<int> turns;
    std::atomic<int> collisions;
  };
  void* const memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto* const shared = new (memory) Shared{};
  constexpr int kProcesses = 4;
  constexpr int kTurns = 50;
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    for (int turn = 0; turn < kTurns; ++turn) {
      const Result<FilePlace> place = FilePlace::Find(path);
      const Result<LockFile> held = LockFile::Take(*place, std::chrono::minutes(5));
      if (!held.ok()) _exit(1);
      if (shared->inside.fetch_add(1) != 0) ++shared->collisions;
      ++shared->turns;
      usleep(100);
      --shared->inside;
    }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(shared->turns == kProcesses * kTurns);
  CHECK(shared->collisions == 0);
  CHECK(folder.IsEmpty());
  munmap(memory, sizeof(Shared));
}

TEST_CASE("what is not a lock of this user is neither opened nor removed") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  const std::string lock = folder / ".app.iprof.lock";
  SECTION("a link") {
    std::ofstream(folder / "precious") << "precious";
    fs::create_symlink("precious", lock);
    CHECK(Take(path).status().message() == "its lock is not a regular file");
    CHECK(fs::is_symlink(lock));
    CHECK(fs::file_size(folder / "precious") == 8);
  }
  SECTION("a pipe, which would block") {
    REQUIRE(mkfifo(lock.c_str(), 0666) == 0);
    CHECK(Take(path).status().code() == Code::kIo);
    CHECK(fs::exists(lock));
  }
  SECTION("another user's file") {
    if (geteuid() != 0) return;
    std::ofstream(lock) << "";
    REQUIRE(chown(lock.c_str(), 4002, static_cast<gid_t>(-1)) == 0);
    CHECK(Take(path).status().code() == Code::kLimit);
    CHECK(Take(path).status().message() == "its lock belongs to another user (uid 4002)");
    CHECK(fs::exists(lock));
  }
}

TEST_CASE("a lock that was replaced by hand is not removed with the first one") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  Result<LockFile> first = Take(path);
  REQUIRE(first.ok());
  fs::remove(folder / ".app.iprof.lock");
  Result<LockFile> second = Take(path);
  REQUIRE(second.ok());
  first->Release();
  CHECK(fs::exists(folder / ".app.iprof.lock"));
  second->Release();
  CHECK(folder.IsEmpty());
}

// A file system that fails one kind of call.
class Failing final : public SystemCalls {
 public:
  Failing(std::string call, int error) : call_(std::move(call)), error_(error) {}
  int Openat(int folder, const char* name, int flags, mode_t mode) override {
    return Fails("open") ? -1 : SystemCalls::Openat(folder, name, flags, mode);
  }
  int Flock(int fd, int operation) override {
    return Fails("flock") ? -1 : SystemCalls::Flock(fd, operation);
  }
  int Dup(int fd) override { return Fails("dup") ? -1 : SystemCalls::Dup(fd); }

 private:
  bool Fails(const char* call) const {
    if (call != call_) return false;
    errno = error_;
    return true;
  }
  std::string call_;
  int error_;
};

TEST_CASE("a file system without locks, or a folder that cannot be written, is told apart") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  const auto [call, error] = GENERATE(table<std::string, int>({{"open", EROFS},
                                                               {"open", EACCES},
                                                               {"flock", ENOLCK},
                                                               {"flock", EOPNOTSUPP},
                                                               {"dup", EMFILE}}));
  INFO(call);
  Failing calls(call, error);
  const Status status = Take(path, {}, calls).status();
  CHECK(status.code() == Code::kIo);
  CHECK(status.message() == std::strerror(error));
  CHECK(folder.IsEmpty());
}

TEST_CASE("a turn and a claim are two locks") {
  const TemporaryFolder folder;
  const Result<FilePlace> place = FilePlace::Find(folder / "app.iprof");
  REQUIRE(place.ok());
  const auto take = [&](LockUse use) {
    return LockFile::Take(*place, {}, SystemCalls::Real(), use);
  };
  {
    const Result<LockFile> claim = take(LockUse::kClaim);
    const Result<LockFile> turn = take(LockUse::kTurn);
    REQUIRE(claim.ok());
    REQUIRE(turn.ok());
    CHECK(fs::exists(folder / ".app.iprof.lock"));
    CHECK(fs::exists(folder / ".app.iprof.lock.merge"));
    CHECK_FALSE(take(LockUse::kClaim).ok());
    CHECK_FALSE(take(LockUse::kTurn).ok());
  }
  CHECK(folder.IsEmpty());
  CHECK(LockFile::NameFor(std::string(255, 'x'), LockUse::kTurn).size() == 255);
  // Nor does the turn at one file exclude the claim on another one.
  for (const char* other : {"app.iprof.merge", "app.iprof.lock", "app.iprof.lock.merge"}) {
    INFO(other);
    CHECK(LockFile::NameFor("app.iprof", LockUse::kTurn) != LockFile::NameFor(other));
  }
}

TEST_CASE("long names have locks of their own") {
  const std::string common(250, 'x');
  const std::string a = LockFile::NameFor(common + "aaaaa");
  const std::string b = LockFile::NameFor(common + "bbbbb");
  CHECK(a != b);
  CHECK(a.size() == 255);
  CHECK(LockFile::NameFor("app.iprof") == ".app.iprof.lock");
  const TemporaryFolder folder;
  CHECK(Take(folder / std::string(255, 'x')).ok());
}

TEST_CASE("a child that is forked and executed does not hold the lock") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  Result<LockFile> held = Take(path);
  REQUIRE(held.ok());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[0], STDIN_FILENO);
    close(ends[1]);
    execlp("cat", "cat", static_cast<char*>(nullptr));
    _exit(1);
  }
  held->Release();
  // The child may not have reached its exec yet.
  CHECK(Take(path, std::chrono::minutes(1)).ok());
  close(ends[1]);
  close(ends[0]);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(InChild([&] { return Take(path).ok() ? 0 : 1; }) == 0);
}

}  // namespace
}  // namespace iprof
