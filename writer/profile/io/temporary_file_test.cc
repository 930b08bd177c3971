#include "writer/profile/io/temporary_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "writer/base/temporary_folder.h"
#include "writer/profile/io/atomic_file.h"

namespace iprof {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : fd_(::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {}
  ~Folder() { ::close(fd_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  int fd() const { return fd_; }
  const fs::path& path() const { return folder_.path(); }

  // A file that was written so long ago.
  void Add(const std::string& name, int age_s) const {
    folder_.Write(name, "x");
    timespec times[2]{};
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = std::time(nullptr) - age_s;
    REQUIRE(::utimensat(fd_, name.c_str(), times, 0) == 0);
  }
  bool Has(const std::string& name) const { return fs::exists(fs::symlink_status(path() / name)); }

 private:
  const TemporaryFolder folder_;
  const int fd_;
};

TEST_CASE("what a killed process left is removed, and nothing else") {
  const Folder folder;
  const std::string left = ".app.iprof.4711.0.tmp";
  folder.Add(left, 3600);
  const std::string others[] = {
      "app.iprof",           ".app.iprof.tmp",       ".app.iprof.x.0.tmp",
      ".app.iprof.4711.tmp", ".app.iprof.1.2.3.tmp", ".b.iprof.4711.0.tmp",
      ".app.iprof.1..tmp",   ".app.iprof.lock",      "app.iprof.1.0.tmp"};
  for (const std::string& other : others) folder.Add(other, 3600);
  const std::string young = ".app.iprof.4711.1.tmp";
  folder.Add(young, 0);
  const std::string link = ".app.iprof.4711.2.tmp";
  fs::create_symlink("app.iprof", folder.path() / link);

  const std::string held = ".app.iprof.4711.3.tmp";
  folder.Add(held, 3600);
  const int holder = ::openat(folder.fd(), held.c_str(), O_RDONLY | O_CLOEXEC);
  HoldTemporary(holder, SystemCalls::Real());

  RemoveAbandonedTemporaries(folder.fd(), "app.iprof");
  CHECK_FALSE(folder.Has(left));
  for (const std::string& other : others) {
    INFO(other);
    CHECK(folder.Has(other));
  }
  CHECK(folder.Has(young));
  CHECK(folder.Has(link));
  CHECK(folder.Has(held));
  ::close(holder);
  RemoveAbandonedTemporaries(folder.fd(), "app.iprof");
  CHECK_FALSE(folder.Has(held));
}

TEST_CASE("whoever writes a file removes what was left of it, and holds its own") {
  const Folder folder;
  const std::string left = ".app.iprof.4711.0.tmp";
  folder.Add(left, 3600);
  auto file = AtomicFile::Create((folder.path() / "app.iprof").string());
  REQUIRE(file.ok());
  CHECK_FALSE(folder.Has(left));
  const std::string ours = fs::path((*file)->temporary_path()).filename().string();
  REQUIRE((*file)->Write("text").ok());
  folder.Add(ours, 3600);  // as if it took an hour
  RemoveAbandonedTemporaries(folder.fd(), "app.iprof");
  CHECK(folder.Has(ours));
  CHECK((*file)->Commit().ok());
  CHECK(folder.Has("app.iprof"));
}

TEST_CASE("a long name is shortened") {
  const std::string name = TemporaryNameFor(std::string(250, 'n'), 7);
  CHECK(name.size() < 150);
  CHECK(name.ends_with(".7.tmp"));
}

}  // namespace
}  // namespace iprof
