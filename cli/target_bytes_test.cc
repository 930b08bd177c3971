#include "cli/target_bytes.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "cli/jvm/target_wait.h"
#include "writer/base/temporary_folder.h"

namespace iprof::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLong{3'600'000};

OwnedFd Opened(const std::string& path) {
  Result<OwnedFd> file = OpenFile(path, O_RDONLY, FileKind::kRegular);
  REQUIRE(file.ok());
  return std::move(*file);
}

// The first failure, or what was read.
std::string ReadToEnd(TargetBytes& bytes) {
  std::string text;
  char part[4];
  while (true) {
    const Result<size_t> count = bytes.Read(part, sizeof part);
    if (!count.ok()) return count.status().message();
    if (*count == 0) return text;
    text.append(part, *count);
  }
}

TEST_CASE("a file that grows while it is read ends where it ended when it was opened") {
  const TemporaryFolder folder;
  const std::string path = folder / "profile.iprof";
  std::ofstream(path) << "0123456789";
  const OwnedFd file = Opened(path);
  TargetBytes bytes(file, "the profile", kLong);
  std::ofstream(path, std::ios::app) << "and so on";
  CHECK(ReadToEnd(bytes) == "0123456789");
}

TEST_CASE("a file that is cut while it is read ends there") {
  const TemporaryFolder folder;
  const std::string path = folder / "profile.iprof";
  std::ofstream(path) << "0123456789";
  const OwnedFd file = Opened(path);
  TargetBytes bytes(file, "the profile", kLong);
  std::ofstream(path) << "012";
  CHECK(ReadToEnd(bytes) == "012");
}

TEST_CASE("reading ends when the time is up") {
  const TemporaryFolder folder;
  std::ofstream(folder / "profile.iprof") << "0123456789";
  const OwnedFd file = Opened(folder / "profile.iprof");
  TargetBytes bytes(file, "the profile", milliseconds(0));
  CHECK(ReadToEnd(bytes) == "cannot read all of the profile within 0 s (--timeout)");
}

TEST_CASE("an interrupt ends what takes more than a second") {
  const TemporaryFolder folder;
  std::ofstream(folder / "profile.iprof") << "0123456789";
  const OwnedFd file = Opened(folder / "profile.iprof");
  const jvm::HeldSignals held;
  TargetBytes bytes(file, "the profile", kLong);
  raise(SIGINT);
  std::this_thread::sleep_for(milliseconds(1100));
  CHECK(ReadToEnd(bytes) == "interrupted while reading the profile");
  CHECK(jvm::HeldSignals::Take(milliseconds(0)) == SIGINT);
}

}  // namespace
}  // namespace iprof::cli
