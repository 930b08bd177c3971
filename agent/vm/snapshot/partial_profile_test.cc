#include "agent/vm/snapshot/partial_profile.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/settings/temporary_log.h"
#include "writer/base/temporary_folder.h"
#include "writer/io/atomic_file.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// A folder with a PartialProfile, whose profiles and JVM the test controls.
struct World {
  TemporaryFolder folder;
  FakeJvm jvm;
  TemporaryLog lines;
  Log log;
  std::timed_mutex turn;
  std::string content = "one";
  Status failure;             // of the writing
  bool has_something = true;  // to write
  bool has_changed = true;
  std::function<void(const PartialOrder&)> on_write;
  std::vector<PartialOrder> orders;
  PartialProfile partial;

  explicit World(milliseconds period = milliseconds(60'000))
      : partial(
            {.path = folder / "app.iprof.partial", .period = period},
            [this](JNIEnv*, const PartialOrder& order) { return Write(order); }, turn, log) {
    REQUIRE(log.Open(lines.path()).ok());
  }

  Result<PartialOutcome> Write(const PartialOrder& order) {
    orders.push_back(order);
    if (on_write) on_write(order);
    if (!failure.ok()) return failure;
    if (!has_something) return PartialOutcome::kNothing;
    if (!order.must_write && !has_changed) return PartialOutcome::kUnchanged;
    auto file = AtomicFile::Create(order.path);
    REQUIRE(file.ok());
    REQUIRE((*file)->Write(content).ok());
    REQUIRE((*file)->Commit().ok());
    return PartialOutcome::kWritten;
  }
  void Take() { partial.Take(jvm.jni()); }
  std::string Read(std::string_view name = "app.iprof.partial") const {
    std::ifstream in(folder / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  using Names = std::vector<std::string>;
};

TEST_CASE(
    "the partial profile is made first when it is due, replaced, and removed when a profile has "
    "its content") {
  World world;
  world.partial.TakeIfBegun(world.jvm.jni());
  CHECK(world.folder.IsEmpty());
  world.Take();
  CHECK(world.Read() == "one");
  world.content = "two";
  world.partial.TakeIfBegun(world.jvm.jni());
  CHECK(world.Read() == "two");
  REQUIRE(world.orders.size() == 2);
  CHECK(world.orders[1].number == 2);
  const SurvivingFile::Figures figures = world.partial.figures();
  CHECK(figures.path == world.folder / "app.iprof.partial");
  CHECK(figures.snapshots == 2);
  CHECK(figures.file_bytes == 3);
  CHECK(figures.has_snapshot);
  CHECK(figures.last_ms > 0);
  world.partial.Discard(world.jvm.jni());
  CHECK(world.folder.IsEmpty());
  CHECK(world.partial.figures().path.empty());
  CHECK(world.lines.lines().empty());

  SECTION("and a recording that goes on has a new one") {
    world.Take();
    CHECK(world.Read() == "two");
  }
}

TEST_CASE("what a killed JVM left stays, and this one's file has a number") {
  World world;
  world.folder.Write("app.iprof.partial", "of another run");
  world.folder.Write("app.iprof.1.partial", "of a third");
  world.Take();
  world.Take();
  CHECK(world.folder.Names() ==
        World::Names{"app.iprof.1.partial", "app.iprof.2.partial", "app.iprof.partial"});
  CHECK(world.Read() == "of another run");
  CHECK(world.Read("app.iprof.1.partial") == "of a third");
  REQUIRE(world.lines.lines().size() == 1);
  CHECK(world.lines.lines()[0].find(
            "belongs to a JVM that was killed ('iprof recover' makes its profile)") !=
        std::string::npos);
  world.partial.Discard(world.jvm.jni());
  CHECK(world.folder.Names() == World::Names{"app.iprof.1.partial", "app.iprof.partial"});
}

TEST_CASE("something that is killed again and again does not fill the disk") {
  World world;
  world.folder.Write("app.iprof.partial", "");
  for (int n = 1; n < 10; ++n)
    world.folder.Write("app.iprof." + std::to_string(n) + ".partial", "");
  world.Take();
  world.Take();
  CHECK(world.folder.Names().size() == 10);
  CHECK(world.orders.empty());
  CHECK(world.partial.figures().failed == 2);
  CHECK(world.partial.figures().why_none.find("and 9 more names like it are taken") !=
        std::string::npos);
  CHECK(world.lines.lines().size() == 1);
}

TEST_CASE("anything may have the name that is no file of ours") {
  World world;
  const std::string path = world.folder / "app.iprof.partial";
  SECTION("a pipe") { REQUIRE(mkfifo(path.c_str(), 0600) == 0); }
  SECTION("a folder") { REQUIRE(mkdir(path.c_str(), 0700) == 0); }
  SECTION("a link to a file") { fs::create_symlink(world.folder.Write("other", "kept"), path); }
  world.Take();
  CHECK(world.Read("app.iprof.1.partial") == "one");
  world.partial.Discard(world.jvm.jni());
  CHECK(fs::symlink_status(path).type() != fs::file_type::not_found);
  if (fs::is_symlink(path)) CHECK(world.Read("other") == "kept");
}

TEST_CASE("a file that was moved, removed or replaced stays as it is, and a new one is made") {
  World world;
  world.Take();
  world.content = "two";
  world.has_changed = false;
  const std::string path = world.folder / "app.iprof.partial";
  SECTION("moved") {
    fs::rename(path, world.folder / "moved");
    world.Take();
    CHECK(world.Read("moved") == "one");
    CHECK(world.Read() == "two");
  }
  SECTION("removed") {
    fs::remove(path);
    world.Take();
    CHECK(world.Read() == "two");
  }
  SECTION("replaced") {
    fs::rename(world.folder.Write("other", "another's"), path);
    world.Take();
    CHECK(world.Read() == "another's");
    CHECK(world.Read("app.iprof.1.partial") == "two");
  }
  SECTION("replaced before the end") {
    fs::rename(world.folder.Write("other", "another's"), path);
    world.partial.Discard(world.jvm.jni());
    CHECK(world.Read() == "another's");
  }
}

TEST_CASE("a failure leaves the file as it is, is told once, and tried again") {
  World world;
  world.Take();
  world.failure = {Code::kIo, "no space left"};
  world.Take();
  world.Take();
  CHECK(world.Read() == "one");
  CHECK(world.partial.figures().failed == 2);
  REQUIRE(world.lines.lines().size() == 1);
  CHECK(world.lines.lines()[0].find(
            "a partial profile could not be written: no space left; later ones are tried") !=
        std::string::npos);
  world.failure = {};
  world.content = "two";
  world.Take();
  CHECK(world.Read() == "two");
  CHECK(world.lines.lines().size() == 1);
}

TEST_CASE("a first file that cannot be written is said in the status") {
  World world;
  world.failure = {Code::kIo, "no space left"};
  world.Take();
  CHECK(world.partial.figures().why_none == "no space left");
  CHECK(world.partial.figures().path.empty());
  world.failure = {};
  world.Take();
  CHECK(world.partial.figures().why_none.empty());
}

TEST_CASE("where nothing is recorded, there is no file, and only a reset removes one") {
  World world;
  world.has_something = false;
  world.Take();
  CHECK(world.folder.IsEmpty());
  world.has_something = true;
  world.Take();
  world.has_something = false;
  world.Take();
  CHECK(world.Read() == "one");
  world.partial.TakeIfBegun(world.jvm.jni());
  CHECK(world.folder.IsEmpty());
  CHECK(world.partial.figures().failed == 0);
}

TEST_CASE("after the end nothing is written, and what is there stays until it is discarded") {
  World world;
  world.Take();
  CHECK(world.partial.End(milliseconds(0)));
  CHECK(world.orders[0].is_over());
  world.content = "two";
  world.Take();
  world.partial.TakeIfBegun(world.jvm.jni());
  world.partial.Keep(world.jvm.jni());
  world.partial.DiscardUseless();
  CHECK(world.Read() == "one");
  CHECK(world.partial.figures().failed == 0);
  world.partial.Discard(world.jvm.jni());
  CHECK(world.folder.IsEmpty());
}

TEST_CASE("the thread writes within a period, in its turn, and only what has changed") {
  World world(milliseconds(120));
  auto environment = JvmtiEnvironment::Open(world.jvm.vm());
  REQUIRE(environment.ok());
  std::unique_lock turn(world.turn);
  REQUIRE(world.partial.Start(environment->get(), world.jvm.jni()).ok());
  const auto until = [&](auto holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!holds() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(milliseconds(1));
    return holds();
  };
  CHECK(until([&] { return world.partial.figures().skipped >= 2; }));
  CHECK(world.folder.IsEmpty());
  turn.unlock();
  CHECK(until([&] { return world.partial.figures().snapshots >= 2; }));
  REQUIRE(world.partial.Stop(milliseconds(60'000)));
  CHECK(world.Read() == "one");
  for (size_t i = 0; i < world.orders.size(); ++i) CHECK(world.orders[i].must_write == (i == 0));
  const uint64_t written = world.partial.figures().snapshots;
  world.has_changed = false;
  const size_t asked = world.orders.size();
  REQUIRE(world.partial.Start(environment->get(), world.jvm.jni()).ok());
  CHECK(until([&] {
    const std::lock_guard lock(world.turn);
    return world.orders.size() >= asked + 2;
  }));
  REQUIRE(world.partial.Stop(milliseconds(60'000)));
  CHECK(world.partial.figures().snapshots == written);
  world.partial.Discard(world.jvm.jni());
}

TEST_CASE("the next file is made where the agent's file is by then") {
  World world;
  world.Take();
  world.partial.SetPlace(world.folder / "exit.iprof.partial");
  CHECK(world.partial.place() == world.folder / "exit.iprof.partial");
  world.content = "two";
  world.Take();
  CHECK(world.Read() == "two");
  world.partial.Discard(world.jvm.jni());
  world.Take();
  CHECK(world.folder.Names() == World::Names{"exit.iprof.partial"});
}

}  // namespace
}  // namespace iprof::vm
