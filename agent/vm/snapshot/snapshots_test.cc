#include "agent/vm/snapshot/snapshots.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/settings/temporary_log.h"
#include "writer/raw/raw_reader.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

// Counts one class with one counter.
struct Source final : SnapshotSource {
  std::vector<uint64_t> counters{7};
  bool is_new = false;
  bool is_possible = true;
  bool has_outgrown = false;
  int begun = 0;
  int ended = 0;
  std::function<void()> on_add;
  std::function<void()> on_end;

  RawHeader Header() override {
    RawHeader header;
    header.pid = 42;
    return header;
  }
  void Begin() override {
    ++begun;
    is_new = true;
    has_outgrown = false;
  }
  void End() override {
    ++ended;
    if (on_end) on_end();
  }
  bool AddTo(JNIEnv*, RawWriter& file, RawGeneration* numbers) override {
    if (on_add) on_add();
    if (!is_possible) return false;
    if (std::exchange(is_new, false)) file.AddPart({"facts", "{\"a\":1}"});
    numbers->counters = counters;
    return true;
  }
  bool HasOutgrown() const override { return has_outgrown; }
  size_t bytes() const override { return 1000; }
  size_t expected_bytes() const override { return 1000; }
};

// Writes fail while `fails` is set, all or those behind a file's header.
struct Disk final : SystemCalls {
  int fails = 0;
  bool has_room_for_header = false;
  ssize_t Pwrite(int fd, const void* bytes, size_t size, off_t offset) override {
    if (fails == 0 || (has_room_for_header && offset == 0))
      return SystemCalls::Pwrite(fd, bytes, size, offset);
    errno = fails;
    return -1;
  }
};

struct World {
  fs::path folder;
  FakeJvm jvm;
  TemporaryLog lines;
  Log log;
  instrument::MemoryBudget budget;
  Source source;
  Disk disk;
  std::unique_ptr<Snapshots> snapshots;

  explicit World(bool keeps_file = false, milliseconds period = milliseconds(5000)) {
    std::string name = (fs::temp_directory_path() / "iprof-snapshots.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    folder = name;
    REQUIRE(log.Open(lines.path()).ok());
    snapshots = std::make_unique<Snapshots>(
        SnapshotSettings{
            .path = Path(), .period = period, .most_bytes = 1 << 20, .keeps_file = keeps_file},
        source, log, budget, disk);
  }
  ~World() {
    snapshots = nullptr;
    fs::remove_all(folder);
  }

  std::string Path(const std::string& name = "app.iraw") { return (folder / name).string(); }
  void Take() { snapshots->Take(jvm.jni()); }
  // The counter in a file; nothing if the file cannot be read.
  std::optional<uint64_t> Counter(const std::string& name = "app.iraw") {
    std::ifstream in(Path(name), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    RawMemoryBytes memory(bytes);
    const Result<RawContents> contents = ReadRaw(memory, name);
    if (!contents.ok() || contents->counters.empty()) return std::nullopt;
    CHECK(contents->parts.contains("facts"));
    return contents->counters[0];
  }
  size_t Files() { return static_cast<size_t>(std::distance(fs::directory_iterator(folder), {})); }
  // All lines are, unless more is asked for.
  size_t Warnings() { return lines.lines().size(); }
};

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
  CHECK(world.Warnings() == 1);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 2);
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
  world.disk.fails = 0;
  world.Take();
  CHECK(world.Counter() == 7);
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

TEST_CASE("a file that cannot be begun anew goes if it has no snapshot, and is tried less often") {
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

TEST_CASE("a file that was removed or cut is written anew") {
  World world;
  world.Take();
  SECTION("removed") { fs::remove(world.Path()); }
  SECTION("cut") { fs::resize_file(world.Path(), 5000); }
  SECTION("emptied") { fs::resize_file(world.Path(), 0); }
  world.source.counters = {8};
  world.Take();
  CHECK(world.Counter() == 8);
  REQUIRE(world.Warnings() == 1);
  const std::string line = world.lines.lines()[0];
  CHECK(line.find("the raw file '" + world.Path() + "' was ") != std::string::npos);
  CHECK(line.ends_with(" by another program; a new one is begun"));
  CHECK(world.source.begun == 2);
  CHECK(world.Files() == 1);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 0);
}

TEST_CASE("somebody else's file with the name is not touched") {
  World world;
  world.Take();
  SECTION("after ours was moved") { fs::rename(world.Path(), world.Path("moved.iraw")); }
  SECTION("after ours was removed") { fs::remove(world.Path()); }
  const bool was_moved = fs::exists(world.Path("moved.iraw"));
  std::ofstream(world.Path()) << "not ours";
  world.source.counters = {8};
  for (int i = 0; i < 3; ++i) world.Take();
  CHECK(world.Counter(was_moved ? "moved.iraw" : "app.1.iraw") == 8);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(fs::file_size(world.Path()) == 8);
  CHECK_FALSE(fs::exists(world.Path("app.1.iraw")));
}

TEST_CASE("a file that describes much that is gone is replaced by one that does not") {
  World world;
  world.Take();
  world.source.has_outgrown = true;
  world.source.counters = {8};
  world.Take();
  CHECK(world.Counter() == 8);
  CHECK(world.source.begun == 2);
  CHECK(world.Files() == 1);
  CHECK(world.Warnings() == 0);
  world.source.counters = {9};
  world.Take();
  CHECK(world.Counter() == 9);
  CHECK(world.source.begun == 2);
}

TEST_CASE("the old file stays until its successor is complete") {
  World world;
  world.Take();
  world.source.has_outgrown = true;
  world.disk.fails = ENOSPC;
  world.source.counters = {8};
  world.Take();
  world.Take();
  CHECK(world.Counter() == 7);
  SECTION("which may come later") {
    world.disk.fails = 0;
    world.Take();
    CHECK(world.Counter() == 8);
    CHECK(world.Files() == 1);
  }
  SECTION("or never") { world.snapshots->Discard(world.jvm.jni()); }
  SECTION("or not before the end") {
    world.snapshots = nullptr;
    CHECK(world.Counter() == 7);
    CHECK(world.Files() == 1);
    return;
  }
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 0);
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

}  // namespace
}  // namespace iprof::vm
