#include "agent/vm/session/dump/snapshots.h"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/session/dump/snapshot_world.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using World = SnapshotWorld;

TEST_CASE("the file is made at the first snapshot and removed when a profile has its content") {
  World world;
  CHECK(world.Files() == 0);
  world.snapshots->TakeIfBegun(world.jvm.jni());
  CHECK(world.Files() == 0);
  world.Take();
  CHECK(world.Counter() == 7);
  world.source.counters = {9};
  world.snapshots->TakeIfBegun(world.jvm.jni());
  CHECK(world.Counter() == 9);
  CHECK(world.source.begun == 1);
  const Snapshots::Figures figures = world.snapshots->figures();
  CHECK(figures.path == world.Path());
  CHECK(figures.snapshots == 2);
  CHECK(figures.failed == 0);
  CHECK(figures.file_bytes == fs::file_size(world.Path()));
  CHECK(world.budget.Used(instrument::MemoryPart::kRawFile) > 1000);

  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 0);
  CHECK(world.source.ended == 1);
  CHECK(world.snapshots->figures().path.empty());
  CHECK(world.budget.Used(instrument::MemoryPart::kRawFile) == 0);
  CHECK(world.Warnings() == 0);

  SECTION("and a recording that goes on has a new one") {
    world.Take();
    CHECK(world.Counter() == 9);
    CHECK(world.source.begun == 2);
  }
}

TEST_CASE("a file that is to be kept has the last state") {
  World world(true);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 0);  // no snapshot was due
  world.Take();
  world.source.counters = {8};
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Counter() == 8);
}

TEST_CASE("if no profile can be written, the file has the last state, and is made if need be") {
  World world;
  world.source.counters = {5};
  world.snapshots->Keep(world.jvm.jni());
  CHECK(world.snapshots->figures().path == world.Path());
  CHECK(world.Counter() == 5);
}

TEST_CASE("after the end there is no file, unless no profile can be written") {
  using namespace std::chrono_literals;
  World world(GENERATE(false, true));
  world.Take();
  world.source.counters = {8};
  CHECK(world.snapshots->End(1min));
  SECTION("a stop that the end overtakes makes none") {
    world.snapshots->Discard(world.jvm.jni());
    const size_t files = world.Files();
    world.Take();
    world.snapshots->TakeIfBegun(world.jvm.jni());
    CHECK(world.Files() == files);
    CHECK(world.source.begun == 1);
    CHECK(world.Warnings() == 0);
  }
  SECTION("the end itself has the last state kept") {
    world.Take();
    CHECK(world.Counter() == 7);
    world.snapshots->Keep(world.jvm.jni());
    CHECK(world.Counter() == 8);
  }
}

TEST_CASE("a file that is to be kept has the last state after the end, too") {
  using namespace std::chrono_literals;
  World world(true);
  world.Take();
  world.source.counters = {8};
  CHECK(world.snapshots->End(1min));
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Counter() == 8);
}

TEST_CASE("files that exist belong to others") {
  World world;
  std::ofstream(world.Path()) << "of another JVM";
  std::ofstream(world.Path("app.1.iraw")) << "and another";
  world.Take();
  CHECK(world.Counter("app.2.iraw") == 7);
  CHECK(fs::file_size(world.Path()) == 14);
  REQUIRE(world.Warnings() == 1);
  CHECK(world.lines.lines()[0].ends_with("' exists and is no raw file"));
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 2);
}

TEST_CASE("a file is made in the place of that moment") {
  World world;
  world.snapshots->SetPlace(world.Path("next.iraw"));
  CHECK(world.snapshots->place() == world.Path("next.iraw"));
  world.Take();
  CHECK(world.Counter("next.iraw") == 7);
  CHECK(world.Files() == 1);
}

TEST_CASE("only a file that may be raw is called another JVM's") {
  const auto said = [](const std::function<void(World&)>& put) {
    World world;
    put(world);
    world.Take();
    CHECK(world.Counter("app.1.iraw") == 7);
    return world.lines.lines().at(0);
  };
  constexpr std::string_view kOfJvm =
      "belongs to another JVM, or to one that was killed ('iprof recover' makes its profile)";
  const std::string magic(kRawMagic.begin(), kRawMagic.end());
  CHECK(said([&](World& world) {
          std::ofstream(world.Path()) << magic << "and more";
        }).ends_with(kOfJvm));
  CHECK(said([](World& world) { std::ofstream(world.Path()).flush(); }).ends_with(kOfJvm));
  CHECK(said([&](World& world) {
          std::ofstream(world.Path("elsewhere")) << magic << "and more";
          fs::create_symlink(world.Path("elsewhere"), world.Path());
        }).ends_with(kOfJvm));
  CHECK(said([](World& world) {
          std::ofstream(world.Path("elsewhere")) << "some other file";
          fs::create_symlink(world.Path("elsewhere"), world.Path());
        }).ends_with("' exists and is no raw file"));
  CHECK(said([](World& world) {
          REQUIRE(mkfifo(world.Path().c_str(), 0600) == 0);
        }).ends_with("' exists and is no raw file"));
}

TEST_CASE("a link that cannot be followed takes a name away, not the file") {
  World world;
  SECTION("of another user") {
    if (geteuid() != 0) return;
    fs::create_symlink("victim", world.Path());
    REQUIRE(lchown(world.Path().c_str(), 4002, static_cast<gid_t>(-1)) == 0);
    world.Take();
    REQUIRE(world.Warnings() == 1);
    CHECK(world.lines.lines()[0].ends_with(
        "the raw file is '" + world.Path("app.1.iraw") + "', because '" + world.Path() +
        "' cannot be used: the link '" + world.Path() +
        "' belongs to another user (uid 4002) and is not followed"));
  }
  SECTION("to itself") {
    fs::create_symlink("app.iraw", world.Path());
    world.Take();
    REQUIRE(world.Warnings() == 1);
    CHECK(world.lines.lines()[0].find("' cannot be used: ") != std::string::npos);
  }
  CHECK(world.Counter("app.1.iraw") == 7);
  CHECK(world.snapshots->figures().failed == 0);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 1);
  CHECK(fs::is_symlink(world.Path()));
}

TEST_CASE("without a folder the failure names it") {
  World world;
  fs::remove(world.folder);
  world.Take();
  REQUIRE(world.Warnings() == 1);
  CHECK(world.lines.lines()[0].find(world.Path() + ": cannot create: No such file") !=
        std::string::npos);
}

TEST_CASE("ten files are left alone, and then there is no other") {
  World world;
  for (int i = 0; i < 10; ++i)
    std::ofstream(i == 0 ? world.Path() : world.Path("app." + std::to_string(i) + ".iraw")) << "x";
  world.Take();
  world.Take();
  CHECK(world.Files() == 10);
  CHECK(world.Warnings() == 1);
  CHECK(world.snapshots->figures().failed == 2);
  CHECK(world.source.begun == 0);
}

TEST_CASE("a full disk is one warning, and later snapshots go on") {
  World world;
  world.Take();
  world.source.counters = {8};
  world.disk.fails = ENOSPC;
  world.Take();
  world.Take();
  CHECK(world.Counter() == 7);
  CHECK(world.Warnings() == 1);
  CHECK(world.snapshots->figures().failed == 2);
  world.disk.fails = 0;
  world.Take();
  CHECK(world.Counter() == 8);
  CHECK(world.snapshots->figures().snapshots == 2);
  CHECK(world.Warnings() == 1);
}

TEST_CASE("a disk that is full at the first snapshot leaves no file") {
  World world;
  world.disk.fails = ENOSPC;
  world.Take();
  CHECK(world.Files() == 0);
  CHECK(world.Warnings() == 1);
  CHECK(world.snapshots->figures().path.empty());
  CHECK(world.snapshots->figures().why_none ==
        world.Path() + ": cannot write: No space left on device");
  SECTION("until the disk has room") {
    world.disk.fails = 0;
    world.Take();
    CHECK(world.Counter() == 7);
    CHECK(world.snapshots->figures().why_none.empty());
  }
  SECTION("and none is missed when a profile has everything") {
    world.snapshots->Discard(world.jvm.jni());
    CHECK(world.snapshots->figures().why_none.empty());
  }
}

TEST_CASE(
    "a file whose first snapshot does not fit is removed, because the profile needs the room") {
  World world;
  world.disk.fails = ENOSPC;
  world.disk.has_room_for_header = true;
  SECTION("at its time") {
    world.Take();
    CHECK(world.source.begun == 1);  // so there was a file
    CHECK(world.source.ended == 1);
  }
  SECTION("at the end, when no profile could be written either") {
    world.snapshots->Keep(world.jvm.jni());
  }
  CHECK(world.Files() == 0);
  CHECK(world.snapshots->figures().path.empty());
  CHECK(world.snapshots->figures().why_none.ends_with(": No space left on device"));
  CHECK_FALSE(world.snapshots->figures().has_snapshot);
  CHECK(world.budget.Used(instrument::MemoryPart::kRawFile) == 0);
  REQUIRE(world.Warnings() == 1);
  CHECK(world.lines.lines()[0].find("so it is removed; later ones are tried") != std::string::npos);
  world.disk.fails = 0;
  world.Take();
  CHECK(world.Counter() == 7);
  CHECK(world.snapshots->figures().has_snapshot);
}

// What only fails, with a period of 1 ms.
void CheckItTriesLessOften(World& world) {
  using Clock = std::chrono::steady_clock;
  auto environment = JvmtiEnvironment::Open(world.jvm.vm());
  REQUIRE(environment.ok());
  const auto begin = Clock::now();
  REQUIRE(world.snapshots->Start(environment->get(), world.jvm.jni()).ok());
  while (Clock::now() - begin < milliseconds(300) || world.snapshots->figures().failed == 0)
    std::this_thread::sleep_for(milliseconds(1));
  REQUIRE(world.snapshots->Stop(std::chrono::minutes(1)));
  const auto spent = std::chrono::duration_cast<milliseconds>(Clock::now() - begin);
  // After 2, 4 … 64 ms, then every 64 ms.
  CHECK(world.snapshots->figures().failed <= static_cast<uint64_t>(7 + spent.count() / 64));
  CHECK(world.Files() == 0);
}

TEST_CASE("the thread tries less and less often what only fills the disk") {
  World world(false, milliseconds(1));
  world.disk.fails = ENOSPC;
  world.disk.has_room_for_header = true;
  CheckItTriesLessOften(world);
}

TEST_CASE("a file without a snapshot is useless, and one with a snapshot is not") {
  World world;
  world.source.is_possible = false;
  world.Take();
  CHECK(world.Files() == 1);
  CHECK_FALSE(world.snapshots->figures().has_snapshot);
  world.snapshots->DiscardUseless();
  CHECK(world.Files() == 0);
  world.source.is_possible = true;
  world.Take();
  CHECK(world.snapshots->figures().has_snapshot);
  world.disk.fails = ENOSPC;
  world.source.counters = {8};
  world.Take();
  world.snapshots->DiscardUseless();
  CHECK(world.Counter() == 7);
}

TEST_CASE("a file that is to be kept is made again if its first snapshot came too late") {
  World world(true);
  SECTION("because it could not be taken") { world.source.is_possible = false; }
  SECTION("because the disk was full") {
    world.disk.fails = ENOSPC;
    world.disk.has_room_for_header = true;
  }
  world.Take();
  CHECK(world.snapshots->End(std::chrono::minutes(1)));
  world.snapshots->DiscardUseless();
  CHECK(world.Files() == 0);  // the profile has the room
  world.source.is_possible = true;
  world.disk.fails = 0;
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Counter() == 7);
  CHECK(world.Files() == 1);
}

TEST_CASE("a first snapshot that fails is one failure, and no other file is begun for it") {
  World world;
  world.disk.fails = ENOSPC;
  world.disk.has_room_for_header = true;
  world.source.on_add = [&] { world.source.has_outgrown = true; };
  world.Take();
  CHECK(world.source.begun == 1);
  CHECK(world.Files() == 0);
  CHECK(world.snapshots->figures().failed == 1);
  CHECK(world.Warnings() == 1);
}

TEST_CASE("a file that is removed again and again is counted, and tried less often") {
  World world(false, milliseconds(1));
  int adds = 0;
  world.source.on_add = [&] {
    ++adds;
    for (const auto& entry : fs::directory_iterator(world.folder)) fs::remove(entry);
  };
  world.Take();
  CHECK(adds == 2);
  CHECK(world.Files() == 0);
  CHECK(world.snapshots->figures().failed == 1);
  REQUIRE(world.Warnings() == 2);
  CHECK(world.lines.lines()[0].ends_with("; a new one is begun"));
  CHECK(world.lines.lines()[1].find("so it is removed; later ones are tried") != std::string::npos);
  SECTION("later it is tried again") {
    world.source.on_add = nullptr;
    world.Take();
    CHECK(world.Counter() == 7);
  }
  SECTION("but less often") { CheckItTriesLessOften(world); }
}

TEST_CASE("no new file is claimed where none can be made") {
  World world;
  world.Take();
  fs::remove(world.Path());
  world.disk.fails = ENOSPC;
  world.Take();
  CHECK(world.Files() == 0);
  CHECK(world.snapshots->figures().failed == 1);
  REQUIRE(world.Warnings() == 2);
  CHECK(world.lines.lines()[0].find("No space left on device") != std::string::npos);
  CHECK(world.lines.lines()[1].ends_with(" by another program"));
}

TEST_CASE("a file that cannot be begun again goes if it has no snapshot, and is tried less often") {
  World world(false, milliseconds(1));
  world.source.is_possible = false;
  world.source.on_add = [&] {
    world.source.has_outgrown = true;
    world.disk.fails = ENOSPC;  // for the next one's header
  };
  world.source.on_end = [&] { world.disk.fails = 0; };
  world.Take();
  CHECK(world.snapshots->figures().failed == 1);
  REQUIRE(world.Warnings() == 1);
  CHECK(world.lines.lines()[0].find("so it is removed; later ones are tried") != std::string::npos);
  CheckItTriesLessOften(world);
}

TEST_CASE("without memory there is no file") {
  World world;
  world.budget.SetLimit(1 << 20);
  world.Take();
  CHECK(world.Files() == 0);
  CHECK(world.Warnings() == 1);
  world.budget.SetLimit(64 << 20);
  world.Take();
  CHECK(world.Counter() == 7);
}

TEST_CASE("a snapshot that cannot be taken now is skipped") {
  World world;
  world.Take();
  world.source.is_possible = false;
  world.Take();
  CHECK(world.snapshots->figures().skipped == 1);
  CHECK(world.Warnings() == 0);
  CHECK(world.Counter() == 7);
}

TEST_CASE(
    "after a costly snapshot the thread rests, and gives one up that is not wanted any more") {
  World world(false, milliseconds(20));
  world.source.is_costly = true;
  std::atomic<int> writes{0};
  std::atomic<bool> may_repeat{false};
  world.source.on_sink = [&](const RecordSink& sink) { may_repeat = sink.may_repeat(); };
  world.source.on_add = [&] {
    ++writes;
    const uint64_t begun = ThreadCpuNs();
    while (ThreadCpuNs() - begun < 100'000'000) {  // five periods, and then 245 of rest
    }
  };
  const Result<JvmtiEnvironment> environment = JvmtiEnvironment::Open(world.jvm.vm());
  REQUIRE(environment.ok());
  REQUIRE(world.snapshots->Start(environment->get(), world.jvm.jni()).ok());
  while (world.Counter() != 7) std::this_thread::sleep_for(milliseconds(1));
  std::this_thread::sleep_for(milliseconds(200));
  CHECK(writes == 1);
  CHECK(may_repeat);
  world.source.on_add = nullptr;
  world.Take();  // who asks for one gets it, and all of it
  CHECK_FALSE(may_repeat);
  CHECK(world.snapshots->figures().snapshots == 2);
  CHECK_FALSE(world.source.is_over());
  CHECK(world.snapshots->Stop(std::chrono::minutes(1)));
}

TEST_CASE("costly snapshots take a fiftieth of a processor") {
  World world(false, milliseconds(1));
  world.source.is_costly = true;
  std::atomic<int> writes{0};
  world.source.on_add = [&] {
    ++writes;
    const uint64_t begun = ThreadCpuNs();
    while (ThreadCpuNs() - begun < 4'000'000) {
    }
  };
  const Result<JvmtiEnvironment> environment = JvmtiEnvironment::Open(world.jvm.vm());
  REQUIRE(environment.ok());
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(world.snapshots->Start(environment->get(), world.jvm.jni()).ok());
  std::this_thread::sleep_for(milliseconds(500));
  CHECK(world.snapshots->Stop(std::chrono::minutes(1)));
  const auto spent =
      std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin);
  CHECK(writes > 0);
  CHECK(writes <= 1 + spent.count() / 200);
}

TEST_CASE("costly snapshots take a fiftieth of the program's CPU time") {
  constexpr uint64_t kSpent = 2'000'000;
  World world(false, milliseconds(150));
  world.source.is_costly = true;
  std::atomic<int> writes{0};
  std::atomic<uint64_t> cpu_ns{0};  // of the process, after the last write
  world.source.on_add = [&] {
    const uint64_t begun = ThreadCpuNs();
    while (ThreadCpuNs() - begun < kSpent) {
    }
    cpu_ns = ProcessCpuNs();
    ++writes;
  };
  const Result<JvmtiEnvironment> environment = JvmtiEnvironment::Open(world.jvm.vm());
  REQUIRE(environment.ok());
  const auto begin = std::chrono::steady_clock::now();
  REQUIRE(world.snapshots->Start(environment->get(), world.jvm.jni()).ok());
  while (writes == 0) std::this_thread::sleep_for(milliseconds(1));
  const uint64_t first_ns = cpu_ns;
  while (writes == 1) std::this_thread::sleep_for(milliseconds(10));  // waits, and uses little
  const bool is_rested = std::chrono::steady_clock::now() - begin >= 12 * milliseconds(150);
  CHECK((is_rested || cpu_ns - first_ns >= 49 * kSpent));
  while (writes == 2) {  // works
  }
  CHECK(world.snapshots->Stop(std::chrono::minutes(1)));
}

TEST_CASE("a stop makes the thread give up its snapshot, and so does the end before it waits") {
  World world(false, milliseconds(20));
  std::atomic<bool> has_given_up{false};
  world.source.on_add = [&] {
    while (!world.source.is_over()) std::this_thread::sleep_for(milliseconds(1));
    world.source.is_possible = false;
    world.source.failure = Code::kUsage;
    has_given_up = true;
  };
  const Result<JvmtiEnvironment> environment = JvmtiEnvironment::Open(world.jvm.vm());
  REQUIRE(environment.ok());
  REQUIRE(world.snapshots->Start(environment->get(), world.jvm.jni()).ok());
  while (world.Files() == 0) std::this_thread::sleep_for(milliseconds(1));
  SECTION("stop") { CHECK(world.snapshots->Stop(std::chrono::minutes(1))); }
  SECTION("end") {
    world.snapshots->Forbid();
    while (!has_given_up) std::this_thread::sleep_for(milliseconds(1));
    world.Take();  // as the end has begun, none is taken
    CHECK(world.snapshots->End(std::chrono::minutes(1)));
  }
  CHECK(world.snapshots->figures().skipped == 0);
  CHECK(world.snapshots->figures().snapshots == 0);
  CHECK(world.Warnings() == 0);
}

TEST_CASE("a recorder that fails leaves the last snapshot, and is told of once") {
  World world;
  world.Take();
  world.source.is_possible = false;
  world.source.failure = Code::kIo;
  world.source.counters = {8};
  world.Take();
  world.Take();
  CHECK(world.Counter() == 7);
  CHECK(world.snapshots->figures().failed == 2);
  CHECK(world.snapshots->figures().skipped == 0);
  CHECK(world.Warnings() == 1);
}

}  // namespace
}  // namespace iprof::vm
