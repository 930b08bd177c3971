// Which name a JVM gets while others have theirs. Claims of one process exclude each other like those of two.
#include "agent/settings/out_claim.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <vector>

#include "writer/base/temporary_folder.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;

OutClaim Take(const std::string& path, ClaimRule rule = ClaimRule::kReplace) {
  Result<OutClaim> claim = OutClaim::Take(path, rule);
  REQUIRE(claim.ok());
  return std::move(*claim);
}

TEST_CASE("the second live JVM gets a number, and a later one the name again") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  std::ofstream(path) << "old";
  OutClaim first = Take(path);
  CHECK(first.path() == path);
  CHECK(first.is_held());
  CHECK(first.why_numbered().empty());
  OutClaim second = Take(path);
  CHECK(second.path() == folder / "app.1.iprof");
  CHECK(second.why_numbered() == "another running process writes it");
  const OutClaim third = Take(path);
  CHECK(third.path() == folder / "app.2.iprof");
  second.Release();
  CHECK(second.path() == folder / "app.1.iprof");
  CHECK(Take(path).path() == folder / "app.1.iprof");
  first.Release();
  CHECK(Take(path).path() == path);
}

TEST_CASE("a claim leaves nothing behind") {
  const TemporaryFolder folder;
  {
    const OutClaim first = Take(folder / "app.iprof");
    const OutClaim second = Take(folder / "app.iprof");
    CHECK_FALSE(folder.IsEmpty());
  }
  CHECK(folder.IsEmpty());
}

TEST_CASE("the claim is on the file, by every path that leads to it") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_symlink("real", folder / "link");
  fs::create_symlink("real/app.iprof", folder / "alias.iprof");
  const OutClaim first = Take(folder / "real/app.iprof");
  CHECK(Take(folder / "link/app.iprof").path() == folder / "link/app.1.iprof");
  CHECK(Take(folder / "alias.iprof").path() == folder / "alias.1.iprof");
}

TEST_CASE("a numbered name that cannot be replaced is passed over") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  fs::create_directory(folder / "app.1.iprof");
  REQUIRE(mkfifo((folder / "app.2.iprof").c_str(), 0600) == 0);
  const OutClaim first = Take(path);
  CHECK(Take(path).path() == folder / "app.3.iprof");
}

TEST_CASE("with force=n and merge=y existing files are passed over") {
  const TemporaryFolder folder;
  const std::string path = folder / "app.iprof";
  CHECK(Take(path, ClaimRule::kUnused).path() == path);
  std::ofstream(path) << "old";
  CHECK(Take(path, ClaimRule::kUnused).path() == folder / "app.1.iprof");
  const OutClaim merging = Take(path, ClaimRule::kNumbered);
  CHECK(merging.path() == folder / "app.1.iprof");
  CHECK(merging.why_numbered().empty());
  std::ofstream(folder / "app.2.iprof") << "left by a JVM that was killed";
  CHECK(Take(path, ClaimRule::kNumbered).path() == folder / "app.3.iprof");
  // The name without a number stays free for a JVM that does not merge.
  CHECK(Take(path).path() == path);
}

TEST_CASE("a device or a pipe is for all") {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : std::vector<std::string>{"/dev/null", "/dev/fd/1", pipe}) {
    for (const ClaimRule rule : {ClaimRule::kReplace, ClaimRule::kNumbered}) {
      INFO(path);
      const OutClaim first = Take(path, rule);
      const OutClaim second = Take(path, rule);
      CHECK(first.path() == path);
      CHECK(second.path() == path);
      CHECK_FALSE(second.is_held());
      CHECK(second.problem().empty());
    }
  }
}

TEST_CASE("a folder that is gone gives the name without a claim") {
  const TemporaryFolder folder;
  const OutClaim claim = Take(folder / "gone/app.iprof");
  CHECK(claim.path() == folder / "gone/app.iprof");
  CHECK_FALSE(claim.is_held());
}

}  // namespace
}  // namespace iprof::vm
