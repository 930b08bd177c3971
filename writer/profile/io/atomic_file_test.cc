// The file appears complete or not at all, whichever system call fails.
#include "writer/profile/io/atomic_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "writer/base/temporary_folder.h"
#include "writer/profile/example_profiles.h"
#include "writer/profile/io/writer.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

void Put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }
std::string Get(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Makes the nth call of one kind fail with `error`; all others are real.
class FailingCalls final : public SystemCalls {
 public:
  FailingCalls(std::string call, int nth, int error)
      : call_(std::move(call)), nth_(nth), error_(error) {}
  int Openat(int folder, const char* name, int flags, mode_t mode) override {
    return Fails("open") ? -1 : SystemCalls::Openat(folder, name, flags, mode);
  }
  int OpenPath(int folder, const char* name, int flags) override {
    return Fails("walk") ? -1 : SystemCalls::OpenPath(folder, name, flags);
  }
  ssize_t Write(int fd, const void* bytes, size_t size) override {
    // Also checks that short writes are continued.
    return Fails("write") ? -1 : SystemCalls::Write(fd, bytes, size > 1 ? size / 2 : size);
  }
  int Fsync(int fd) override { return Fails("fsync") ? -1 : SystemCalls::Fsync(fd); }
  int Close(int fd) override {
    const int result = SystemCalls::Close(fd);
    return Fails("close") ? -1 : result;
  }
  int Fchmod(int fd, mode_t mode) override {
    return Fails("fchmod") ? -1 : SystemCalls::Fchmod(fd, mode);
  }
  int Renameat(int folder, const char* from, const char* to) override {
    return Fails("rename") ? -1 : SystemCalls::Renameat(folder, from, to);
  }
  int Faccessat(int folder, const char* name, int mode) override {
    return Fails("access") ? -1 : SystemCalls::Faccessat(folder, name, mode);
  }
  int Fstatat(int folder, const char* name, struct stat* result, int flags) override {
    return Fails("stat") ? -1 : SystemCalls::Fstatat(folder, name, result, flags);
  }
  int Dup(int fd) override { return Fails("dup") ? -1 : SystemCalls::Dup(fd); }

 private:
  bool Fails(const char* call) {
    if (call != call_ || --nth_ != 0) return false;
    errno = error_;
    return true;
  }
  std::string call_;
  int nth_;
  int error_;
};

Status WriteWith(SystemCalls& calls, const std::string& path) {
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path, calls);
  if (!file.ok()) return file.status();
  if (Status status = (*file)->Write("new text"); !status.ok()) return status;
  return (*file)->Commit();
}

TEST_CASE("a file for its owner only, with every umask") {
  TemporaryFolder folder;
  const std::string path = folder / "p";
  const mode_t umask_before = umask(0);
  const auto write = [&](Readers readers) {
    Result<std::unique_ptr<AtomicFile>> file =
        AtomicFile::Create(path, SystemCalls::Real(), readers);
    REQUIRE(file.ok());
    CHECK((fs::status((*file)->temporary_path()).permissions() & fs::perms(0077)) ==
          (fs::exists(path) || readers == Readers::kOwner ? fs::perms::none
           : readers == Readers::kGroup                   ? fs::perms(0040)
                                                          : fs::perms(0066)));
    REQUIRE((*file)->Commit().ok());
    return fs::status(path).permissions();
  };
  CHECK(write(Readers::kOwner) == fs::perms(0600));
  fs::permissions(path, fs::perms(0644));  // the owner's own decision
  CHECK(write(Readers::kOwner) == fs::perms(0644));
  fs::remove(path);
  CHECK(write(Readers::kByUmask) == fs::perms(0666));
  fs::remove(path);
  CHECK(write(Readers::kGroup) == fs::perms(0640));
  if (geteuid() == 0) {
    // Another user's file may have been put there so that ours can be read.
    fs::permissions(path, fs::perms(0666));
    REQUIRE(chown(path.c_str(), 4002, static_cast<gid_t>(-1)) == 0);
    CHECK(write(Readers::kByUmask) == fs::perms(0600));
  }
  umask(umask_before);
}

// Of a folder that gives its own group to new files.
class OtherGroup final : public SystemCalls {
 public:
  int Fstatat(int folder, const char* name, struct stat* result, int flags) override {
    const int made = SystemCalls::Fstatat(folder, name, result, flags);
    if ((flags & AT_EMPTY_PATH) != 0) result->st_gid = getegid() + 1;
    return made;
  }
};

TEST_CASE("a file for a group is not for that of its folder") {
  TemporaryFolder folder;
  const auto mode_of = [&](SystemCalls& calls, mode_t mask) {
    const std::string path = folder / "p";
    const mode_t umask_before = umask(mask);
    const auto file = AtomicFile::Create(path, calls, Readers::kGroup);
    REQUIRE(file.ok());
    const fs::perms temporary = fs::status((*file)->temporary_path()).permissions();
    CHECK((*file)->Commit().message() == "");
    CHECK(umask(umask_before) == mask);
    CHECK(fs::status(path).permissions() == temporary);
    fs::remove(path);
    return temporary;
  };
  CHECK(mode_of(SystemCalls::Real(), 0022) == fs::perms(0640));
  CHECK(mode_of(SystemCalls::Real(), 0077) == fs::perms(0600));
  OtherGroup other;
  CHECK(mode_of(other, 0) == fs::perms(0600));
  FailingCalls failing("fchmod", 1, EPERM);
  CHECK(mode_of(failing, 0) == fs::perms(0600));
  if (geteuid() != 0) return;
  REQUIRE(chown(folder.path().c_str(), static_cast<uid_t>(-1), 4002) == 0);
  REQUIRE(chmod(folder.path().c_str(), 02755) == 0);
  CHECK(mode_of(SystemCalls::Real(), 0) == fs::perms(0600));
}

TEST_CASE("a new file, and one that replaces another and keeps its permissions") {
  TemporaryFolder folder;
  const std::string path = folder / "p";
  REQUIRE(WriteWith(SystemCalls::Real(), path).message() == "");
  CHECK(Get(path) == "new text");
  Put(path, "old");
  fs::permissions(path, fs::perms(0640));
  REQUIRE(WriteWith(SystemCalls::Real(), path).message() == "");
  CHECK(Get(path) == "new text");
  CHECK(fs::status(path).permissions() == fs::perms(0640));
  CHECK(folder.Names() == std::vector<std::string>{"p"});
}

TEST_CASE(
    "each system call's failure: one clear sentence, the old file untouched, nothing left behind") {
  struct Case {
    const char* call;
    int nth;
    int error;
    const char* message;  // without the reason, whose text is the C library's
    const char* text;
  };
  const Case cases[] = {
      {"walk", 1, EMFILE, "cannot write", "old"},
      {"walk", 2, EACCES, "cannot write", "old"},
      {"stat", 1, EACCES, "cannot write", "old"},
      {"access", 1, EACCES, "cannot write", "old"},
      {"open", 1, EACCES, "cannot create a temporary file beside it", "old"},
      {"open", 1, ENOSPC, "cannot create a temporary file beside it", "old"},
      {"open", 1, EEXIST, "", "new text"},  // another name is tried
      {"write", 1, ENOSPC, "cannot write", "old"},
      {"write", 2, EDQUOT, "cannot write", "old"},
      {"write", 1, EINTR, "", "new text"},
      {"fchmod", 1, EPERM, "cannot set permissions", "old"},
      {"fsync", 1, EIO, "cannot flush to disk", "old"},
      {"close", 1, EIO, "cannot close", "old"},
      {"rename", 1, ENOENT, "cannot put the new file in place", "old"},
      {"open", 2, EACCES, "", "new text"},  // the folder is unreadable: the file is written anyway
      {"fsync", 2, EIO, "is in place, but its folder cannot be flushed to disk", "new text"},
      {"fsync", 2, EINVAL, "", "new text"},
  };
  for (const Case& c : cases) {
    INFO(c.call << " " << c.nth << " " << std::strerror(c.error));
    TemporaryFolder folder;
    const std::string path = folder / "p";
    Put(path, "old");
    FailingCalls calls(c.call, c.nth, c.error);
    const Status status = WriteWith(calls, path);
    CHECK(status.message() ==
          (*c.message ? path + ": " + c.message + ": " + std::strerror(c.error) : ""));
    CHECK(status.code() == (*c.message ? Code::kIo : Code::kOk));
    CHECK(Get(path) == c.text);
    CHECK(folder.Names() == std::vector<std::string>{"p"});
  }
}

TEST_CASE("without a commit nothing happens") {
  TemporaryFolder folder;
  const std::string path = folder / "p";
  {
    auto file = AtomicFile::Create(path);
    REQUIRE(file.ok());
    REQUIRE((*file)->Write("x").ok());
    CHECK(folder.Names().size() == 1);
    CHECK((*file)->temporary_path().find("/.p.") != std::string::npos);
  }
  CHECK(folder.Names().empty());
}

TEST_CASE("targets that cannot be") {
  TemporaryFolder folder;
  CHECK(WriteWith(SystemCalls::Real(), "").message() == "cannot write a file without a name");
  CHECK(WriteWith(SystemCalls::Real(), folder.path().string()).message() ==
        folder.path().string() + ": is a directory");
  const std::string orphan = folder / "gone" + "/p";
  CHECK(WriteWith(SystemCalls::Real(), orphan).message() ==
        orphan + ": cannot write: No such file or directory");
}

TEST_CASE("the folder vanishes while we write") {
  TemporaryFolder folder;
  const std::string gone = folder / "gone";
  fs::create_directory(gone);
  auto file = AtomicFile::Create(gone + "/p");
  REQUIRE(file.ok());
  fs::remove_all(gone);
  REQUIRE((*file)->Write("x").ok());
  CHECK((*file)->Commit().message() ==
        gone + "/p: cannot put the new file in place: No such file or directory");
}

TEST_CASE("links are followed, long names are shortened, devices are written directly") {
  TemporaryFolder folder;
  Put(folder / "real", "old");
  fs::create_symlink("real", folder / "link");
  REQUIRE(WriteWith(SystemCalls::Real(), folder / "link").message() == "");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(Get(folder / "real") == "new text");
  const std::string long_name = folder / std::string(255, 'x');
  CHECK(WriteWith(SystemCalls::Real(), long_name).message() == "");
  CHECK(WriteWith(SystemCalls::Real(), "/dev/null").message() == "");
}

TEST_CASE("a link to a file that is not there yet makes that file and stays a link") {
  TemporaryFolder folder;
  fs::create_directory(folder / "d");
  fs::create_symlink("d/second", folder / "first");
  fs::create_symlink("../real", folder / "d/second");
  REQUIRE(WriteWith(SystemCalls::Real(), folder / "first").message() == "");
  CHECK(fs::is_symlink(folder / "first"));
  CHECK(fs::is_symlink(folder / "d/second"));
  CHECK(Get(folder / "real") == "new text");
  CHECK(folder.Names() == std::vector<std::string>{"d", "first", "real"});

  fs::create_symlink("gone/p", folder / "nowhere");
  CHECK(WriteWith(SystemCalls::Real(), folder / "nowhere").message() ==
        folder / "nowhere" + ": cannot write: No such file or directory");
  fs::create_symlink("loop", folder / "loop");
  CHECK(WriteWith(SystemCalls::Real(), folder / "loop").message() ==
        folder / "loop" + ": cannot write: " + std::strerror(ELOOP));
}

TEST_CASE("a file that others may not read is never readable for them, not for a moment") {
  TemporaryFolder folder;
  const std::string path = folder / "p";
  Put(path, "old");
  fs::permissions(path, fs::perms(0600));
  const mode_t umask_before = umask(022);
  const auto secret = AtomicFile::Create(path);
  const auto fresh = AtomicFile::Create(folder / "new");
  umask(umask_before);
  REQUIRE(secret.ok());
  REQUIRE(fresh.ok());
  CHECK(fs::status((*secret)->temporary_path()).permissions() == fs::perms(0600));
  CHECK(fs::status((*fresh)->temporary_path()).permissions() == fs::perms(0644));
}

// The text of the file that a descriptor leads to, from its beginning.
std::string TextBehind(int fd) {
  char text[100];
  const ssize_t size = ::pread(fd, text, sizeof(text), 0);
  return {text, static_cast<size_t>(std::max<ssize_t>(size, 0))};
}

TEST_CASE("a name of an open descriptor of ours is that descriptor, at its position") {
  TemporaryFolder folder;
  const std::string path = folder / "log";
  const std::string before = "before ";
  for (const bool unlinked : {false, true}) {
    INFO(unlinked);
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0);
    REQUIRE(::write(fd, before.data(), before.size()) == 7);
    if (unlinked) fs::remove(path);
    const std::string number = std::to_string(fd);
    fs::create_symlink("/proc/self/fd/" + number, folder / "link");
    std::string expected = before;
    for (const std::string& name :
         {"/dev/fd/" + number, "/proc/" + std::to_string(getpid()) + "/fd/" + number,
          "/proc/thread-self/fd/" + number, folder / "link"}) {
      INFO(name);
      CHECK(WriteWith(SystemCalls::Real(), name).message() == "");
      expected += "new text";
      CHECK(TextBehind(fd) == expected);
    }
    CHECK(::write(fd, " after", 6) == 6);
    CHECK(TextBehind(fd) == expected + " after");
    CHECK(fs::is_symlink(folder / "link"));
    CHECK(fs::exists(path) == !unlinked);
    CHECK(folder.Names().size() == (unlinked ? 1 : 2));
    fs::remove(folder / "link");

    FailingCalls calls("dup", 1, EMFILE);
    CHECK(WriteWith(calls, "/dev/fd/" + number).message() ==
          "/dev/fd/" + number + ": cannot open: " + std::strerror(EMFILE));
    ::close(fd);
    CHECK(WriteWith(SystemCalls::Real(), "/dev/fd/" + number).message() ==
          "/dev/fd/" + number + ": cannot write: Bad file descriptor");
  }
}

TEST_CASE("a file that another process has open is not replaced under its feet") {
  TemporaryFolder folder;
  Put(folder / "log", "old");
  const int fd = ::open((folder / "log").c_str(), O_RDWR);
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const std::string name = "/proc/" + std::to_string(child) + "/fd/" + std::to_string(fd);
  CHECK(WriteWith(SystemCalls::Real(), name).message() ==
        name + ": is a name of an open file, which cannot be replaced");
  CHECK(Get(folder / "log") == "old");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(fd);
}

// Of a system on which time passes at once.
class Impatient final : public SystemCalls {
 public:
  int Poll(int /*fd*/, short /*events*/, int most_ms) override {
    waited_ms += most_ms;
    return 0;
  }
  int waited_ms = 0;
};

TEST_CASE("a pipe without a reader, or with one that does not read, is given up") {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  Impatient calls;
  CHECK(WriteWith(calls, path).message() ==
        path + ": cannot open: it is a named pipe, and no process reads it");
  CHECK(calls.waited_ms == 20'000);
  const int ends = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
  const std::string page(4096, 'x');
  while (::write(ends, page.data(), page.size()) > 0) {
  }
  calls.waited_ms = 0;
  CHECK(WriteWith(calls, path).message() == path + ": cannot write: its reader takes nothing");
  CHECK(calls.waited_ms == 20'000);
  ::close(ends);
}

TEST_CASE("a pipe that is read slowly gets everything") {
  TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string text(300'000, 'x');  // more than a pipe holds
  size_t got = 0;
  std::thread reader([&] {
    ::poll(nullptr, 0, 50);  // it comes late, too
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    char part[10'000];
    for (ssize_t count = 1; (count = ::read(fd, part, sizeof part)) > 0;)
      got += static_cast<size_t>(count);
    ::close(fd);
  });
  {
    Result<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path);
    CHECK(file.status().message().empty());
    CHECK((*file)->Write(text).message().empty());
    CHECK((*file)->Commit().message().empty());
  }
  reader.join();
  CHECK(got == text.size());
}

TEST_CASE("a full disk") {
  if (::access("/dev/full", W_OK) != 0) return;
  const Result<WriteReport> report = WriteProfileFile(MakeRandomProfile(1), {}, "/dev/full");
  CHECK(report.status().message() == "/dev/full: cannot write: No space left on device");
}

TEST_CASE("a profile is replaced whole") {
  TemporaryFolder folder;
  const std::string path = folder / "p.json";
  Put(path, "old");
  REQUIRE(WriteProfileFile(MakeShapedProfile(1, 1), {}, path).ok());
  CHECK(Get(path) == *WriteProfileText(MakeShapedProfile(1, 1)));
  CHECK(folder.Names() == std::vector<std::string>{"p.json"});
}

}  // namespace
}  // namespace iprof
