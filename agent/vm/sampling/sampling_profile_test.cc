// Stacks on their way into a profile.
#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "agent/vm/sampling/stack_copy.h"
#include "writer/profile/sample_threads.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::vm {
namespace {

// Translates one bci after the other.
struct OneByOne : BciMap {
  virtual std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const = 0;
  void Translate(std::span<RunningBci> bcis) const override {
    for (RunningBci& bci : bcis) bci.original = OriginalBci(bci.method, bci.running);
  }
};

using sampling::CallFrame;
using sampling::TraceTable;

const void* Id(uintptr_t number) { return reinterpret_cast<const void*>(number * 8); }
CallFrame At(uintptr_t number, int32_t bci) { return {bci, reinterpret_cast<void*>(number * 8)}; }

struct World {
  std::unique_ptr<TraceTable> traces = std::move(*TraceTable::Create(1 << 20));
  SampledMethods methods;
  LineTables lines;
  Profile profile;

  World() {
    profile.AddStandardTypes();
    methods.AddClass("La/App;",
                     std::vector<MethodOfClass>{
                         {Id(1), "main", "([Ljava/lang/String;)V", MethodVersion::kCurrent},
                         {Id(2), "work", "(IJ)La/App;", MethodVersion::kCurrent},
                         {Id(3), "nap", "()V", MethodVersion::kCurrent}});
    methods.AddClass("Ljava/lang/invoke/LambdaForm$MH.0x000000080001;",
                     std::vector<MethodOfClass>{{Id(4), "invoke", "()V", MethodVersion::kCurrent}});
    methods.AddClass(
        "Ljava/lang/invoke/DirectMethodHandle$Holder;",
        std::vector<MethodOfClass>{{Id(5), "invokeStatic", "()V", MethodVersion::kCurrent}});
    methods.AddClass("La/App$$Lambda.0x000000080002;",
                     std::vector<MethodOfClass>{{Id(6), "run", "()V", MethodVersion::kCurrent}});
    methods.AddClass(
        "Ljdk/internal/vm/Continuation;",
        std::vector<MethodOfClass>{{Id(7), "enterSpecial", "()V", MethodVersion::kCurrent},
                                   {Id(8), "run", "()V", MethodVersion::kCurrent}});
    methods.AddClass("Ljava/lang/IprofTypes;",
                     std::vector<MethodOfClass>{
                         {Id(10), "spill", "(Ljava/lang/Class;I)V", MethodVersion::kCurrent}});
    methods.AddClass(
        "Ljava/lang/invoke/MethodHandleNatives;",
        std::vector<MethodOfClass>{{Id(9), "linkCallSite", "()V", MethodVersion::kCurrent}});
  }
  void Sample(std::vector<CallFrame> frames, uint64_t weight = 1, bool cut = false) {
    REQUIRE(traces->Add(frames, cut, weight));
  }
  std::map<std::string, int64_t> Written(SampleWriteCounts* counts = nullptr,
                                         const HiddenClassNames* names = nullptr,
                                         const BciMap* bcis = nullptr) {
    ProfileSink sink(profile);
    StackCopy copy;
    copy.FindNew(*traces);
    copy.AddTo(*traces, {.methods = methods, .names = names, .bcis = bcis, .lines = &lines}, sink);
    sink.SetWeights(copy.weights());
    if (counts != nullptr) *counts = copy.counts();
    std::map<std::string, int64_t> samples;
    for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
      std::string text;
      profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry), [&](const Frame& frame) {
        if (NamesNoMethod(profile, frame.method)) return;
        text += profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci) + " ";
      });
      samples[text] = profile.EntryCount(Table::kSamples, entry);
    }
    return samples;
  }
  // The lines that were written, by "method:bci".
  std::map<std::string, int32_t> Lines() const {
    std::map<std::string, int32_t> lines;
    for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
      profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry), [&](const Frame& frame) {
        if (const auto line = profile.notes().LineOf(frame.method, frame.bci))
          lines[profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci)] = *line;
      });
    }
    return lines;
  }
};

using Samples = std::map<std::string, int64_t>;

const std::string kMain = "a.App.main(java.lang.String[])void";
const std::string kWork = "a.App.work(int, long)a.App";

// The spelling of arrays by DescribeMethod is not tested here.
std::string MainName(World& world) {
  world.Written();
  for (const MethodIndex method : MethodsOf(world.profile))
    if (world.profile.MethodName(method) == "main") return world.profile.DescribeMethod(method);
  return "main is missing";
}

TEST_CASE("a stack becomes a context, innermost first, with its weight") {
  World world;
  world.Sample({At(2, 17), At(1, 4)}, 3);
  const Samples written = world.Written();
  CHECK(written == Samples{{kWork + ":17 " + MainName(world) + ":4 ", 3}});
}

TEST_CASE("native methods have bci 0, and so has code without a position") {
  World world;
  world.Sample({At(3, sampling::kNativeFrame)});
  world.Sample({At(3, -1)});
  CHECK(world.Written() == Samples{{"a.App.nap()void:0 ", 2}});
}

TEST_CASE("linkage frames are left out and counted, other frames of java.lang.invoke stay") {
  World world;
  world.Sample({At(2, 1), At(4, 9), At(5, 2), At(3, 5)});
  world.Sample({At(9, 6)});
  SampleWriteCounts counts;
  CHECK(world.Written(&counts) ==
        Samples{{kWork + ":1 a.App.nap()void:5 ", 1},
                {"java.lang.invoke.MethodHandleNatives.linkCallSite()void:6 ", 1}});
  CHECK(counts.linkage_frames == 2);
}

TEST_CASE("time in a probe, and in what it calls, belongs to the method that is counted") {
  World world;
  world.Sample({At(3, sampling::kNativeFrame), At(10, 7), At(2, 5), At(1, 4)});
  const Samples written = world.Written();
  CHECK(written == Samples{{kWork + ":5 " + MainName(world) + ":4 ", 1}});
}

TEST_CASE("a lambda is added under its stable name, and left out while that is unknown") {
  struct Names : HiddenClassNames {
    std::optional<std::string> StableName(BinaryName name) const override {
      if (name.text() != "a.App$$Lambda/0x000000080002") return std::nullopt;
      return "a.App$$Lambda/0xfeed0";
    }
    std::optional<std::string> StableDescriptor(Descriptor) const override { return std::nullopt; }
  } names;
  World world;
  world.Sample({At(6, 2), At(3, 1)});
  SampleWriteCounts counts;
  CHECK(world.Written(&counts) == Samples{{"a.App.nap()void:1 ", 1}});
  CHECK(counts.unstable_frames == 1);
  World again;
  again.Sample({At(6, 2)});
  CHECK(again.Written(&counts, &names) == Samples{{"a.App$$Lambda/0xfeed0.run()void:2 ", 1}});
  CHECK(counts.unstable_frames == 0);
}

TEST_CASE("a lambda that had its stable name from the start is always added") {
  World world;
  world.methods.AddClass("La/App$$Lambda.0xfeed0;",
                         std::vector<MethodOfClass>{{Id(11), "run", "()V"}}, ClassNaming::kStable);
  world.methods.AddClass("La/App$$Lambda$feed;", std::vector<MethodOfClass>{{Id(12), "run", "()V"}},
                         ClassNaming::kStable);
  world.Sample({At(11, 2)});
  world.Sample({At(12, 3)});
  CHECK(world.Written() ==
        Samples{{"a.App$$Lambda/0xfeed0.run()void:2 ", 1}, {"a.App$$Lambda$feed.run()void:3 ", 1}});
}

TEST_CASE("a virtual thread's stack ends where its continuation begins") {
  World world;
  world.Sample({At(2, 1), At(7, 0), At(8, 3), At(1, 4)}, 1, true);
  SampleWriteCounts counts;
  CHECK(world.Written(&counts) == Samples{{kWork + ":1 ", 1}});
  CHECK(counts.carrier_frames == 3);
  CHECK(counts.cut_contexts == 0);
}

TEST_CASE("bcis are those of the class file when the code that ran was rewritten") {
  struct Minus10 : OneByOne {
    std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const override {
      return method.name == "work" ? running - 10 : running;
    }
  } bcis;
  World world;
  world.Sample({At(2, 17), At(3, 17)});
  CHECK(world.Written(nullptr, nullptr, &bcis) == Samples{{kWork + ":7 a.App.nap()void:17 ", 1}});
}

CallFrame At(uintptr_t number, int32_t bci, uint32_t length, bool is_call) {
  return {bci, reinterpret_cast<void*>(number * 8), CodeStamp::Of(length, is_call)};
}

// Every method has 100 bytes in the class file, and 110 with a probe of ten bytes at its beginning.
struct ProbedOrNot : BciMap {
  bool forgets = false;
  void Translate(std::span<RunningBci> bcis) const override {
    for (RunningBci& bci : bcis) {
      bci.is_recorded = bci.method.name != "nap";
      bci.original_length = bci.is_recorded ? 100 : 0;
      bci.original = std::nullopt;
      if (!bci.is_recorded || (bci.code.is_known() && bci.code.Fits(100)))
        bci.original = bci.running;
      if (bci.is_recorded && bci.code.is_known() && bci.code.Fits(110))
        bci.original = bci.running - 10;
    }
  }
  bool MayHaveForgotten() const override { return forgets; }
};

TEST_CASE(
    "positions are translated by the code in which they were seen, not by that which runs now") {
  World world;
  const ProbedOrNot bcis;
  world.Sample({At(2, 17, 110, false), At(1, 24, 110, true)});
  world.Sample({At(2, 17, 100, false), At(1, 14, 100, true)});
  const Samples written = world.Written(nullptr, nullptr, &bcis);
  CHECK(written == Samples{{kWork + ":7 " + MainName(world) + ":14 ", 1},
                           {kWork + ":17 " + MainName(world) + ":14 ", 1}});
}

TEST_CASE("a stack ends before a caller whose position is not known or no call") {
  World world;
  const ProbedOrNot bcis;
  SampleWriteCounts counts;
  SECTION("unknown code") {
    world.Sample({At(2, 17, 110, false), At(2, 24, 123, true), At(1, 24, 110, true)});
    CHECK(world.Written(&counts, nullptr, &bcis) == Samples{{kWork + ":7 ", 1}});
    CHECK(counts.ends_at_unknown == 1);
  }
  SECTION("a class is initialised") {
    world.Sample({At(2, 17, 110, false), At(2, 24, 110, false), At(1, 24, 110, true)});
    CHECK(world.Written(&counts, nullptr, &bcis) == Samples{{kWork + ":7 ", 1}});
    CHECK(counts.ends_at_no_call == 1);
  }
  SECTION("old code without an id") {
    world.Sample({At(2, 17, 110, false), {24, nullptr}, At(1, 24, 110, true)});
    CHECK(world.Written(&counts, nullptr, &bcis) == Samples{{kWork + ":7 ", 1}});
    CHECK(counts.unnamed_frames == 1);
    CHECK(counts.ends_at_unknown == 1);
  }
  SECTION("a method that was not changed has other code by now") {
    world.lines.AddLength(Id(3), 40);
    world.Sample({At(2, 17, 110, false), At(3, 24, 41, true), At(1, 24, 110, true)});
    CHECK(world.Written(&counts, nullptr, &bcis) == Samples{{kWork + ":7 ", 1}});
    CHECK(counts.ends_at_unknown == 1);
  }
  CHECK(counts.cut_contexts == 1);
}

TEST_CASE("the innermost method is written although its position is not known") {
  World world;
  const ProbedOrNot bcis;
  world.Sample({At(2, 17, 123, false), At(2, 24, 110, true)});
  SampleWriteCounts counts;
  CHECK(world.Written(&counts, nullptr, &bcis) == Samples{{kWork + ":0 " + kWork + ":14 ", 1}});
  CHECK(counts.unknown_leaves == 1);
}

TEST_CASE("a method whose class is gone is trusted unless what was known of it is forgotten") {
  World world;
  ProbedOrNot bcis;
  world.Sample({At(3, 17, 41, false), At(2, 24, 110, true)});
  CHECK(world.Written(nullptr, nullptr, &bcis) ==
        Samples{{"a.App.nap()void:17 " + kWork + ":14 ", 1}});
  bcis.forgets = true;
  SampleWriteCounts counts;
  World again;
  again.Sample({At(3, 17, 41, false), At(2, 24, 110, true)});
  CHECK(again.Written(&counts, nullptr, &bcis) ==
        Samples{{"a.App.nap()void:0 " + kWork + ":14 ", 1}});
  CHECK(counts.unknown_leaves == 1);
}

TEST_CASE(
    "lines of old code are looked up by the class file's positions, if that is what runs now") {
  World world;
  const ProbedOrNot bcis;
  world.lines.Add(Id(2), {{0, 100}, {15, 101}});
  SECTION("it is") {
    world.lines.AddLength(Id(2), 100);
    world.Sample({At(2, 30, 110, false)});
    world.Written(nullptr, nullptr, &bcis);
    CHECK(world.Lines() == std::map<std::string, int32_t>{{kWork + ":20", 101}});
  }
  SECTION("the method has probes again") {
    world.lines.AddLength(Id(2), 110);
    world.Sample({At(2, 20, 100, false)});
    world.Written(nullptr, nullptr, &bcis);
    CHECK(world.Lines().empty());
  }
}

TEST_CASE("unknown methods are left out and counted; nothing left is counted by weight") {
  World world;
  world.Sample({At(99, 1), At(3, 2)});
  world.Sample({At(99, 1)}, 7);
  SampleWriteCounts counts;
  CHECK(world.Written(&counts) == Samples{{"a.App.nap()void:2 ", 1}});
  CHECK(counts.unnamed_frames == 2);
  CHECK(counts.empty_weight == 7);
  CHECK(counts.weight == 1);
}

// As if every method began with one probe instruction of ten bytes.
class TenLater : public OneByOne {
 public:
  std::optional<Bci> OriginalBci(const SampledMethod&, Bci running) const override {
    return running - 10;
  }
};

TEST_CASE("lines are those of the running code, kept by the class file's bcis") {
  World world;
  world.lines.Add(Id(2), {{0, 100}, {15, 101}});
  world.lines.Add(Id(3), {{0, 7}});  // a native method has none, and its bci is not a position
  world.Sample({At(3, -3), At(2, 17), At(1, 12)});
  world.Sample({At(2, 12), At(1, 12)});
  const TenLater bcis;
  world.Written(nullptr, nullptr, &bcis);
  CHECK(world.Lines() == std::map<std::string, int32_t>{{kWork + ":7", 101}, {kWork + ":2", 100}});
}

TEST_CASE("a method that is just being entered has the line of its first instruction") {
  World world;
  world.lines.Add(Id(2), {{0, 100}, {15, 101}});
  world.Sample({At(2, -1), At(1, 12)});
  world.Written();
  CHECK(world.Lines() == std::map<std::string, int32_t>{{kWork + ":0", 100}});
}

TEST_CASE("where another agent changed a method, no position and so no line is known") {
  struct Unknown : OneByOne {
    std::optional<Bci> OriginalBci(const SampledMethod&, Bci) const override {
      return std::nullopt;
    }
  } bcis;
  World world;
  world.lines.Add(Id(2), {{0, 100}});
  world.Sample({At(2, 17)}, 3);
  world.Sample({At(2, 30)}, 4);
  CHECK(world.Written(nullptr, nullptr, &bcis) == Samples{{kWork + ":0 ", 7}});
  CHECK(world.profile.extras().empty());
}

TEST_CASE("a profile without lines has no key for them") {
  World world;
  world.Sample({At(2, 17), At(1, 4)});
  world.Written();
  CHECK(world.profile.extras().empty());
}

TEST_CASE("cut stacks are counted") {
  World world;
  world.Sample({At(2, 1)}, 1, true);
  SampleWriteCounts counts;
  world.Written(&counts);
  CHECK(counts.cut_contexts == 1);
}

TEST_CASE("texts are shared between classes of the same name") {
  SampledMethods methods;
  for (uintptr_t i = 1; i <= 100; ++i)
    methods.AddClass("La/B;",
                     std::vector<MethodOfClass>{{Id(i), "run", "()V", MethodVersion::kCurrent}});
  CHECK(methods.size() == 100);
  CHECK(methods.Find(Id(1))->name.data() == methods.Find(Id(100))->name.data());
  CHECK_FALSE(methods.Find(Id(101)));
}

TEST_CASE("methods of unloaded classes stay while samples show them", "[sampling_profile]") {
  SampledMethods methods;
  methods.AddClass("La/Stays;",
                   std::vector<MethodOfClass>{{Id(1), "run", "()V", MethodVersion::kCurrent}});
  for (uintptr_t c = 1; c <= 1000; ++c) {
    const std::string name = "Lgenerated/Class" + std::to_string(c) + ";";
    const std::vector<MethodOfClass> two{{Id(10 * c), "run", "()V", MethodVersion::kCurrent},
                                         {Id(10 * c + 1), "stop", "()V", MethodVersion::kCurrent}};
    methods.AddClass(name, two, ClassNaming::kHotSpot, static_cast<int64_t>(c));
  }
  CHECK(methods.size() == 2001);
  const size_t full = methods.bytes();
  CHECK(methods.Gone(4711) == 0);
  for (int64_t c = 1; c <= 1000; ++c) CHECK(methods.Gone(c) == 2);
  CHECK(methods.gone_methods() == 2000);
  CHECK(methods.Find(Id(10))->class_descriptor == "Lgenerated/Class1;");

  methods.Prune({Id(70), Id(1)});
  CHECK(methods.size() == 2);
  CHECK(methods.Find(Id(70))->class_descriptor == "Lgenerated/Class7;");
  CHECK(methods.Find(Id(1))->class_descriptor == "La/Stays;");
  CHECK_FALSE(methods.Find(Id(71)));
  CHECK(methods.bytes() * 2 < full);
}

TEST_CASE("of old versions of methods, those that samples show stay") {
  SampledMethods methods;
  const auto replace = [&](uintptr_t id) {
    methods.AddClass("La/App;",
                     std::vector<MethodOfClass>{{Id(id), "run", "()V", MethodVersion::kReplaced}});
  };
  methods.AddClass("La/App;", std::vector<MethodOfClass>{{Id(1), "run", "()V"}});
  replace(2);
  replace(3);
  CHECK(methods.replaced_methods() == 2);
  methods.ReplacedGone();
  methods.Prune({Id(3)});
  CHECK(methods.replaced_methods() == 0);
  CHECK(methods.Find(Id(1)));
  CHECK_FALSE(methods.Find(Id(2)));
  CHECK(methods.Find(Id(3)));
  const size_t before = methods.bytes();
  for (uintptr_t id = 10; id < 1000; ++id) {
    replace(id);
    methods.ReplacedGone();
    methods.Prune({Id(3)});
  }
  CHECK(methods.size() == 2);
  CHECK(methods.bytes() <= before + 1024);
}

}  // namespace
}  // namespace iprof::vm
