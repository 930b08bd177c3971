// When a new raw file is written: somebody removed or changed the old one, or it describes much that is gone.
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <new>
#include <string>

#include "agent/vm/session/dump/snapshot_world.h"

namespace iprof::vm {
namespace {

namespace fs = std::filesystem;
using World = SnapshotWorld;

TEST_CASE("a file that was removed or cut is written again") {
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

TEST_CASE("a file that was moved is left alone, and another one has its name") {
  World world;
  world.Take();
  fs::rename(world.Path(), world.Path("moved.iraw"));
  world.source.counters = {8};
  world.Take();
  CHECK(world.Counter() == 8);
  CHECK(world.Counter("moved.iraw") == 7);
  CHECK(world.snapshots->figures().path == world.Path());
  CHECK(world.snapshots->figures().failed == 0);
  CHECK(world.source.begun == 2);
  REQUIRE(world.Warnings() == 1);
  CHECK(world.lines.lines()[0].ends_with("the raw file '" + world.Path() +
                                         "' was moved by another program; a new one is begun"));
  SECTION("again and again") {
    fs::rename(world.Path(), world.Path("moved2.iraw"));
    world.source.counters = {9};
    world.Take();
    CHECK(world.Counter() == 9);
    CHECK(world.Counter("moved2.iraw") == 8);
    CHECK(world.Warnings() == 1);
  }
  SECTION("it is noticed at the end, too") {
    fs::rename(world.Path(), world.Path("moved2.iraw"));
    CHECK(world.snapshots->End(std::chrono::minutes(1)));
    world.source.counters = {9};
    world.snapshots->Keep(world.jvm.jni());
    CHECK(world.Counter() == 9);
    CHECK(world.snapshots->figures().path == world.Path());
  }
  const size_t moved = world.Files() - 1;
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == moved);
  CHECK(world.Counter("moved.iraw") == 7);
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
  CHECK(world.Counter("app.1.iraw") == 8);
  if (was_moved) CHECK(world.Counter("moved.iraw") == 7);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(fs::file_size(world.Path()) == 8);
  CHECK_FALSE(fs::exists(world.Path("app.1.iraw")));
}

TEST_CASE(
    "a file that is written again goes on under another name if somebody else's file has got its "
    "name by then") {
  World world;
  world.Take();
  world.source.has_outgrown = true;
  const bool is_moved = GENERATE(false, true);
  world.source.on_add = [&] {
    if (world.source.begun != 2) return;
    if (is_moved) {
      fs::rename(world.Path(), world.Path("moved.iraw"));
    } else {
      fs::remove(world.Path());
    }
    std::ofstream(world.Path()) << "not ours";
  };
  world.source.counters = {8};
  world.Take();
  CHECK(world.Counter("app.1.iraw") == 8);
  CHECK(world.snapshots->figures().failed == 0);
  CHECK(world.snapshots->figures().path == world.Path("app.1.iraw"));
  const auto lines = world.lines.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].find("the raw file is '" + world.Path("app.1.iraw") + "', because '") !=
        std::string::npos);
  CHECK(lines[1].ends_with(
      "the raw file '" + world.Path() +
      "' now is another program's file, which is left as it is; a new one is begun"));
  world.source.counters = {9};
  world.Take();
  CHECK(world.Counter("app.1.iraw") == 9);
  CHECK(world.source.begun == 3);
  CHECK(fs::file_size(world.Path()) == 8);
  if (fs::exists(world.Path("moved.iraw"))) CHECK(world.Counter("moved.iraw") == 8);
  const size_t others = world.Files() - 1;
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == others);
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
  world.disk.has_room_for_header = true;
  world.source.on_add = [&] { world.disk.fails = world.source.begun > 1 ? ENOSPC : 0; };
  world.source.counters = {8};
  world.Take();
  world.source.counters = {9};
  world.Take();
  CHECK(world.source.begun == 3);
  CHECK(world.snapshots->figures().failed == 2);
  CHECK(world.Counter() == 8);
  CHECK(world.Files() == 1);  // the room is for others
  SECTION("which may come later") {
    world.source.on_add = nullptr;
    world.disk.fails = 0;
    world.Take();
    CHECK(world.Counter() == 9);
    CHECK(world.Files() == 1);
  }
  SECTION("or never") { world.snapshots->Discard(world.jvm.jni()); }
  SECTION("or not before the end") {
    world.snapshots = nullptr;
    CHECK(world.Counter() == 8);
    CHECK(world.Files() == 1);
    return;
  }
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 0);
}

TEST_CASE("a file moves to another place with the next snapshot") {
  World world;
  world.Take();
  world.snapshots->SetPlace(world.Path("next.iraw"));
  CHECK(world.snapshots->figures().path == world.Path());
  CHECK(world.Files() == 1);
  world.source.counters = {8};
  SECTION("which is complete") {
    world.Take();
    CHECK(world.Counter("next.iraw") == 8);
    CHECK(world.snapshots->figures().path == world.Path("next.iraw"));
    CHECK(world.source.begun == 2);
  }
  SECTION("unless it is to be where it is by then") {
    world.snapshots->SetPlace(world.Path());
    world.Take();
    CHECK(world.Counter() == 8);
    CHECK(world.source.begun == 1);
  }
  CHECK(world.Files() == 1);
  CHECK(world.Warnings() == 0);
  world.snapshots->Discard(world.jvm.jni());
  CHECK(world.Files() == 0);
}

TEST_CASE("a file that cannot move stays, and moves later") {
  World world;
  world.Take();
  std::string next = "next.iraw";
  uint64_t counter = 7;
  uint64_t failed = 1;
  SECTION("because there is no folder") {
    next = "none/next.iraw";
    counter = 8;  // so it goes on
  }
  SECTION("because the disk is full") {
    world.disk.fails = ENOSPC;
    world.disk.has_room_for_header = true;
  }
  SECTION("because the recorder cannot say everything now") {
    world.source.is_possible = false;
    failed = 0;
  }
  SECTION("because memory is short") {
    world.source.on_add = [] { throw std::bad_alloc(); };
    failed = 0;
  }
  world.snapshots->SetPlace(world.Path(next));
  world.source.counters = {8};
  for (int i = 0; i < 2; ++i) world.Take();
  CHECK(world.Counter() == counter);
  CHECK(world.snapshots->figures().path == world.Path());
  CHECK(world.snapshots->figures().failed == 2 * failed);
  CHECK(world.snapshots->figures().has_snapshot);
  world.source.on_add = nullptr;
  world.source.is_possible = true;
  world.disk.fails = 0;
  fs::create_directory(world.Path("none"));
  world.source.counters = {9};
  for (int i = 0; i < 2; ++i) world.Take();
  CHECK(world.Counter(next) == 9);
  CHECK_FALSE(fs::exists(world.Path()));
  CHECK(world.snapshots->figures().path == world.Path(next));
}

TEST_CASE("a successor that was begun without memory is begun once more") {
  World world;
  world.Take();
  world.source.has_outgrown = true;
  world.source.on_add = [&] {
    if (world.source.begun == 2) throw std::bad_alloc();
  };
  world.source.counters = {8};
  world.Take();
  CHECK(world.Counter() == 8);
  world.source.counters = {9};
  world.Take();
  CHECK(world.source.begun == 3);
  CHECK(world.Counter() == 9);
  CHECK(world.Files() == 1);
}

TEST_CASE("the old file stays if its successor is removed") {
  World world;
  world.Take();
  world.source.has_outgrown = true;
  world.source.counters = {8};
  world.source.on_add = [&] {
    if (world.source.begun != 2) return;
    for (const auto& file : fs::directory_iterator(world.folder)) {
      if (file.path().extension() == ".tmp") fs::remove(file.path());
    }
  };
  world.Take();
  CHECK(world.snapshots->figures().failed == 1);
  CHECK(world.Counter() == 8);
  world.source.counters = {9};
  world.Take();
  CHECK(world.Counter() == 9);
  CHECK(world.Files() == 1);
}

TEST_CASE("a snapshot that fails is one failure, and the file is not written again for it") {
  World world;
  world.Take();
  world.source.has_outgrown = true;
  world.source.counters = {8};
  world.disk.fails = ENOSPC;
  world.disk.has_room_for_header = GENERATE(false, true);
  world.Take();
  CHECK(world.snapshots->figures().failed == 1);
  CHECK(world.source.begun == 1);
  CHECK(world.Counter() == 7);
  CHECK(world.Warnings() == 1);
  world.disk.fails = 0;
  world.Take();
  CHECK(world.snapshots->figures().failed == 1);
  CHECK(world.source.begun == 2);
  CHECK(world.Counter() == 8);
}

}  // namespace
}  // namespace iprof::vm
