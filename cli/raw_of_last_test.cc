// Plays both the program that has ended and the tool that has saved its profile.
#include "cli/raw_of_last.h"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "writer/base/temporary_folder.h"
#include "writer/control/command.h"
#include "writer/raw/raw_format.h"

namespace iprof::cli {
namespace {

namespace fs = std::filesystem;

OwnedFd Folder(const char* path) { return OwnedFd(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)); }

// This process.
jvm::JvmTarget Target() {
  Result<jvm::Process> process = jvm::Process::Open(getpid());
  REQUIRE(process.ok());
  Result<jvm::ProcessStatus> status = process->ReadStatus();
  REQUIRE(status.ok());
  return {.process = std::move(*process),
          .status = std::move(*status),
          .jvm = {},
          .root = Folder("/"),
          .tmp = Folder("/tmp"),
          .cwd = {}};
}

TEST_CASE("a raw file in the user's folder goes when its profile is saved") {
  const jvm::JvmTarget target = Target();
  const Result<jvm::PrivateFolder> folder = jvm::PrivateFolder::Make(target);
  REQUIRE(folder.ok());
  const TemporaryFolder users;
  const fs::path raw = users.path() / "u.iraw";
  const auto leave = [&] { fs::create_symlink(raw, folder->PathOf(control::kRawOfLast)); };
  const std::string magic(kRawMagic.begin(), kRawMagic.end());
  SECTION("it does") {
    std::ofstream(raw) << magic << "and more";
    leave();
    CHECK(RemoveRawOfLast(target, *folder) == std::nullopt);
    CHECK_FALSE(fs::exists(raw));
  }
  SECTION("the agent has left none") {
    std::ofstream(raw) << magic << "of another JVM";
    CHECK(RemoveRawOfLast(target, *folder) == std::nullopt);
    CHECK(fs::exists(raw));
  }
  SECTION("another file with its name stays") {
    std::ofstream(raw) << "and is no raw file";
    leave();
    CHECK(RemoveRawOfLast(target, *folder) == raw.string());
    CHECK(fs::exists(raw));
  }
  SECTION("so does what a link leads to") {
    const fs::path other = users.path() / "other.iraw";
    std::ofstream(other) << magic << "of another JVM";
    fs::create_symlink(other, raw);
    leave();
    CHECK(RemoveRawOfLast(target, *folder) == raw.string());
    CHECK(fs::exists(other));
  }
  SECTION("its folder cannot be reached any more") {
    fs::remove_all(users.path());
    leave();
    CHECK(RemoveRawOfLast(target, *folder) == raw.string());
  }
}

}  // namespace
}  // namespace iprof::cli
