#include "agent/vm/session/control/doorbell.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "writer/control/command.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

std::string NewFile(const std::string& text, fs::perms permissions) {
  const std::string path = "/tmp/iprof_doorbell_test" + std::to_string(getpid());
  fs::remove(path);
  std::ofstream(path) << text;
  fs::permissions(path, permissions);
  return path;
}

constexpr fs::perms kPrivate = fs::perms::owner_read | fs::perms::owner_write;

}  // namespace

TEST_CASE("A command is taken once", "[doorbell]") {
  const std::string path = NewFile("command=status\n", kPrivate);
  CHECK(TakeDoorbell(path) == "command=status");
  CHECK_FALSE(fs::exists(path));
  CHECK_FALSE(TakeDoorbell(path).has_value());
}

TEST_CASE("Files that others could have written are left alone", "[doorbell]") {
  const std::string open = NewFile("command=stop", kPrivate | fs::perms::group_write);
  CHECK_FALSE(TakeDoorbell(open).has_value());
  CHECK(fs::exists(open));
  const std::string target = NewFile("command=stop", kPrivate);
  const std::string link = target + ".link";
  fs::remove(link);
  fs::create_symlink(target, link);
  CHECK_FALSE(TakeDoorbell(link).has_value());
  CHECK(fs::exists(target));
  fs::remove(link);
  fs::create_hard_link(target, link);
  CHECK_FALSE(TakeDoorbell(target).has_value());
  fs::remove(link);
  fs::remove(target);
}

TEST_CASE("Neither pipes nor long files are read", "[doorbell]") {
  const std::string pipe = "/tmp/iprof_doorbell_pipe" + std::to_string(getpid());
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_FALSE(TakeDoorbell(pipe).has_value());
  fs::remove(pipe);
  const std::string path = NewFile(std::string(control::kLongestCommand + 1, 'x'), kPrivate);
  CHECK_FALSE(TakeDoorbell(path).has_value());
  fs::remove(path);
}

}  // namespace iprof::vm
