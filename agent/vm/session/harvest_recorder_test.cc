// In a process without HotSpot, or with one that the test controls. With HotSpot: java-tests/tests/snapshot_kills.py.
#include "agent/vm/session/harvest_recorder.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "agent/settings/temporary_log.h"
#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/base/temporary_folder.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/harvest_note.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/raw_harvest.h"
#include "writer/records/raw/raw_reader.h"
#include "writer/records/raw/raw_sink.h"

namespace iprof::vm {
namespace {

struct World {
  FakeJvm jvm;
  TemporaryLog lines;
  Log log;
  Options options;

  explicit World(CountSource source) {
    REQUIRE(log.Open(lines.path()).ok());
    options.source = source;
  }
  instrument::MemoryBudget budget;

  HarvestRecorder Make(ExactKnowledge exact = {}, HarvestMeans means = {}) {
    return HarvestRecorder(jvm.vm(), options, 21, log, budget, std::move(exact), std::move(means));
  }
};

// A HotSpot that a test controls: it has one class with one counter.
struct FakeHotSpot {
  Status status;  // of the next readings
  uint64_t counter = 1;
  std::atomic<int> readings{0};
  uint64_t most_bytes = 0;                           // of the last reading's order
  std::function<void(const HarvestOrder&)> on_read;  // while it reads

  HarvestMeans Means(std::chrono::milliseconds patience = kMostHarvestTime) {
    return {.write = [this](JavaVM*, const HarvestOrder& order, const Profile*,
                            RecordSink& sink) { return Read(order, sink); },
            .patience = patience};
  }

 private:
  Result<std::string> Read(const HarvestOrder& order, RecordSink& sink) {
    ++readings;
    most_bytes = order.most_bytes;
    if (on_read) on_read(order);
    if (order.has_ended && order.has_ended()) return Status(Code::kUsage, "is ending");
    if (!status.ok()) return status;
    const uint64_t counters[] = {counter};
    sink.AddHarvest(RecordedClasses({}), counters, TypeCounts(), {});
    sink.SetPart(kHarvestPart, HarvestNote().ToJson());
    return std::string("read\n");
  }
};

// A raw file into which a recorder writes snapshots.
struct RawFile {
  TemporaryFolder folder;
  std::unique_ptr<RawWriter> writer;
  bool may_repeat = false;
  RawFile() {
    auto made = RawWriter::Create([&](int) { return std::string(folder / "a.iraw"); },
                                  {.agent_version = "test", .assembly = {}, .harvests = true}, {});
    REQUIRE(made.ok());
    writer = std::move(*made);
  }
  // Where the Write is ok, the snapshot is published. `has_exact`: probes have counted, and could be read.
  Status Write(HarvestRecorder& recorder, JNIEnv* jni, const Recorder::IsOver& is_over = {},
               bool has_exact = false) {
    RawSink sink(*writer, 1, may_repeat);
    const RecordedClasses classes({});
    const TypeCounts types;
    if (has_exact) sink.SetExact({.classes = &classes, .types = &types});
    if (Status status = recorder.Write(jni, sink, is_over); !status.ok()) return status;
    return sink.Publish().status;
  }
  // HotSpot's counter in the file.
  std::optional<uint64_t> Counter() const {
    std::ifstream in(writer->path(), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    RawMemoryBytes memory(bytes);
    const Result<RawContents> contents = ReadRaw(memory, "raw");
    REQUIRE(contents.ok());
    const auto harvest = ReadRawHarvest(contents->harvest);
    if (!harvest) return std::nullopt;
    CHECK(contents->parts.contains(std::string(kHarvestPart)));
    return harvest->counters()[0];
  }
};

Status WriteProfile(HarvestRecorder& recorder, JNIEnv* jni) {
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  return recorder.Write(jni, sink, {});
}

// Gives up after a minute. Also called by threads that must not check.
void Await(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!holds() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void UseCpu(uint64_t ns) {
  const uint64_t begun = ThreadCpuNs();
  while (ThreadCpuNs() - begun < ns) {
  }
}

TEST_CASE("HotSpot's counts cannot be forgotten, nor left out where probes count as well") {
  World of_hotspot(CountSource::kMethodData);
  CHECK(of_hotspot.Make().Allows(Request::kGoOn).ok());
  CHECK(of_hotspot.Make().Allows(Request::kReset).code() == Code::kUsage);
  World of_both(CountSource::kBoth);
  CHECK(of_both.Make().Allows(Request::kGoOn).code() == Code::kUsage);
}

TEST_CASE("a profile without HotSpot's counts is better than none, and there is one warning") {
  World world(CountSource::kMethodData);
  HarvestRecorder recorder = world.Make();
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  CHECK(recorder.Write(world.jvm.jni(), sink, {}).ok());
  CHECK(recorder.Write(world.jvm.jni(), sink, {}).ok());
  CHECK_FALSE(sink.at_rest());
  const std::vector<std::string> lines = world.lines.lines();
  REQUIRE(lines.size() == 1);
  CHECK(
      lines[0].find("HotSpot's counters are not in the profile: this JVM has an unknown layout") !=
      std::string::npos);
  RecorderTexts texts;
  recorder.Describe(sink, texts);
  CHECK(texts.summary.empty());
}

TEST_CASE("a raw file whose JVM cannot be read any more keeps the last counters") {
  World world(CountSource::kMethodData);
  FakeHotSpot hotspot;
  HarvestRecorder recorder = world.Make({}, hotspot.Means());
  RawFile file;
  hotspot.status = {Code::kIo, "could not be read within 20 seconds"};
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK_FALSE(file.Counter());
  hotspot.status = {};
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK(file.Counter() == 1);
  hotspot.counter = 2;
  hotspot.status = {Code::kIo, "could not be read within 20 seconds"};
  for (int i = 0; i < 3; ++i) {
    CHECK(file.Write(recorder, world.jvm.jni()).ok());
    CHECK(file.Counter() == 1);
  }
  CHECK(WriteProfile(recorder, world.jvm.jni()).ok());
  hotspot.status = {};
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK(file.Counter() == 2);
  const std::vector<std::string> lines = world.lines.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].ends_with(
      "HotSpot's counters are not in the profile: this JVM could not be read within 20 seconds"));
  CHECK(
      lines[1].ends_with("HotSpot's counters in the raw file are those of an earlier snapshot: "
                         "this JVM could not be read within 20 seconds"));
}

TEST_CASE("another raw file has had no counters yet") {
  World world(CountSource::kMethodData);
  FakeHotSpot hotspot;
  HarvestRecorder recorder = world.Make({}, hotspot.Means());
  RawFile first;
  CHECK(first.Write(recorder, world.jvm.jni()).ok());
  CHECK(first.Counter() == 1);
  RawFile second;
  second.may_repeat = true;
  CHECK(second.Write(recorder, world.jvm.jni()).ok());
  CHECK(second.Counter() == 1);
  CHECK(hotspot.readings == 2);
}

TEST_CASE("if the exact counts cannot be read now, a file keeps what it has, and others wait") {
  World world(CountSource::kBoth);
  FakeHotSpot hotspot;
  HarvestRecorder recorder =
      world.Make({.is_counted = [](std::string_view) { return true; }}, hotspot.Means());
  RawFile file;
  const Status without = file.Write(recorder, world.jvm.jni());
  CHECK(without.code() == Code::kLimit);
  CHECK(without.message() == "the exact counts could not be read in time");
  CHECK(file.Write(recorder, world.jvm.jni(), {}, /*has_exact=*/true).ok());
  hotspot.counter = 2;
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK(file.Counter() == 1);
  CHECK(world.lines.lines().empty());
}

TEST_CASE("a snapshot gives way to a profile") {
  World world(CountSource::kMethodData);
  FakeHotSpot hotspot;
  HarvestRecorder recorder = world.Make({}, hotspot.Means());
  RawFile file;
  std::atomic<bool> is_first{true};
  bool was_wanted = false;
  hotspot.on_read = [&](const HarvestOrder& order) {
    if (!is_first.exchange(false)) return;
    was_wanted = !order.has_ended();
    Await([&] { return order.has_ended(); });
  };
  Status snapshot;
  std::thread thread([&] { snapshot = file.Write(recorder, world.jvm.jni()); });
  Await([&] { return hotspot.readings == 1; });
  const Status profile = WriteProfile(recorder, world.jvm.jni());
  thread.join();
  CHECK(profile.ok());
  CHECK(was_wanted);
  CHECK(snapshot.code() == Code::kLimit);
  CHECK(snapshot.message() == "a profile is being made");
  CHECK(hotspot.readings == 2);
  CHECK(world.lines.lines().empty());
}

TEST_CASE("one Write reads at a time, and a profile waits for it only so long") {
  World world(CountSource::kMethodData);
  FakeHotSpot hotspot;
  HarvestRecorder recorder = world.Make({}, hotspot.Means(std::chrono::milliseconds(20)));
  RawFile file;
  std::atomic<bool> goes_on{false};
  hotspot.on_read = [&](const HarvestOrder&) { Await([&] { return goes_on.load(); }); };
  Status first;
  std::thread thread([&] { first = WriteProfile(recorder, world.jvm.jni()); });
  Await([&] { return hotspot.readings == 1; });
  const Status snapshot = file.Write(recorder, world.jvm.jni());
  const Status profile = WriteProfile(recorder, world.jvm.jni());
  goes_on = true;
  thread.join();
  CHECK(first.ok());
  CHECK(snapshot.message() == "a profile is being made");
  CHECK(profile.code() == Code::kLimit);
  CHECK(profile.message() == "HotSpot's counters are still being read, which hangs");
  CHECK(hotspot.readings == 1);
}

TEST_CASE("a snapshot reads with what is left of memory=, a profile with all of it") {
  World world(CountSource::kMethodData);
  world.options.memory.bytes = 64 << 20;
  world.budget.Set(instrument::MemoryPart::kRawFile, 10 << 20);
  FakeHotSpot hotspot;
  HarvestRecorder recorder = world.Make({}, hotspot.Means());
  RawFile file;
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK(hotspot.most_bytes == MostHarvestBytes(world.options) - (10 << 20));
  CHECK(WriteProfile(recorder, world.jvm.jni()).ok());
  CHECK(hotspot.most_bytes == MostHarvestBytes(world.options));
}

TEST_CASE("counters are read again once the program has used as much CPU time as that takes") {
  World world(CountSource::kMethodData);
  FakeHotSpot hotspot;
  hotspot.on_read = [](const HarvestOrder&) { UseCpu(100'000'000); };
  HarvestRecorder recorder = world.Make({}, hotspot.Means());
  RawFile file;
  file.may_repeat = true;
  for (int i = 0; i < 3; ++i) {
    CHECK(file.Write(recorder, world.jvm.jni()).ok());
    CHECK(file.Counter() == 1);
  }
  CHECK(hotspot.readings == 1);
  hotspot.counter = 2;
  UseCpu(100'000'000);
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK(file.Counter() == 2);
  CHECK(hotspot.readings == 2);
  file.may_repeat = false;  // who asks for one gets all
  hotspot.counter = 3;
  CHECK(file.Write(recorder, world.jvm.jni()).ok());
  CHECK(file.Counter() == 3);
}

TEST_CASE("a profile that another one replaces at the program's end is given up") {
  World world(CountSource::kMethodData);
  HarvestRecorder recorder = world.Make();
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  CHECK(recorder.Write(world.jvm.jni(), sink, [] { return true; }).code() == Code::kUsage);
  CHECK(world.lines.lines().empty());
}

TEST_CASE("where probes count as well, they tell whether the recording rests") {
  World world(CountSource::kBoth);
  HarvestRecorder recorder = world.Make({.is_counted = [](std::string_view) { return true; }});
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  CHECK(recorder.Write(world.jvm.jni(), sink, {}).ok());
  CHECK(sink.at_rest());
}

}  // namespace
}  // namespace iprof::vm
