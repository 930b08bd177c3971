#include "agent/vm/sampling/stack_copy.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "writer/base/temporary_folder.h"
#include "writer/profile/sample_threads.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/raw_sink.h"

namespace iprof::vm {
namespace {

using sampling::CallFrame;
using sampling::TraceTable;

const void* Id(uintptr_t number) { return reinterpret_cast<const void*>(number * 8); }
CallFrame At(uintptr_t number, int32_t bci) { return {bci, reinterpret_cast<void*>(number * 8)}; }

// Adds 100 to every bci, and counts how often it is asked, and for how many.
struct Bcis : BciMap {
  mutable int calls = 0;
  mutable int asked = 0;
  void Translate(std::span<RunningBci> bcis) const override {
    ++calls;
    for (RunningBci& bci : bcis) {
      ++asked;
      bci.original = bci.running + 100;
    }
  }
};

struct World {
  TemporaryFolder folder;
  std::unique_ptr<TraceTable> traces = std::move(*TraceTable::Create(1 << 20));
  SampledMethods methods;
  Bcis bcis;
  SampleBaseline since;
  StackCopy copy;
  LineTables lines;
  ThreadNames threads;
  std::unique_ptr<RawWriter> file;
  int files = 0;

  World() {
    methods.AddClass("La/App;",
                     std::vector<MethodOfClass>{
                         {Id(1), "main", "()V"}, {Id(2), "work", "(I)V"}, {Id(3), "idle", "()V"}});
    methods.AddClass("Ljava/lang/IprofTypes;",
                     std::vector<MethodOfClass>{{Id(10), "spill", "(Ljava/lang/Class;I)V"}});
    Begin();
  }

  void Begin() {
    const std::string path = folder / (std::to_string(++files) + ".iraw");
    auto made = RawWriter::Create([&](int) { return path; }, {}, {});
    REQUIRE(made.ok());
    file = std::move(*made);
    copy.Begin();
  }
  void Sample(std::vector<CallFrame> frames, uint64_t weight = 1,
              sampling::TraceLabels labels = {}) {
    REQUIRE(traces->Add(frames, false, weight, nullptr, labels));
  }
  // "main:104 work:107" → weight, as a reader of the file sees it.
  std::map<std::string, uint64_t> Snapshot(const std::function<void()>& during = [] {}) {
    lines = LineTables();
    for (const void* id : copy.FindNew(*traces)) lines.Add(id, {{0, 50}, {6, 51}});
    during();
    RawSink sink(*file, 1);
    copy.AddTo(
        *traces,
        {.methods = methods, .bcis = &bcis, .lines = &lines, .since = &since, .threads = &threads},
        sink);
    sink.SetWeights(copy.weights());
    REQUIRE(sink.Publish().status.ok());
    std::ifstream in(file->path(), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    RawMemoryBytes memory(bytes);
    const Result<RawContents> contents = ReadRaw(memory, file->path());
    INFO(contents.status().message());
    REQUIRE(contents.ok());
    std::map<std::string, uint64_t> stacks;
    for (const RawStack& stack : contents->stacks) {
      std::string text;
      for (const RawStackFrame& frame : stack.frames) {
        const RawMethod& method = contents->methods.at(frame.method);
        if (method.type == kThreadType) {
          CHECK((frame.bci > 0 && &frame == &stack.frames.back()));
          if (!method.name.empty()) text += "[" + std::string(method.name) + "] ";
          if (frame.bci > 1) text += "from " + std::to_string(frame.bci - 1) + " s ";
          continue;
        }
        CHECK(method.type == "a.App");
        CHECK(frame.line == (frame.bci - 100 < 6 ? 50 : 51));  // of the running code
        text += std::string(method.name) + ":" + std::to_string(frame.bci) + " ";
      }
      stacks[text] += stack.weight;
    }
    return stacks;
  }
};

using Stacks = std::map<std::string, uint64_t>;

TEST_CASE("each snapshot has all stacks with their weights, and adds a stack once") {
  World world;
  world.Sample({At(2, 7), At(1, 4)}, 3);
  CHECK(world.Snapshot() == Stacks{{"work:107 main:104 ", 3}});
  CHECK(world.bcis.asked == 2);
  CHECK(world.bcis.calls == 1);
  world.Sample({At(2, 7), At(1, 4)}, 2);
  CHECK(world.Snapshot() == Stacks{{"work:107 main:104 ", 5}});
  world.Sample({At(3, 1), At(1, 4)});
  CHECK(world.Snapshot() == Stacks{{"work:107 main:104 ", 5}, {"idle:101 main:104 ", 1}});
  CHECK(world.bcis.asked == 3);  // main:4 was known
  CHECK(world.copy.counts().contexts == 2);
  CHECK(world.copy.counts().weight == 6);
}

TEST_CASE("stacks of different threads are different, and those of a pool are not") {
  World world;
  world.threads.Note(Id(1), "pool-1-thread-1");
  world.threads.Note(Id(2), "pool-1-thread-2");
  world.threads.Note(Id(3),
                     "caf\xc3\xa9 \xed\xa0\xbd\xed\xb8\x80");  // with an emoji, as JVMTI has it
  const auto sample = [&](uintptr_t thread) {
    world.Sample({At(2, 7), At(1, 4)}, 1, {.thread = world.threads.NumberOf(Id(thread))});
  };
  for (const uintptr_t thread : {1U, 2U, 3U, 4U}) sample(thread);
  const Stacks expected{{"work:107 main:104 [pool-*-thread-*] ", 2},
                        {"work:107 main:104 [caf\xc3\xa9 \xf0\x9f\x98\x80] ", 1},
                        {"work:107 main:104 ", 1}};
  CHECK(world.Snapshot() == expected);
  CHECK(world.Snapshot() == expected);
}

TEST_CASE("stacks know the period in which they were seen") {
  World world;
  world.threads.Note(Id(1), "main");
  const uint32_t thread = world.threads.NumberOf(Id(1));
  world.Sample({At(2, 7), At(1, 4)}, 2);
  world.Sample({At(2, 7), At(1, 4)}, 3, {.period = 4});
  world.Sample({At(2, 7), At(1, 4)}, 5, {.thread = thread, .period = 7});
  CHECK(world.Snapshot() == Stacks{{"work:107 main:104 ", 2},
                                   {"work:107 main:104 from 4 s ", 3},
                                   {"work:107 main:104 [main] from 12 s ", 5}});
  world.Sample({At(2, 7), At(1, 4)}, 4, {.period = 4});
  CHECK(world.Snapshot().at("work:107 main:104 from 4 s ") == 7);
}

TEST_CASE("what is sampled during a snapshot is in the next one, with its lines") {
  World world;
  world.Sample({At(2, 7), At(1, 4)}, 3);
  const auto sample_more = [&] {
    world.Sample({At(3, 1)});
    world.Sample({At(2, 7), At(1, 4)});
  };
  CHECK(world.Snapshot(sample_more) == Stacks{{"work:107 main:104 ", 4}});
  CHECK(world.Snapshot() == Stacks{{"work:107 main:104 ", 4}, {"idle:101 ", 1}});
}

TEST_CASE("a new file has everything again") {
  World world;
  world.Sample({At(2, 7), At(1, 4)}, 3);
  world.Sample({At(3, 1)});
  const Stacks before = world.Snapshot();
  world.Begin();
  CHECK(world.Snapshot() == before);
  CHECK(world.copy.counts().contexts == 2);
}

TEST_CASE("a stack without frames has no entry, and its weight is counted") {
  World world;
  world.Sample({At(10, 1)}, 4);
  CHECK(world.Snapshot().empty());
  CHECK(world.copy.counts().empty_weight == 4);
}

TEST_CASE("what was sampled before a reset is left out") {
  World world;
  world.Sample({At(2, 7)}, 3);
  world.Sample({At(3, 1)}, 2);
  world.Snapshot();
  world.since.Take(*world.traces);
  world.Sample({At(3, 1)}, 5);
  CHECK(world.Snapshot() == Stacks{{"idle:101 ", 5}});
}

TEST_CASE("a stack keeps its names when its class is gone") {
  World world;
  world.Sample({At(2, 7)}, 3);
  world.Snapshot();
  world.methods.AddClass("La/Other;", std::vector<MethodOfClass>{{Id(20), "gone", "()V"}},
                         ClassNaming::kHotSpot, 5);
  world.methods.Gone(5);
  world.methods.Prune({});
  world.Sample({At(2, 7)}, 1);
  CHECK(world.Snapshot() == Stacks{{"work:107 ", 4}});
}

TEST_CASE("positions are asked for again after classes were changed") {
  World world;
  world.Sample({At(2, 7)});
  world.Snapshot();
  world.copy.ForgetPositions();
  world.Sample({At(2, 7), At(1, 1)});
  world.Snapshot();
  CHECK(world.bcis.asked == 3);
}

}  // namespace
}  // namespace iprof::vm
