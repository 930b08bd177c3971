#include "agent/hotspot/harvest/profiling_mode.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <iterator>

#include "agent/hotspot/fake_structs.h"

namespace iprof::hotspot {
namespace {

struct Flag {
  void* value;
  const char* name;
};

struct Vm {
  uint64_t stop_at = 4;
  uint8_t compiler = 1, tiered = 1;
  const char* mode = "default";
  uint8_t replays = 0;
  const char* cache = nullptr;
  Flag flags[6] = {{&stop_at, "TieredStopAtLevel"}, {&compiler, "UseCompiler"},
                   {&tiered, "TieredCompilation"},  {&mode, "CompilationMode"},
                   {&replays, "AOTReplayTraining"}, {&cache, "AOTCache"}};
  const Flag* first = flags;
  uint64_t count = std::size(flags);

  bool RunsWithoutProfiling() { return Ask(hotspot::RunsWithoutProfiling); }
  bool CountsToTheEnd() { return Ask(hotspot::CountsToTheEnd); }

  bool ReplaysTraining() { return Ask(hotspot::ReplaysTraining); }

  bool Ask(bool (*question)(const VmFlags&)) {
    FakeStructs fake;
    fake.AddField("JVMFlag", "_name", offsetof(Flag, name));
    fake.AddField("JVMFlag", "_addr", offsetof(Flag, value));
    fake.AddType("JVMFlag", sizeof(Flag));
    fake.AddStatic("JVMFlag", "flags", &first);
    fake.AddStatic("JVMFlag", "numFlags", &count);
    const OwnMemory memory;
    const VmStructs structs(memory, fake.Symbols());
    return question(VmFlags(structs));
  }
};

TEST_CASE("a JVM profiles unless its flags forbid it") {
  CHECK_FALSE(Vm().RunsWithoutProfiling());
  CHECK_FALSE(Vm{.stop_at = 3}.RunsWithoutProfiling());
  CHECK(Vm{.stop_at = 2}.RunsWithoutProfiling());
  CHECK(Vm{.stop_at = 0}.RunsWithoutProfiling());
  CHECK_FALSE(Vm{.stop_at = 1, .tiered = 0}.RunsWithoutProfiling());  // only C2
  CHECK(Vm{.compiler = 0}.RunsWithoutProfiling());                    // -Xint
  CHECK(Vm{.mode = "quick-only"}.RunsWithoutProfiling());
}

TEST_CASE("a JVM without C2 counts to the end") {
  CHECK(Vm{.stop_at = 3}.CountsToTheEnd());
  CHECK_FALSE(Vm().CountsToTheEnd());
  CHECK_FALSE(Vm{.stop_at = 2}.CountsToTheEnd());
  CHECK_FALSE((Vm{.stop_at = 3, .tiered = 0}.CountsToTheEnd()));  // only C2
}

TEST_CASE("a JVM with an AOT cache begins with the counts of its training") {
  CHECK((Vm{.replays = 1, .cache = "app.aot"}.ReplaysTraining()));
  CHECK_FALSE((Vm{.replays = 0, .cache = "app.aot"}.ReplaysTraining()));
  CHECK_FALSE(Vm{.replays = 1}.ReplaysTraining());
}

}  // namespace
}  // namespace iprof::hotspot
