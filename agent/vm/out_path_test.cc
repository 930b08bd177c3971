#include "agent/vm/out_path.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace iprof;
using namespace iprof::vm;
namespace fs = std::filesystem;

namespace {

// A fresh folder that is the working directory until the end of the test.
class InTemporaryFolder {
 public:
  InTemporaryFolder() : before_(fs::current_path()) {
    std::string name = (fs::temp_directory_path() / "iprof-out-path.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder_ = fs::canonical(name);
    fs::current_path(folder_);
  }
  ~InTemporaryFolder() {
    fs::current_path(before_);
    fs::remove_all(folder_);
  }
  const fs::path& path() const { return folder_; }

 private:
  fs::path before_;
  fs::path folder_;
};

PathFacts Facts() {
  setenv("TZ", "UTC", 1);
  tzset();
  return PathFacts{.pid = 42, .host = "box", .start = 1'700'000'000};
}

}  // namespace

TEST_CASE("patterns stand for pid, host, start time and a percent sign") {
  CHECK(*ExpandPattern("plain.iprof", Facts()) == "plain.iprof");
  CHECK(*ExpandPattern("%h-%p-%t-100%%.iprof", Facts()) == "box-42-20231114-221320-100%.iprof");
}

TEST_CASE("an unknown pattern is named") {
  CHECK(ExpandPattern("a%x", Facts()).status().message() ==
        "'a%x' holds '%x', but only %p, %h, %t and %% are known");
  CHECK(ExpandPattern("a%", Facts()).status().message() ==
        "'a%' holds '%', but only %p, %h, %t and %% are known");
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
        "cannot make the folder '" + base + "/file': Not a directory");
  if (geteuid() != 0) {
    CHECK(ResolveOutPath("/proc/a.iprof", Facts()).status().message().find("/proc") !=
          std::string::npos);
  }
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

TEST_CASE("a reserved name was nobody's") {
  const InTemporaryFolder folder;
  const std::string path = (folder.path() / "app.iprof").string();
  CHECK(*ReserveUnusedName(path) == path);
  CHECK(*ReserveUnusedName(path) == NumberedName(path, 1));
  CHECK(*ReserveUnusedName(path) == NumberedName(path, 2));
  CHECK(fs::file_size(NumberedName(path, 2)) == 0);
  CHECK_FALSE(ReserveUnusedName((folder.path() / "no/app.iprof").string()).ok());
}
