// What tools that were killed left in a JVM's /tmp is removed by a later one, and nothing else is.
#include "cli/jvm/left_behind.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/private_folder.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr uid_t kSomebody = 65534;

// A file or folder of the target's user that is as old as said.
void Age(const std::string& path, std::chrono::seconds age) {
  REQUIRE(lchown(path.c_str(), kSomebody, kSomebody) == 0);
  fs::last_write_time(path, fs::file_time_type::clock::now() - age);
}

std::string MakeFolder(const std::string& path, std::chrono::seconds age) {
  fs::create_directory(path);
  std::ofstream(path + "/profile.iprof") << "x";
  Age(path, age);
  return path;
}

bool IsRoot() {
  if (geteuid() == 0) return true;
  WARN("not root: a JVM in a root of its own is not tested");
  return false;
}

// In a root of its own, so that other tests' tools see nothing of it.
FakeJvm::Part InOwnRoot() {
  FakeJvm::Part part;
  part.in_own_root = true;
  part.uid = kSomebody;
  return part;
}

constexpr auto kOld = kLeftBehindAfter + 60s;
constexpr auto kFresh = kLeftBehindAfter - 60s;

// A private folder's path, by a path of this process.
std::string PathOf(const FakeJvm& fake, const PrivateFolder& folder) {
  return fake.tmp() + folder.path().substr(4);
}

}  // namespace

TEST_CASE("the next tool removes what killed ones left") {
  if (!IsRoot()) return;
  const FakeJvm fake(InOwnRoot());
  const std::string old = MakeFolder(fake.tmp() + "/.iprof-0123456789abcdef", kOld);
  const std::string fresh = MakeFolder(fake.tmp() + "/.iprof-0123456789abcde0", kFresh);
  const std::string command = fake.tmp() + "/.iprof_command7";
  std::ofstream(command) << "command=stop";
  Age(command, kOld);
  const auto target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  {
    const auto made = PrivateFolder::Make(*target);
    REQUIRE(made.ok());
    CHECK_FALSE(fs::exists(old));
    CHECK_FALSE(fs::exists(command));
    CHECK(fs::exists(fresh));
    // Its tool lives, however old it is.
    const std::string in_use = PathOf(fake, *made);
    Age(in_use, kOld);
    RemoveLeftBehind(*target);
    CHECK(fs::exists(in_use));
  }
  Age(fresh, kOld);
  RemoveLeftBehind(*target);
  CHECK(fake.IsTidy());
  CHECK(geteuid() == 0);
}

TEST_CASE("what is not ours is left alone, however old") {
  if (!IsRoot()) return;
  const FakeJvm fake(InOwnRoot());
  const std::string of_root = MakeFolder(fake.tmp() + "/.iprof-1123456789abcdef", kOld);
  REQUIRE(chown(of_root.c_str(), 0, 0) == 0);
  const std::string other_name = MakeFolder(fake.tmp() + "/.iprof-not-ours", kOld);
  const std::string aim = MakeFolder(fake.tmp() + "/aim", kOld);
  const std::string link = fake.tmp() + "/.iprof-2123456789abcdef";
  fs::create_directory_symlink("aim", link);
  const auto target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  RemoveLeftBehind(*target);
  for (const std::string& kept : {of_root, other_name, aim, link}) CHECK(fs::exists(kept));
  CHECK(fs::exists(aim + "/profile.iprof"));
}

TEST_CASE("a folder that is kept stays until it is old") {
  if (!IsRoot()) return;
  const FakeJvm fake(InOwnRoot());
  const auto target = JvmTarget::Open(fake.pid(), 60s);
  REQUIRE(target.ok());
  std::string kept;
  {
    auto made = PrivateFolder::Make(*target);
    REQUIRE(made.ok());
    kept = PathOf(fake, *made);
    made->Keep();
  }
  RemoveLeftBehind(*target);
  CHECK(fs::exists(kept));
  Age(kept, kOld);
  RemoveLeftBehind(*target);
  CHECK_FALSE(fs::exists(kept));
}

}  // namespace iprof::jvm
