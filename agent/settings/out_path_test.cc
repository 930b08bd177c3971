#include "agent/settings/out_path.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "writer/base/temporary_folder.h"

using namespace iprof;
using namespace iprof::vm;
namespace fs = std::filesystem;

namespace {

// A new folder that is the working directory until the end of the test.
class InTemporaryFolder {
 public:
  InTemporaryFolder() { fs::current_path(path_); }
  ~InTemporaryFolder() { fs::current_path(before_); }
  const fs::path& path() const { return path_; }

 private:
  const fs::path before_ = fs::current_path();
  const TemporaryFolder folder_;
  const fs::path path_ = fs::canonical(folder_.path());
};

PathFacts Facts() {
  setenv("TZ", "UTC", 1);
  tzset();
  return PathFacts{.pid = 42, .host = "box", .start = 1'700'000'000};
}

// What a user without special rights gets: the message of the failure, or the path.
std::string ResolvedByNobody(const std::string& pattern, OldFile old_file = OldFile::kIsWritten) {
  std::array<int, 2> ends{};
  REQUIRE(pipe(ends.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    std::string text = "cannot become nobody";
    if (geteuid() != 0 || setuid(kNobody) == 0) {
      const Result<std::string> path = ResolveOutPath(pattern, Facts(), old_file);
      text = path.ok() ? *path : path.status().message();
    }
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::array<char, 4096> text{};
  const ssize_t length = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return std::string(text.data(), static_cast<size_t>(std::max<ssize_t>(length, 0)));
}

}  // namespace

TEST_CASE("a ~ at the beginning is the home folder, as a shell would have it") {
  PathFacts facts = Facts();
  facts.home = "/home/ann%p";  // not a pattern
  CHECK(*ExpandPattern("~/p/%p.iprof", facts) == "/home/ann%p/p/42.iprof");
  CHECK(*ExpandPattern("~", facts) == "/home/ann%p");
  CHECK(*ExpandPattern("a/~/x", facts) == "a/~/x");
  CHECK(*ExpandPattern("a~", facts) == "a~");
  CHECK(*ExpandHome("~/old.iprof", facts) == "/home/ann%p/old.iprof");
  CHECK(*ExpandHome("old%p.iprof", facts) == "old%p.iprof");
  CHECK(ExpandPattern("~bob/x", facts).status().message() ==
        "'~bob' is the home of another user, which only a shell knows: write the folder's full "
        "name");
  facts.home.clear();
  CHECK(ExpandPattern("~/x", facts).status().message() ==
        "'~' is the home folder, and this JVM's environment has no HOME: write the folder's full "
        "name");
}

TEST_CASE("patterns stand for pid, host, start time and a percent sign") {
  CHECK(*ExpandPattern("plain.iprof", Facts()) == "plain.iprof");
  CHECK(*ExpandPattern("%h-%p-%t-100%%.iprof", Facts()) == "box-42-20231114-221320-100%.iprof");
}

TEST_CASE("an unknown pattern is named") {
  CHECK(ExpandPattern("a%x", Facts()).status().message() ==
        "'a%x' contains '%x', but only %p, %h, %t and %% are known");
  CHECK(ExpandPattern("a%", Facts()).status().message() ==
        "'a%' contains '%', but only %p, %h, %t and %% are known");
}

TEST_CASE("a path is fixed against the working directory at start, and its folders are made") {
  const InTemporaryFolder folder;
  const auto path = ResolveOutPath("deep/er/%p.iprof", Facts());
  REQUIRE(path.ok());
  CHECK(*path == (folder.path() / "deep/er/42.iprof").string());
  CHECK(fs::is_directory(folder.path() / "deep/er"));
  CHECK_FALSE(fs::exists(*path));
}

TEST_CASE("what cannot be written is refused at start, by name") {
  const InTemporaryFolder folder;
  fs::create_directory("folder");
  std::ofstream("file") << "x";
  const std::string base = folder.path().string();
  CHECK(ResolveOutPath("folder", Facts()).status().message() ==
        "'" + base + "/folder' is a folder, not a file");
  CHECK(ResolveOutPath("folder/", Facts()).status().message() ==
        "'" + base + "/folder/' is a folder, not a file");
  CHECK(ResolveOutPath("file/a.iprof", Facts()).status().message() ==
        "cannot create the folder '" + base + "/file': Not a directory");
}

TEST_CASE("what somebody else may write only is refused at start, not at the end") {
  const InTemporaryFolder folder;
  const std::string base = folder.path().string();
  fs::permissions(folder.path(), fs::perms::all);
  std::ofstream("old.iprof") << "x";
  fs::permissions("old.iprof", fs::perms::owner_read);
  CHECK(ResolvedByNobody("old.iprof") ==
        "cannot write '" + base + "/old.iprof': Permission denied");
  // With force=n it is not changed.
  CHECK(ResolvedByNobody("old.iprof", OldFile::kIsKept) == base + "/old.iprof");
  CHECK(ResolvedByNobody("new.iprof") == base + "/new.iprof");
  mkfifo("pipe", 0400);
  CHECK(ResolvedByNobody("pipe") == "cannot write '" + base + "/pipe': Permission denied");
  // The file that the link leads to is replaced.
  fs::create_directory("closed");
  std::ofstream("closed/old.iprof") << "x";
  fs::permissions("closed/old.iprof", fs::perms::all);
  chmod("closed", 0511);
  fs::create_symlink("closed/old.iprof", "link.iprof");
  CHECK(ResolvedByNobody("link.iprof") ==
        "cannot write into the folder '" + base + "/closed': Permission denied");
  CHECK(ResolvedByNobody("closed/new.iprof") ==
        "cannot write into the folder '" + base + "/closed': Permission denied");
  chmod("closed", 0000);
  CHECK(ResolvedByNobody("link.iprof") ==
        "cannot examine '" + base + "/link.iprof': Permission denied");
  chmod("closed", 0700);
}

TEST_CASE("a device may be written to although its folder may not") {
  CHECK(*ResolveOutPath("/dev/null", Facts()) == "/dev/null");
}

TEST_CASE("numbers stand before the suffix") {
  CHECK(NumberedName("/a/app.iprof", 1) == "/a/app.1.iprof");
  CHECK(NumberedName("/a/app.iprof.gz", 12) == "/a/app.12.iprof.gz");
  CHECK(NumberedName("/a.b/app", 1) == "/a.b/app.1");
  CHECK(NumberedName("/a/.iprof", 1) == "/a/.iprof.1");
  CHECK(NumberedName("x.y.json", 3) == "x.y.3.json");
}

TEST_CASE("a reserved name was not there before") {
  const InTemporaryFolder folder;
  const std::string path = (folder.path() / "app.iprof").string();
  CHECK(*ReserveUnusedName(path) == path);
  CHECK(*ReserveUnusedName(path) == NumberedName(path, 1));
  CHECK(*ReserveUnusedName(path) == NumberedName(path, 2));
  CHECK(fs::file_size(NumberedName(path, 2)) == 0);
  CHECK_FALSE(ReserveUnusedName((folder.path() / "no/app.iprof").string()).ok());
}

TEST_CASE("two spellings of one file") {
  const TemporaryFolder temporary;
  const fs::path& folder = temporary.path();
  fs::create_directory(folder / "d");
  fs::create_directory_symlink("d", folder / "e");
  fs::create_symlink("app.iprof", folder / "d" / "link");
  const std::string file = folder / "d" / "app.iprof";
  for (const bool is_there : {false, true}) {
    if (is_there) std::ofstream(file) << "x";
    for (const std::string same : {"d/app.iprof", "./d/app.iprof", "e/app.iprof", "d/link"})
      CHECK(LeadToOneFile(file, folder / same));
    for (const std::string other : {"app.iprof", "d/app.iraw", "none/app.iprof"})
      CHECK_FALSE(LeadToOneFile(file, folder / other));
  }
}

TEST_CASE("the raw file is beside the profile") {
  CHECK(RawPathBeside("/a/app.iprof") == "/a/app.iraw");
  CHECK(RawPathBeside("/a/app.iprof.gz") == "/a/app.iraw");
  CHECK(RawPathBeside("/a/app.7.iprof") == "/a/app.7.iraw");
  CHECK(RawPathBeside("/a/other.txt") == "/a/other.txt.iraw");
  CHECK(RawPathBeside("/a/.iprof") == "/a/.iprof.iraw");
  CHECK(RawPathBeside("/dev/null").empty());
  CHECK(NumberedName("/a/app.iraw", 3) == "/a/app.3.iraw");
}
