#include "agent/harvest/profiling_mode.h"

#include <catch2/catch.hpp>
#include <cstddef>
#include <iterator>
#include <string>

#include "agent/hotspot/fake_structs.h"

namespace iprof::hotspot {
namespace {

struct Flag {
  void* value;
  const char* name;
};

struct Vm {
  uint64_t stop_at = 4;
  uint8_t compiler = 1, tiered = 1, interpreter = 1;
  const char* mode = "default";
  uint8_t replays = 0;
  const char* cache = nullptr;
  Flag flags[7] = {{&stop_at, "TieredStopAtLevel"},     {&compiler, "UseCompiler"},
                   {&tiered, "TieredCompilation"},      {&mode, "CompilationMode"},
                   {&replays, "AOTReplayTraining"},     {&cache, "AOTCache"},
                   {&interpreter, "ProfileInterpreter"}};
  const Flag* first = flags;
  uint64_t count = std::size(flags);

  bool RunsWithoutProfiling() { return Ask(hotspot::RunsWithoutProfiling); }
  bool CountsToTheEnd() { return Ask(hotspot::CountsToTheEnd); }

  bool ReplaysTraining() { return Ask(hotspot::ReplaysTraining); }

  std::string WithoutProfiling() { return Ask(hotspot::WithoutProfiling); }
  std::string WithoutCompiledCounts() { return Ask(hotspot::WithoutCompiledCounts); }

  template <typename Answer>
  Answer Ask(Answer (*question)(const VmFlags&)) {
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

TEST_CASE("the option that forbids profiling is the one that was given") {
  CHECK(Vm().WithoutProfiling().empty());
  CHECK(Vm{.stop_at = 2}.WithoutProfiling() == "-XX:TieredStopAtLevel=2");
  // HotSpot itself turns off its compilers and tiers.
  CHECK((Vm{.stop_at = 0, .compiler = 0, .tiered = 0, .interpreter = 0}.WithoutProfiling() ==
         "-XX:TieredStopAtLevel=0"));
  CHECK((Vm{.compiler = 0, .tiered = 0, .interpreter = 0}.WithoutProfiling() == "-Xint"));
  CHECK(Vm{.compiler = 0}.WithoutProfiling() == "-XX:-UseCompiler");
  CHECK(Vm{.mode = "quick-only"}.WithoutProfiling() == "-XX:CompilationMode=quick-only");
}

TEST_CASE("compiled code counts from tier 3 on") {
  CHECK(Vm().WithoutCompiledCounts().empty());
  CHECK(Vm{.stop_at = 3}.WithoutCompiledCounts().empty());
  CHECK(Vm{.stop_at = 2}.WithoutCompiledCounts() == "-XX:TieredStopAtLevel=2");
  CHECK(Vm{.stop_at = 1}.WithoutCompiledCounts() == "-XX:TieredStopAtLevel=1");
  CHECK((Vm{.stop_at = 1, .tiered = 0}.WithoutCompiledCounts().empty()));  // only C2
  CHECK(Vm{.compiler = 0}.WithoutCompiledCounts().empty());  // as with a full code cache
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
