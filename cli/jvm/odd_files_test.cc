// What a target's user may put into the folders in which the tool works: it can make the tool fail, but not wait.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "cli/jvm/control_socket.h"
#include "cli/jvm/doorbell.h"
#include "cli/jvm/fake_jvm.h"
#include "cli/jvm/jvm_connection.h"
#include "cli/jvm/jvm_target.h"
#include "cli/jvm/left_behind.h"
#include "cli/jvm/placed_library.h"
#include "cli/jvm/private_folder.h"
#include "cli/jvm/running_jvm.h"
#include "writer/base/odd_files.h"

namespace iprof::jvm {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr AttachTimeouts kPatient{60s, 60s};

std::string WhyNot(const FakeJvm& fake, const AttachTimeouts& timeouts) {
  const Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), timeouts);
  return connection.status().message();
}

TEST_CASE("at the name of the file that asks the JVM to listen") {
  const Watch watch;
  for (const OddKind kind : OddKinds()) {
    const FakeJvm fake;
    const std::string path = fake.folder() + "/.attach_pid" + std::to_string(fake.pid());
    MakeOdd(kind, path);
    INFO(path);
    const std::string name = "process " + std::to_string(fake.pid());
    const std::string said = WhyNot(fake, kPatient);
    CHECK(said.starts_with(name + " cannot be asked to listen, because .attach_pid"));
    CHECK(said.ends_with("): remove it"));
    CHECK(fs::symlink_status(path).type() != fs::file_type::not_found);
    // The JVM got no signal, which it would take for a request to print its threads.
    fs::remove(path);
    CHECK(WhyNot(fake, kPatient).empty());
    CHECK(fake.IsTidy());
  }
}

TEST_CASE("at the name of such a file that is needed no more") {
  const Watch watch;
  for (const OddKind kind : OddKinds()) {
    const FakeJvm fake;
    REQUIRE(WhyNot(fake, kPatient).empty());
    for (const std::string& folder : {fake.folder(), fake.tmp()}) {
      const std::string path = folder + "/.attach_pid" + std::to_string(fake.pid());
      MakeOdd(kind, path);
      INFO(path);
      CHECK(WhyNot(fake, kPatient).empty());
      CHECK(fs::symlink_status(path).type() != fs::file_type::not_found);
      fs::remove(path);
    }
  }
}

TEST_CASE("at the name of the JVM's socket") {
  const Watch watch;
  for (const OddKind kind : OddKinds()) {
    const FakeJvm fake;
    MakeOdd(kind, fake.socket_path());
    INFO(static_cast<int>(kind));
    // A stale socket of the target's user is replaced.
    CHECK(WhyNot(fake, kPatient).empty() == (kind == OddKind::kSocket));
    fs::remove(fake.socket_path());
  }
}

TEST_CASE("at the names of commands, answers and profiles") {
  const Watch watch;
  const FakeJvm fake;
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 0s);
  REQUIRE(target.ok());
  Result<PrivateFolder> folder = PrivateFolder::Make(*target);
  REQUIRE(folder.ok());
  const std::string inside = fake.tmp() + "/" + fs::path(folder->path()).filename().string();
  for (const OddKind kind : OddKinds()) {
    INFO(static_cast<int>(kind));
    for (const char* file : {"answer", "profile.iprof"}) {
      MakeOdd(kind, inside + "/" + file);
      CHECK_FALSE(folder->OpenFile(file).is_open());
      fs::remove(inside + "/" + file);
    }
    // The command waits for its turn, for as long as the user says.
    const std::string bell = fake.tmp() + "/.iprof_command" + std::to_string(fake.pid());
    MakeOdd(kind, bell);
    Result<JvmConnection> connection = JvmConnection::Open(fake.pid(), kPatient);
    REQUIRE(connection.ok());
    CHECK(Ring(*connection, "status", 200ms).message().find("0.2 s") != std::string::npos);
    RemoveLeftBehind(*target);
    fs::remove(bell);
  }
}

TEST_CASE("at the path of the control socket") {
  const Watch watch;
  const FakeJvm fake;
  const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 0s);
  REQUIRE(target.ok());
  for (const OddKind kind : OddKinds()) {
    for (const std::string& path : {std::string("control"), fake.folder() + "/control"}) {
      INFO(path);
      MakeOdd(kind, fake.folder() + "/control");
      CHECK_FALSE(ConnectIn(*target, path, 300ms).ok());
      CHECK_FALSE(ConnectAt(fake.folder() + "/control", 300ms).ok());
      // And as the folder of the socket.
      CHECK_FALSE(ConnectIn(*target, path + "/socket", 300ms).ok());
      fs::remove(fake.folder() + "/control");
    }
  }
}

TEST_CASE("at the path of the agent's library, and beside the JVM's") {
  if (geteuid() != 0) return;
  const Watch watch;
  const TemporaryFolder own;
  const std::string library = own / "libiprofagent.so";
  fs::copy_file("/proc/self/exe", library);
  for (const OddKind kind : OddKinds()) {
    INFO(static_cast<int>(kind));
    FakeJvm::Part part;
    part.in_own_root = true;
    const FakeJvm fake(part);
    const Result<JvmTarget> target = JvmTarget::Open(fake.pid(), 0s);
    REQUIRE(target.ok());
    fs::create_directories(fake.folder() + own.path().string());
    MakeOdd(kind, fake.folder() + library);
    const Result<PlacedLibrary> placed = PlacedLibrary::Place(*target, library);
    CHECK((!placed.ok() || placed->is_copy()));
    // Where the version of the JDK is read. The library is at the top, so it is three folders up: the root.
    MakeOdd(kind, fake.folder() + "/release");
    CHECK(JvmTarget::Open(fake.pid(), 0s).ok());
  }
}

}  // namespace
}  // namespace iprof::jvm
