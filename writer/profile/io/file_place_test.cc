// Which symbolic links are followed, and that nothing can be exchanged between check and use. Uses
// two users if it runs as root.
#include "writer/profile/io/file_place.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "writer/base/temporary_folder.h"
#include "writer/profile/io/atomic_file.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kMe = 4001;  // neither id needs an account
constexpr uid_t kOther = 4002;

// A sticky folder that all users may write to, like /tmp.
class SharedFolder {
 public:
  SharedFolder() { REQUIRE(chmod(folder_.path().c_str(), 01777) == 0); }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

void Link(const std::string& target, const std::string& link, uid_t owner) {
  fs::create_symlink(target, link);
  REQUIRE(lchown(link.c_str(), owner, static_cast<gid_t>(-1)) == 0);
}

std::string TextOf(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string Write(const std::string& path) {
  Result<std::unique_ptr<AtomicFile>> file = AtomicFile::Create(path);
  if (!file.ok()) return file.status().message();
  if (const Status status = (*file)->Write("new"); !status.ok()) return status.message();
  return (*file)->Commit().message();
}

// The result of `act` when another user runs it.
std::string AsUser(uid_t user, const std::function<std::string()>& act) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string text = setuid(user) == 0 ? act() : "cannot become that user";
    _exit(write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  char text[4096];
  const ssize_t size = read(ends[0], text, sizeof(text));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return {text, size < 0 ? 0 : static_cast<size_t>(size)};
}

bool IsRoot() {
  if (geteuid() == 0) return true;
  WARN("skipped: only root can make links of other users");
  return false;
}

std::string Refusal(const std::string& path, const std::string& link) {
  return path + ": cannot write: the link '" + link + "' belongs to another user (uid " +
         std::to_string(kOther) + ") and is not followed";
}

TEST_CASE("another user's link is not followed: as the file, as a folder, through another link") {
  if (!IsRoot()) return;
  for (const uid_t writer : {uid_t{0}, kMe}) {
    INFO("written by " << writer);
    SharedFolder folder;
    fs::create_directory(folder / "mine");
    REQUIRE(chown((folder / "mine").c_str(), writer, static_cast<gid_t>(-1)) == 0);
    std::ofstream(folder / "mine/precious") << "old";
    REQUIRE(chown((folder / "mine/precious").c_str(), writer, static_cast<gid_t>(-1)) == 0);
    Link("mine/precious", folder / "file", kOther);
    Link("mine/new", folder / "dangling", kOther);
    Link("mine", folder / "folder", kOther);
    Link("file", folder / "first", writer);
    const auto written = [&](const std::string& path) {
      return AsUser(writer, [&] { return Write(path); });
    };
    CHECK(written(folder / "file") == Refusal(folder / "file", folder / "file"));
    CHECK(written(folder / "dangling") == Refusal(folder / "dangling", folder / "dangling"));
    CHECK(written(folder / "folder/precious") ==
          Refusal(folder / "folder/precious", folder / "folder"));
    CHECK(written(folder / "first") == Refusal(folder / "first", folder / "file"));
    // The link does not affect paths without links.
    CHECK(written(folder / "mine/plain") == "");
    CHECK(TextOf(folder / "mine/precious") == "old");
    CHECK_FALSE(fs::exists(folder / "mine/new"));
  }
}

TEST_CASE("links of this user and of root are followed in folders of every mode") {
  SharedFolder folder;
  const uid_t me = geteuid() == 0 ? kMe : geteuid();
  for (const uid_t owner : {me, uid_t{0}}) {
    if (owner != geteuid() && !IsRoot()) continue;
    INFO("links of " << owner);
    fs::create_directory(folder / "mine");
    REQUIRE(chown((folder / "mine").c_str(), me, static_cast<gid_t>(-1)) == 0);
    Link("mine/old", folder / "file", owner);
    Link(folder / "mine", folder / "folder", owner);
    const auto written = [&](const std::string& path) {
      return AsUser(me, [&] { return Write(path); });
    };
    CHECK(written(folder / "file") == "");  // a link to a file that does not exist yet
    CHECK(written(folder / "file") == "");
    CHECK(TextOf(folder / "mine/old") == "new");
    CHECK(written(folder / "folder/by-folder") == "");
    CHECK(TextOf(folder / "mine/by-folder") == "new");
    CHECK(fs::is_symlink(folder / "file"));
    for (const char* name : {"mine", "file", "folder"}) fs::remove_all(folder / name);
  }
}

TEST_CASE("a link that is put in place after the check is not followed") {
  SharedFolder folder;
  fs::create_directory(folder / "victim");
  std::ofstream(folder / "victim/p") << "old";
  SECTION("the file by a link: the link is replaced") {
    fs::create_directory(folder / "out");
    auto file = AtomicFile::Create(folder / "out/p");
    REQUIRE(file.ok());
    fs::create_symlink("../victim/p", folder / "out/p");
    REQUIRE((*file)->Write("new").ok());
    REQUIRE((*file)->Commit().message() == "");
    CHECK_FALSE(fs::is_symlink(folder / "out/p"));
    CHECK(TextOf(folder / "out/p") == "new");
  }
  SECTION("the folder by a link: the file is made in the folder that was looked at") {
    fs::create_directory(folder / "out");
    auto file = AtomicFile::Create(folder / "out/p");
    REQUIRE(file.ok());
    fs::rename(folder / "out", folder / "moved");
    fs::create_symlink("victim", folder / "out");
    REQUIRE((*file)->Write("new").ok());
    REQUIRE((*file)->Commit().message() == "");
    CHECK(TextOf(folder / "moved/p") == "new");
  }
  CHECK(TextOf(folder / "victim/p") == "old");
}

// Replaces the device after it was checked and before it is opened.
class ExchangingCalls final : public SystemCalls {
 public:
  explicit ExchangingCalls(std::string path) : path_(std::move(path)) {}
  int Openat(int folder, const char* name, int flags, mode_t mode) override {
    fs::remove(path_);
    if (mkfifo(path_.c_str(), 0600) != 0) return -1;
    const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int fd = SystemCalls::Openat(folder, name, flags, mode);
    ::close(reader);
    return fd;
  }

 private:
  const std::string path_;
};

TEST_CASE("a pipe that was exchanged before it was opened is not written") {
  SharedFolder folder;
  REQUIRE(mkfifo((folder / "p").c_str(), 0600) == 0);
  const int keeps_the_number = ::open((folder / "p").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  ExchangingCalls calls(folder / "p");
  CHECK(AtomicFile::Create(folder / "p", calls).status().message() ==
        (folder / "p") + ": was replaced while it was opened");
  ::close(keeps_the_number);
}

TEST_CASE("a place knows its folder and name, through links, dots and the kernel's names") {
  SharedFolder folder;
  fs::create_directories(folder / "a/b");
  fs::create_symlink("a/./b//", folder / "link");
  fs::create_symlink("link/../c", folder / "file");
  const auto place = FilePlace::Find(folder / "file");
  REQUIRE(place.ok());
  CHECK(place->name() == "c");
  CHECK_FALSE(place->found());
  struct stat here {};
  struct stat expected {};
  REQUIRE(fstat(place->folder(), &here) == 0);
  REQUIRE(stat((folder / "a").c_str(), &expected) == 0);
  CHECK(here.st_ino == expected.st_ino);

  const auto in_root = FilePlace::Find("/proc/self/root/dev/null");
  REQUIRE(in_root.ok());
  CHECK(in_root->found());
  const auto output = FilePlace::Find("/dev/stdout");
  REQUIRE(output.ok());
  REQUIRE(output->descriptor());
  CHECK(output->descriptor()->number == 1);
  CHECK(output->descriptor()->ours);
}

TEST_CASE("a name in an open folder leads to the same place as the whole path") {
  const SharedFolder shared;
  fs::create_directory(shared / "real");
  std::ofstream(shared / "real/file") << "old";
  fs::create_symlink("real/file", shared / "link");
  const Result<OwnedFd> folder = FilePlace::FindFolder(shared / "", MissingFolders::kFail);
  REQUIRE(folder.ok());
  for (const std::string name : {"link", "new", "real"}) {
    const Result<FilePlace> whole = FilePlace::Find(shared / name);
    const Result<FilePlace> within = FilePlace::FindIn(*folder, shared / "..", name);
    REQUIRE(whole.ok());
    REQUIRE(within.ok());
    CHECK(within->name() == whole->name());
    CHECK(within->found().has_value() == whole->found().has_value());
    struct stat one {};
    struct stat other {};
    REQUIRE(fstat(whole->folder(), &one) == 0);
    REQUIRE(fstat(within->folder(), &other) == 0);
    CHECK(one.st_ino == other.st_ino);
  }
  CHECK_FALSE(FilePlace::FindIn(*folder, shared / "", "..").ok());
  CHECK_FALSE(FilePlace::FindIn(*folder, shared / "", "").ok());
}

TEST_CASE("paths that lead to no file say why") {
  SharedFolder folder;
  std::ofstream(folder / "file") << "x";
  fs::create_symlink("loop", folder / "loop");
  const auto why = [&](const std::string& path) {
    return FilePlace::Find(path).status().message();
  };
  CHECK(why("") == "No such file or directory");
  CHECK(why("/") == "Is a directory");
  CHECK(why(folder / "x/") == "Is a directory");
  CHECK(why(folder / "x/..") == "No such file or directory");
  CHECK(why(folder / "file/x") == "Not a directory");
  CHECK(why(folder / "gone/x") == "No such file or directory");
  CHECK(why(folder / "loop") == std::strerror(ELOOP));
  CHECK(why(folder / "loop/x") == std::strerror(ELOOP));
}

TEST_CASE("missing folders are created in the path, not behind a link") {
  SharedFolder folder;
  const int open_before = ::dup(0);
  REQUIRE(FilePlace::FindFolder(folder / "a/b/c", MissingFolders::kMake).ok());
  CHECK(fs::is_directory(folder / "a/b/c"));
  CHECK(FilePlace::FindFolder(folder / "x", MissingFolders::kFail).status().message() ==
        "No such file or directory");
  fs::create_symlink("gone", folder / "link");
  CHECK_FALSE(FilePlace::FindFolder(folder / "link/d", MissingFolders::kMake).ok());
  CHECK_FALSE(fs::exists(folder / "gone"));
  // No descriptor of all this is left open.
  const int open_after = ::dup(0);
  CHECK(open_after == open_before + 1);
  ::close(open_after);
  ::close(open_before);
}

}  // namespace
}  // namespace iprof
