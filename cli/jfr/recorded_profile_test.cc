#include "cli/jfr/recorded_profile.h"

#include <catch2/catch.hpp>

#include "cli/jfr/recording_builder.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/event_part.h"
#include "writer/profile/io/sampling_sum.h"
#include "writer/profile/sample_threads.h"

namespace iprof::jfr {
namespace {

using Bytes = std::vector<uint8_t>;

RecordedProfile Read(Bytes bytes, RecordingOrder order = {}) {
  RecordingFile file(std::move(bytes));
  Result<RecordedProfile> read = ReadRecording(file, order);
  INFO(read.status().message());
  REQUIRE(read.ok());
  return std::move(*read);
}

Status FailureOf(Bytes bytes) {
  RecordingFile file(std::move(bytes));
  return ReadRecording(file).status();
}

// "a.B.run()void:4<a.B.main()void:7<[main]: 2", sorted
std::vector<std::string> SamplesOf(const Profile& profile) {
  std::vector<std::string> lines;
  for (const EntryIndex entry : EntriesOf(profile, Table::kSamples)) {
    std::string line;
    profile.ForEachFrame(profile.EntryContext(Table::kSamples, entry), [&](Frame frame) {
      if (!line.empty()) line += '<';
      line += profile.DescribeMethod(frame.method) + ":" + std::to_string(frame.bci);
    });
    lines.push_back(line + ": " + std::to_string(profile.EntryCount(Table::kSamples, entry)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

int64_t PartNumber(const Profile& profile, std::string_view name) {
  const auto sum = SamplingSum::Parse(AgentPart(profile, kSamplingPart).value_or(""));
  REQUIRE(sum);
  return sum->Number(name);
}

// A program whose run() calls step(), in the thread worker-7.
struct Program {
  explicit Program(RecordingBuilder::Options options = {}) : chunk(options) {
    run = chunk.Method("a/B", "run", "(I)V");
    step = chunk.Method("a/C", "step", "()J");
    stack = chunk.Stack({{step, 4, 21}, {run, 7, 12}});
    thread = chunk.Thread("worker-7");
  }
  void Sample(int64_t ticks) { chunk.Event("jdk.ExecutionSample", {ticks, thread, stack}); }
  void Period(int64_t ticks, const std::string& period,
              std::string_view event = "jdk.ExecutionSample") {
    chunk.Event("jdk.ActiveSetting",
                {ticks, RecordingBuilder::TypeId(event), std::string("period"), period});
  }

  RecordingBuilder chunk;
  int64_t run, step, stack, thread;
};

Bytes Join(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr const char* kStack = "a.C.step()long:4<a.B.run(int)void:7<[worker-*]:0: ";

}  // namespace

TEST_CASE("a recording's samples are stacks with threads and lines") {
  const bool compressed = GENERATE(true, false);
  Program program({.compressed = compressed});
  program.Sample(10);
  program.Sample(20);
  program.Period(5, "10 ms");
  const RecordedProfile made = Read(program.chunk.Finish());
  CHECK(SamplesOf(made.profile) == std::vector<std::string>{kStack + std::string("2")});
  CHECK(made.figures.event == "jdk.ExecutionSample");
  CHECK(made.figures.interval_ns == 10'000'000);
  CHECK(made.figures.interval_is_known);
  CHECK(made.figures.problems.empty());
  CHECK(made.run.tables == "samples");
  CHECK(made.run.source == "jfr");
  const Frame leaf =
      made.profile.InnermostFrame(made.profile.EntryContext(Table::kSamples, EntryIndex{0}));
  CHECK(made.profile.notes().LineOf(leaf.method, leaf.bci) == 21);
}

TEST_CASE("samples weigh their own periods") {
  // The example of recorded_profile.h.
  Program program;
  const int64_t other = program.chunk.Stack({{program.run, 3, 11}});
  program.Period(0, "20 ms");
  program.Period(1000, "10 ms");
  for (int i = 0; i < 300; ++i) program.Sample(i);
  for (int i = 0; i < 100; ++i)
    program.chunk.Event("jdk.ExecutionSample", {1000 + i, program.thread, other});
  const RecordedProfile made = Read(program.chunk.Finish());
  CHECK(SamplesOf(made.profile) == std::vector<std::string>{"a.B.run(int)void:3<[worker-*]:0: 57",
                                                            kStack + std::string("343")});
  CHECK(made.figures.interval_ns == 17'500'000);
}

TEST_CASE("a chunk begins with the settings of the last one") {
  Program first;
  first.Period(0, "10 ms");
  first.Sample(1);
  Program second;
  second.Sample(2);
  const Bytes one = first.chunk.Finish();
  CHECK(Read(Join(one, second.chunk.Finish())).figures.interval_ns == 10'000'000);
  Program alone;
  alone.Sample(2);
  const RecordedProfile unknown = Read(alone.chunk.Finish());
  CHECK(unknown.figures.interval_ns == 20'000'000);
  CHECK_FALSE(unknown.figures.interval_is_known);
}

TEST_CASE("samples of CPU time are taken alone") {
  Program program;
  program.Sample(1);
  program.chunk.Event("jdk.CPUTimeSample", {2, program.stack, program.thread, 0, 10'000});
  program.chunk.Event("jdk.CPUTimeSample", {3, 0, program.thread, 1, 10'000});
  program.chunk.Event("jdk.CPUTimeSamplesLost", {4, 5, program.thread});
  const RecordedProfile made = Read(program.chunk.Finish());
  CHECK(SamplesOf(made.profile) == std::vector<std::string>{kStack + std::string("1")});
  CHECK(made.figures.event == "jdk.CPUTimeSample");
  CHECK(made.figures.samples == 2);
  CHECK(made.figures.other_samples == 1);
  CHECK(made.figures.lost == 5);
  CHECK(made.figures.interval_ns == 10'000'000);
  CHECK(PartNumber(made.profile, "failed") == 6);
  CHECK(made.run.losses == RunLosses{{"samples", 6}});
}

TEST_CASE("threads that wait in native code are added only if they are wanted") {
  const auto make = [] {
    Program program;
    program.Period(0, "10 ms");
    program.Period(0, "20 ms", "jdk.NativeMethodSample");
    const int64_t wait = program.chunk.Method("sun/nio/ch/EPoll", "wait", "(IJII)I");
    const int64_t stack = program.chunk.Stack({{wait, -1, -1, "Native"}, {program.run, 9, 13}});
    program.Sample(1);
    program.chunk.Event("jdk.NativeMethodSample", {2, program.thread, stack});
    return program.chunk.Finish();
  };
  const RecordedProfile without = Read(make());
  CHECK(SamplesOf(without.profile) == std::vector<std::string>{kStack + std::string("1")});
  CHECK(without.figures.native_left_out == 1);
  const RecordedProfile with = Read(make(), {.native = true});
  CHECK(with.figures.interval_ns == 15'000'000);
  CHECK(with.figures.native == 1);
  REQUIRE(SamplesOf(with.profile).size() == 2);
  CHECK(SamplesOf(with.profile)[1] ==
        "sun.nio.ch.EPoll.wait(int, long, int, int)int:0<a.B.run(int)void:9<[worker-*]:0: 1");
}

TEST_CASE("what a profile cannot have is left out of stacks") {
  Program program;
  program.Period(0, "10 ms");
  RecordingBuilder& chunk = program.chunk;
  const int64_t form = chunk.Method("java.lang.invoke.LambdaForm$MH/0x00007f0001", "invoke", "()V");
  const int64_t lambda = chunk.Method("a.B$$Lambda$88+0x00007fd4c0007a08/1790421142", "run", "()V");
  const int64_t enter = chunk.Method("jdk/internal/vm/Continuation", "enter", "()V");
  const int64_t broken = chunk.Method("a/D", "odd", "(");
  const auto sample = [&](const std::vector<RecordingBuilder::FrameFacts>& frames) {
    chunk.Event("jdk.ExecutionSample", {1, program.thread, chunk.Stack(frames)});
  };
  sample({{form, 1, -1}, {lambda, 2, -1}, {program.run, 3, 11}});         // linkage, a lambda
  sample({{program.step, 4, 21}, {enter, 5, 1}, {program.run, 6, 11}});   // a virtual thread
  sample({{program.step, 5, 21}, {program.run, -1, -1}});                 // no position
  sample({{program.step, 6, 21}, {broken, 3, 1}, {program.run, 6, 11}});  // no name
  sample({{lambda, 2, -1}});                                              // nothing is left
  const RecordedProfile made = Read(chunk.Finish());
  CHECK(SamplesOf(made.profile) == std::vector<std::string>{"a.B.run(int)void:3<[worker-*]:0: 1",
                                                            "a.C.step()long:4<[worker-*]:0: 1",
                                                            "a.C.step()long:5<[worker-*]:0: 1",
                                                            "a.C.step()long:6<[worker-*]:0: 1"});
  CHECK(made.figures.without_stack == 1);
  CHECK(PartNumber(made.profile, "unstableFrames") == 1);
  CHECK(PartNumber(made.profile, "linkageFrames") == 1);
  CHECK(PartNumber(made.profile, "carrierFrames") == 2);
  CHECK(PartNumber(made.profile, "endsAtNoCall") == 1);
  CHECK(PartNumber(made.profile, "endsAtUnknown") == 1);
  CHECK(PartNumber(made.profile, "failed") == 0);
}

TEST_CASE("stacks that JFR truncated are marked") {
  Program program;
  const int64_t cut = program.chunk.Stack({{program.step, 4, 21}}, /*truncated=*/true);
  program.Sample(1);
  for (int i = 0; i < 3; ++i) program.chunk.Event("jdk.ExecutionSample", {2, program.thread, cut});
  const RecordedProfile made = Read(program.chunk.Finish());
  CHECK(made.figures.truncated == 3);
  CHECK(PartNumber(made.profile, "cutSamples") == 3);
  CHECK(PartNumber(made.profile, "cutContexts") == 1);
}

TEST_CASE("allocations are those of one kind of event") {
  const bool sampled = GENERATE(true, false);
  Program program;
  RecordingBuilder& chunk = program.chunk;
  const int64_t bytes = chunk.Class("[B");
  const int64_t lambda = chunk.Class("a.B$$Lambda/0x00007f0001");
  if (sampled) {
    chunk.Event("jdk.ObjectAllocationSample", {1, program.thread, program.stack, bytes, 1000});
    chunk.Event("jdk.ObjectAllocationSample", {2, program.thread, program.stack, bytes, 500});
    chunk.Event("jdk.ObjectAllocationSample", {3, program.thread, program.stack, lambda, 20});
  }
  chunk.Event("jdk.ObjectAllocationInNewTLAB", {1, program.thread, program.stack, bytes, 16, 4096});
  chunk.Event("jdk.ObjectAllocationOutsideTLAB", {2, program.thread, program.stack, bytes, 9000});
  const RecordedProfile made = Read(chunk.Finish());
  const EventTables events = EventsOf(made.profile);
  REQUIRE(events.allocation_figures());
  const auto rows = events.allocations();
  REQUIRE(rows.size() == (sampled ? 2 : 1));
  const auto& row = events.NameOf(rows[0].type) == "[B" ? rows[0] : rows[1];
  CHECK(row.bytes == (sampled ? 1500 : 13'096));
  CHECK(row.objects == (sampled ? 2 : 257));
  CHECK(row.samples == 2);
  CHECK(events.NameOf(row.thread) == "worker-*");
  CHECK(events.Frames(row.stack).size() == 2);
  CHECK(events.MethodOf(events.Frames(row.stack)[0].method).descriptor == "()J");
  if (sampled) CHECK(events.types()[1] == "a.B$$Lambda");
  CHECK(made.run.tables == "allocations");
  CHECK(made.figures.samples == 0);
}

TEST_CASE("waits are those for locks") {
  Program program;
  RecordingBuilder& chunk = program.chunk;
  const auto park = [&](const std::string& caller, const std::string& blocker) {
    const int64_t stack = chunk.Stack(
        {{chunk.Method("jdk/internal/misc/Unsafe", "park", "(ZJ)V"), -1, -1, "Native"},
         {chunk.Method("java/util/concurrent/locks/LockSupport", "park", "(Ljava/lang/Object;)V"),
          5, 1},
         {chunk.Method(caller, "acquire", "(I)V"), 6, 1},
         {program.run, 7, 12}});
    chunk.Event("jdk.ThreadPark", {1, 2000, program.thread, stack, chunk.Class(blocker)});
  };
  const std::string queue = "java/util/concurrent/locks/AbstractQueuedSynchronizer";
  park(queue, "java/util/concurrent/locks/ReentrantLock$NonfairSync");
  park(queue, "java/util/concurrent/CountDownLatch$Sync");
  park(queue + "$ConditionObject", queue + "$ConditionObject");
  park("java/util/concurrent/FutureTask", "java/util/concurrent/FutureTask");
  const int64_t monitor = chunk.Class("a/Lock");
  chunk.Event("jdk.JavaMonitorEnter", {1, 3000, program.thread, program.stack, monitor});
  chunk.Event("jdk.JavaMonitorWait", {1, 9000, program.thread, program.stack, monitor, 0});
  chunk.Event("jdk.ActiveSetting", {0, RecordingBuilder::TypeId("jdk.ThreadPark"),
                                    std::string("enabled"), std::string("true")});
  chunk.Event("jdk.ActiveSetting", {0, RecordingBuilder::TypeId("jdk.ThreadPark"),
                                    std::string("threshold"), std::string("20 ms")});
  const RecordedProfile made = Read(chunk.Finish());
  const EventTables events = EventsOf(made.profile);
  REQUIRE(events.waits().size() == 2);
  CHECK(SumOf(events, EventValue::kLockTime) == 5'000'000);
  CHECK(SumOf(events, EventValue::kLockCount) == 2);
  CHECK(events.wait_figures()->thresholds == std::set<int64_t>{20'000'000});
  CHECK(made.figures.waits_for_work == 3);
}

TEST_CASE("a run is told from its JVM and its first chunk") {
  const auto make = [](int64_t pid, bool longer) {
    Program program;
    program.chunk.Event(
        "jdk.JVMInformation",
        {1,
         std::string("OpenJDK 64-Bit Server VM (17.0.15+6-Debian-1deb12u1) for linux-amd64 JRE "
                     "(17.0.15+6-Debian-1deb12u1), built on May  1 2025"),
         std::string("/opt/acme/app.jar --port 80"), 1'763'999'999'500, pid});
    program.Sample(2);
    Bytes bytes = program.chunk.Finish();
    Program later;
    later.Sample(3);
    return longer ? Join(bytes, later.chunk.Finish()) : bytes;
  };
  const RecordedProfile made = Read(make(7, false));
  CHECK(made.run.jvm_build == "17.0.15+6-Debian-1deb12u1");
  CHECK(made.run.jvm_version == "17.0.15");
  CHECK(made.run.architecture == "x86_64");
  CHECK(made.java_command == "/opt/acme/app.jar --port 80");
  CHECK(made.run.recorded_ms == 5000);
  CHECK(made.run.begin == kBeginAtStart);
  CHECK(made.run.run == Read(make(7, true)).run.run);
  CHECK(made.run.run != Read(make(8, false)).run.run);
}

TEST_CASE("damaged and unfinished chunks are named by their offset") {
  Program whole;
  whole.Sample(1);
  const Bytes first = whole.chunk.Finish();
  const std::string at = std::to_string(first.size());

  SECTION("an event that is none: what comes before it counts") {
    Program program;
    program.Sample(1);
    program.chunk.Checkpoint();
    const uint64_t damage = program.chunk.next();
    program.chunk.Raw({0, 0, 0, 0});
    program.Sample(2);
    const RecordedProfile made = Read(Join(first, program.chunk.Finish()));
    CHECK(SamplesOf(made.profile) == std::vector<std::string>{kStack + std::string("2")});
    CHECK(made.figures.problems ==
          std::vector<std::string>{"the chunk at " + at + " is damaged at " +
                                   std::to_string(first.size() + damage) +
                                   ": no event begins there"});
  }
  SECTION("the JVM was killed") {
    Program program({.finished = false});
    program.Sample(1);
    const RecordedProfile made = Read(Join(first, Join(program.chunk.Finish(), {1, 2, 3, 4})));
    CHECK(SamplesOf(made.profile) == std::vector<std::string>{kStack + std::string("2")});
    CHECK(made.figures.problems ==
          std::vector<std::string>{"the chunk at " + at +
                                   " was not finished: it is read up to its last checkpoint"});
  }
  SECTION("the JVM was killed before the first checkpoint") {
    Bytes bytes = Program({.finished = false}).chunk.Finish();
    std::fill_n(bytes.begin() + 8, 24, 0);
    const RecordedProfile made = Read(Join(first, bytes));
    CHECK(made.figures.problems ==
          std::vector<std::string>{"the chunk at " + at +
                                   " was not finished, and has no checkpoint; it is left out"});
    CHECK(made.figures.chunks_left_out == 1);
    CHECK(FailureOf(bytes).message() == "the chunk at 0 was not finished, and has no checkpoint");
  }
  SECTION("the file is cut") {
    Program program;
    program.Sample(1);
    Bytes bytes = program.chunk.Finish();
    bytes.resize(bytes.size() - 10);
    const RecordedProfile made = Read(Join(first, bytes));
    CHECK(
        made.figures.problems ==
        std::vector<std::string>{"the chunk at " + at +
                                 " is cut short: the file ends inside it, and its metadata is not "
                                 "there; it is left out"});
  }
  SECTION("what is between two chunks is skipped") {
    Bytes bytes = Join(first, {1, 2, 3, 'F', 'L', 'R', 0, 9, 9});
    const uint64_t third = bytes.size();
    bytes = Join(bytes, Bytes(80, 7));
    Program program;
    program.Sample(1);
    const RecordedProfile made = Read(Join(bytes, program.chunk.Finish()));
    CHECK(third > 0);
    CHECK(SamplesOf(made.profile) == std::vector<std::string>{kStack + std::string("2")});
    CHECK(made.figures.problems ==
          std::vector<std::string>{"the chunk at " + at + " has no header; it is left out"});
  }
  SECTION("a chunk of another version") {
    Bytes bytes = first;
    bytes[5] = 1;
    CHECK(FailureOf(bytes).message() ==
          "the chunk at 0 has version 1.1 of the format, and only 2 can be read");
  }
  SECTION("nothing") { CHECK(FailureOf({}).message() == "is empty, and so no recording"); }
}

TEST_CASE("any byte of a recording may be damaged") {
  Program program;
  program.Period(0, "10 ms");
  program.Sample(1);
  program.chunk.Event("jdk.ObjectAllocationSample",
                      {1, program.thread, program.stack, program.chunk.Class("[B"), 1000});
  const Bytes whole = program.chunk.Finish();
  size_t read = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      Bytes bytes = whole;
      bytes[i] = static_cast<uint8_t>(bytes[i] ^ flip);
      RecordingFile file(bytes);
      const Result<RecordedProfile> made = ReadRecording(file);
      if (made.ok()) ++read;
      CHECK(made.ok() == made.status().message().empty());
    }
  }
  CHECK(read > whole.size());  // most bytes are names
}

}  // namespace iprof::jfr
