#include "agent/vm/session/dump/profile_dump.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "writer/base/temporary_folder.h"
#include "writer/records/raw/raw_format.h"

using namespace iprof;
using namespace iprof::vm;
namespace fs = std::filesystem;

namespace {

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Profile SmallProfile() {
  Profile profile;
  profile.AddStandardTypes();
  const TypeIndex type = profile.AddType("a.B");
  const TypeIndex signature[] = {type, profile.AddType("void")};
  profile.AddMethod("run", signature);
  return profile;
}

}  // namespace

TEST_CASE("force=y replaces, force=n takes the next number and touches nothing") {
  const TemporaryFolder folder;
  const Profile profile = SmallProfile();
  const std::string path = folder / "app.iprof";
  CHECK(DumpProfile(profile, {.path = path, .overwrite = true, .format = {}})->path == path);
  const std::string written = TextOf(path);
  CHECK(written == *WriteProfileText(profile));
  std::ofstream(path) << "precious";
  CHECK(DumpProfile(profile, {.path = path, .overwrite = false, .format = {}})->path ==
        folder / "app.1.iprof");
  CHECK(DumpProfile(profile, {.path = path, .overwrite = false, .format = {}})->path ==
        folder / "app.2.iprof");
  CHECK(TextOf(path) == "precious");
  CHECK(TextOf(folder / "app.1.iprof") == written);
  CHECK(TextOf(folder / "app.2.iprof") == written);
}

TEST_CASE("a profile that cannot replace what took its name goes beside it") {
  const TemporaryFolder folder;
  const Profile profile = SmallProfile();
  const std::string path = folder / "app.iprof";
  fs::create_directory(path);
  const auto dumped = DumpProfile(profile, {.path = path, .overwrite = true, .format = {}});
  REQUIRE(dumped.ok());
  CHECK(dumped->path == folder / "app.1.iprof");
  CHECK(dumped->not_replaced.message() == path + ": is a directory");
  CHECK(TextOf(dumped->path) == *WriteProfileText(profile));
  CHECK(fs::is_empty(path));
}

TEST_CASE("a raw file that has the profile's name is not replaced") {
  const TemporaryFolder folder;
  const std::string path = folder / "killed.iraw";
  std::string raw(kRawMagic.begin(), kRawMagic.end());
  raw += "and what was counted";
  std::ofstream(path, std::ios::binary) << raw;
  const auto dumped = DumpProfile(SmallProfile(), {.path = path, .overwrite = true, .format = {}});
  REQUIRE(dumped.ok());
  CHECK(dumped->path == folder / "killed.1.iraw");
  CHECK(dumped->not_replaced.message() ==
        path + ": is a raw file, which the profile would replace");
  CHECK(TextOf(path) == raw);
  CHECK(TextOf(dumped->path) == *WriteProfileText(SmallProfile()));
}

TEST_CASE("nothing is made beside a device") {
  const auto dumped =
      DumpProfile(SmallProfile(), {.path = "/dev/full", .overwrite = true, .format = {}});
  CHECK(dumped.status().message().find("/dev/full: ") == 0);
  CHECK_FALSE(fs::exists("/dev/full.1"));
}

TEST_CASE("a profile that cannot be written leaves nothing behind") {
  const TemporaryFolder folder;
  const auto written = DumpProfile(
      SmallProfile(), {.path = folder / "gone/app.iprof", .overwrite = true, .format = {}});
  CHECK(written.status().code() == Code::kIo);
  CHECK_FALSE(fs::exists(folder / "gone"));
}
