// In a process without HotSpot. With one: java-tests/tests/snapshot_kills.py.
#include "agent/vm/session/harvest_recorder.h"

#include <catch2/catch.hpp>

#include "agent/settings/temporary_log.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/records/raw/profile_sink.h"

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
  HarvestRecorder Make(ExactKnowledge exact = {}) {
    return HarvestRecorder(jvm.vm(), options, 21, log, std::move(exact));
  }
};

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
  HarvestRecorder recorder = world.Make({.write = [](JNIEnv*, RecordSink&) { return Status(); }});
  Profile profile;
  profile.AddStandardTypes();
  ProfileSink sink(profile);
  CHECK(recorder.Write(world.jvm.jni(), sink, {}).ok());
  CHECK(sink.at_rest());
}

}  // namespace
}  // namespace iprof::vm
