#include "writer/base/open_file.h"

#include <poll.h>
#include <signal.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "writer/base/odd_files.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

std::string Reason(const std::string& path, int flags, FileKind kind) {
  const Result<OwnedFd> file = OpenFile(path, flags, kind);
  CHECK(file.ok() == file.status().message().empty());
  return file.status().message();
}

std::string OthersPipe() {
  return "it is a named pipe of another user (uid " + std::to_string(kOtherUser) + ")";
}

TEST_CASE("only a regular file is taken for one, and nothing is waited for") {
  const OddFiles odd;
  const std::map<OddKind, std::string> expected = {
      {OddKind::kPipe, "it is a named pipe"}, {OddKind::kOthersPipe, "it is a named pipe"},
      {OddKind::kSocket, "it is a socket"},   {OddKind::kFolder, "it is a directory"},
      {OddKind::kDevice, "it is a device"},   {OddKind::kDangling, std::strerror(ENOENT)},
      {OddKind::kLoop, std::strerror(ELOOP)},
  };
  for (const OddFile& file : odd.all()) {
    INFO(file.path);
    for (const int flags : {O_RDONLY, O_WRONLY, O_RDWR | O_APPEND}) {
      CHECK(Reason(file.path, flags, FileKind::kRegular) == expected.at(file.kind));
    }
    CHECK_FALSE(OpenFile(file.path, O_WRONLY | O_CREAT | O_EXCL, FileKind::kRegular).ok());
  }
}

TEST_CASE("a stream is what a user may name to read from or write to") {
  const OddFiles odd;
  for (const OddFile& file : odd.all()) {
    INFO(file.path);
    const std::string reading = Reason(file.path, O_RDONLY, FileKind::kStream);
    const std::string writing = Reason(file.path, O_WRONLY, FileKind::kStream);
    switch (file.kind) {
      case OddKind::kPipe:
        CHECK(reading.empty());
        CHECK(writing == "it is a named pipe, and no process reads it");
        break;
      case OddKind::kOthersPipe:
        CHECK(reading == OthersPipe());
        CHECK(writing == OthersPipe());
        break;
      case OddKind::kDevice:
        CHECK(reading.empty());
        CHECK(writing.empty());
        break;
      default:
        CHECK_FALSE(reading.empty());
        CHECK_FALSE(writing.empty());
    }
  }
}

TEST_CASE("another user's pipe is refused, also if somebody reads it") {
  const OddFiles odd;
  for (const OddFile& file : odd.all()) {
    if (file.kind != OddKind::kPipe && file.kind != OddKind::kOthersPipe) continue;
    const int reader = ::open(file.path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is_ours = file.kind == OddKind::kPipe;
    CHECK(Reason(file.path, O_WRONLY, FileKind::kStream) == (is_ours ? "" : OthersPipe()));
    ::close(reader);
  }
}

TEST_CASE("a folder is taken for a folder only") {
  const OddFiles odd;
  for (const OddFile& file : odd.all()) {
    INFO(file.path);
    const Result<OwnedFd> opened = OpenFile(file.path, O_RDONLY, FileKind::kFolder);
    CHECK(opened.ok() == (file.kind == OddKind::kFolder));
    const Result<OwnedFd> found = OpenFile(file.path, O_PATH, FileKind::kFolder);
    CHECK(found.ok() == (file.kind == OddKind::kFolder));
  }
  const TemporaryFolder folder;
  CHECK(Reason(folder.Write("file", "x"), O_RDONLY, FileKind::kFolder) == "it is not a folder");
  CHECK(errno == ENOTDIR);
}

TEST_CASE("links are not followed where they shall not be") {
  const TemporaryFolder folder;
  folder.Write("file", "text");
  fs::create_symlink("file", folder / "link");
  CHECK(Reason(folder / "link", O_RDONLY, FileKind::kRegular).empty());
  CHECK(Reason(folder / "link", O_RDONLY | O_NOFOLLOW, FileKind::kRegular) ==
        "it is a symbolic link");
  CHECK(errno == ELOOP);
}

TEST_CASE("the codes tell a wrong kind from a failure of the system") {
  const TemporaryFolder folder;
  CHECK(OpenFile(folder / "", O_RDONLY, FileKind::kRegular).status().code() == Code::kBadInput);
  CHECK(OpenFile(folder / "none", O_RDONLY, FileKind::kRegular).status().code() == Code::kIo);
  CHECK(errno == ENOENT);
}

// Puts a pipe at the name when the file was looked at and before it is opened.
class Exchanged final : public SystemCalls {
 public:
  explicit Exchanged(std::string path) : path_(std::move(path)) {}
  int Openat(int folder, const char* name, int flags, mode_t mode) override {
    fs::remove(path_);
    REQUIRE(::mkfifo(path_.c_str(), 0600) == 0);
    return SystemCalls::Openat(folder, name, flags, mode);
  }

 private:
  const std::string path_;
};

TEST_CASE("what was opened counts, not what was looked at") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("file", "text");
  Exchanged calls(path);
  CHECK(OpenFile(AT_FDCWD, path, O_RDONLY, FileKind::kRegular, 0, calls).status().message() ==
        "it is a named pipe");
}

class NoDevices final : public SystemCalls {
 public:
  int Openat(int, const char*, int, mode_t) override {
    FAIL("a device was opened");
    return -1;
  }
};

TEST_CASE("a device is not opened where a file was asked for") {
  NoDevices calls;
  CHECK(
      OpenFile(AT_FDCWD, "/dev/null", O_WRONLY, FileKind::kRegular, 0, calls).status().message() ==
      "it is a device");
}

TEST_CASE("a file with a lease is not waited for") {
  const TemporaryFolder folder;
  const std::string path = folder.Write("file", "text");
  const OwnedFd holder(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (::fcntl(holder.get(), F_SETLEASE, F_RDLCK) != 0) return;  // this file system has none
  ::fcntl(holder.get(), F_SETSIG, SIGURG);                      // which is ignored
  CHECK(Reason(path, O_WRONLY, FileKind::kRegular) == "another program has a lease on it");
}

TEST_CASE("the pipes of shells have no name, and no owner that matters") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  if (::geteuid() == 0) REQUIRE(::fchown(ends[0], kOtherUser, kOtherUser) == 0);
  const OwnedFd reader(ends[0]);
  OwnedFd writer(ends[1]);
  const Result<OwnedFd> file =
      OpenFile("/dev/fd/" + std::to_string(reader.get()), O_RDONLY, FileKind::kStream);
  CHECK(file.status().message().empty());
}

TEST_CASE("a pipe's reader waits for its writer, and then for its bytes") {
  const TemporaryFolder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kStream);
  REQUIRE(file.ok());
  std::thread writer([&] {
    const OwnedFd out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    CHECK(::write(out.get(), "first ", 6) == 6);
    ::poll(nullptr, 0, 20);
    CHECK(::write(out.get(), "second", 6) == 6);
  });
  WaitForWriter(file->get());
  std::string text;
  CHECK(ReadAll(file->get(), 100, text));
  CHECK(text == "first second");
  writer.join();
}

TEST_CASE("within a folder that is taken for the root") {
  const OddFiles odd;
  for (const OddFile& file : odd.all()) {
    INFO(file.path);
    const Result<OwnedFd> root =
        OpenFile(fs::path(file.path).parent_path(), O_PATH, FileKind::kFolder);
    REQUIRE(root.ok());
    for (const int flags : {O_RDONLY, O_WRONLY | O_NOFOLLOW, O_PATH})
      CHECK_FALSE(OpenWithin(root->get(), "/odd", flags, FileKind::kRegular).ok());
    CHECK(OpenWithin(root->get(), "/odd", O_RDONLY, FileKind::kFolder).ok() ==
          (file.kind == OddKind::kFolder));
  }
  const TemporaryFolder folder;
  folder.Write("passwd", "of the container");
  fs::create_symlink("/passwd", folder / "link");
  const Result<OwnedFd> root = OpenFile(folder.path(), O_PATH, FileKind::kFolder);
  const Result<OwnedFd> link = OpenWithin(root->get(), "link", O_RDONLY, FileKind::kRegular);
  REQUIRE(link.ok());
  std::string text;
  CHECK(ReadAll(link->get(), 100, text));
  CHECK(text == "of the container");
  CHECK_FALSE(OpenWithin(root->get(), "link", O_RDONLY | O_NOFOLLOW, FileKind::kRegular).ok());
}

TEST_CASE("the names in a folder") {
  const TemporaryFolder folder;
  CHECK(NamesIn(folder / "none").empty());
  CHECK(NamesIn(folder.path().string()).empty());
  folder.Write("a", "");
  CHECK(NamesIn(folder.path().string()) == std::vector<std::string>{"a"});
}

}  // namespace
}  // namespace iprof
