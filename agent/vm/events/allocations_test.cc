#include "agent/vm/events/allocations.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/profile/io/event_part.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::vm {
namespace {

std::optional<std::string> NameOf(jvmtiEnv*, JNIEnv*, jclass, std::string_view signature) {
  return std::string(signature);
}

struct Sampled {
  FakeJvm jvm;
  Log log;
  instrument::MemoryBudget budget;
  EventStacks stacks{NameOf, {}, true, budget, 1 << 20};
  Allocations allocations{jvm.vm(), log, stacks, 1000, {.most_objects = 100, .pauses = 1}};
  FakeMethod* const run = jvm.AddMethod(jvm.AddClass("a/B"), "run", "()V");
  FakeClass* const type = jvm.AddClass("a/C");

  ~Sampled() { CHECK(allocations.Close()); }
  void Begin() {
    REQUIRE(allocations.Prepare(StartMoment::kRunning).ok());
    REQUIRE(allocations.Begin(jvm.jni()).ok());
  }
  FakeObject* New(jlong size, jlocation at = 7) {
    jvm.stack = {{run, at, 21}};
    FakeObject* const object = jvm.NewObject(type);
    jvm.Allocate(object, size);
    return object;
  }
  EventTables Written() {
    Profile profile;
    profile.AddStandardTypes();
    ProfileSink sink(profile);
    REQUIRE(allocations.Write(jvm.jni(), sink, {}).ok());
    return EventsOf(profile);
  }
  int64_t Samples() {
    const EventTables tables = Written();
    return tables.allocation_figures()->samples;
  }
  bool HasEvents() const {
    const auto enabled = jvm.enabled_events();
    return enabled.contains(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
  }
};

TEST_CASE("a sample stands for the inverse of its probability") {
  Sampled s;
  s.Begin();
  CHECK(s.jvm.heap_sampling_interval == 1000);
  for (int i = 0; i < 100; ++i) s.New(16);
  s.New(10'000, 8);
  const EventTables tables = s.Written();
  REQUIRE(tables.allocations().size() == 2);
  for (const EventTables::Allocation& row : tables.allocations()) {
    CHECK(tables.NameOf(row.type) == "La/C;");
    if (row.samples == 100) {
      // 16 / (1 - e^-0.016) is 1,008.02.
      CHECK(row.bytes == 100'802);
      CHECK(row.objects == 6'300);
    } else {
      CHECK(row.samples == 1);
      CHECK(row.bytes == 10'001);  // with what the other row has cut off
      CHECK(row.objects == 1);
    }
    CHECK(row.live_samples == 0);  // there was no collection
  }
  REQUIRE(tables.allocation_figures());
  CHECK(tables.allocation_figures()->samples == 101);
  CHECK(tables.allocation_figures()->dropped == 0);
  CHECK(tables.allocation_figures()->swept_ms == 0);
}

TEST_CASE("what survived the last collection is in its row") {
  Sampled s;
  s.Begin();
  for (int i = 0; i < 10; ++i) {
    FakeObject* const object = s.New(10'000);
    if (i < 6) s.jvm.Unload(object);
  }
  s.jvm.CollectGarbage();
  const EventTables tables = s.Written();
  REQUIRE(tables.allocations().size() == 1);
  const EventTables::Allocation& row = tables.allocations().front();
  CHECK(row.samples == 10);
  CHECK(row.live_samples == 4);
  CHECK(row.live_bytes == 40'002);
  CHECK(row.live_objects == 4);
  CHECK(tables.allocation_figures()->swept_ms > 0);
}

TEST_CASE(
    "another tool that samples allocations prevents the start, and nothing is taken from the JVM") {
  Sampled s;
  // The first call asks for what every environment can have.
  s.Begin();
  s.allocations.Pause(s.jvm.jni());
  s.jvm.heap_sampling_interval = 77;
  s.jvm.refuse["AddCapabilities"] = JVMTI_ERROR_NOT_AVAILABLE;
  const Status status = s.allocations.Prepare(StartMoment::kRunning);
  CHECK(status.code() == Code::kUnsupported);
  CHECK(status.message().starts_with("option 'alloc': another tool samples the allocations"));
  CHECK(s.jvm.heap_sampling_interval == 77);
  CHECK_FALSE(s.HasEvents());
}

TEST_CASE("a pause gives everything back, and what was recorded stays") {
  Sampled s;
  s.Begin();
  s.New(10'000);
  CHECK(s.HasEvents());
  s.allocations.Pause(s.jvm.jni());
  CHECK(s.jvm.enabled_events().empty());
  CHECK(s.jvm.heap_sampling_interval == 512 << 10);
  for (const FakeEnvironment& one : s.jvm.environments())
    CHECK(one.capabilities.can_generate_sampled_object_alloc_events == 0);
  s.New(10'000);
  CHECK(s.Samples() == 1);
  s.Begin();
  s.New(10'000);
  CHECK(s.Samples() == 2);
}

TEST_CASE("a reset forgets all, and rows of what comes later are right") {
  Sampled s;
  s.Begin();
  s.New(10'000);
  s.New(16, 8);
  s.jvm.CollectGarbage();
  REQUIRE(s.allocations.Reset(s.jvm.jni(), ResetScope::kAll).ok());
  CHECK(s.jvm.live_weak_references == 0);
  EventTables tables = s.Written();
  CHECK(tables.allocations().empty());
  CHECK(tables.allocation_figures()->samples == 0);
  s.New(10'000);
  tables = s.Written();
  REQUIRE(tables.allocations().size() == 1);
  CHECK(tables.allocations().front().samples == 1);
}

TEST_CASE("an exception of the program stays pending") {
  Sampled s;
  s.Begin();
  FakeClass* const thrown = s.jvm.AddClass("a/Thrown");
  s.jvm.pending = thrown;
  s.New(10'000);
  CHECK(s.jvm.pending == thrown);
  s.jvm.pending = nullptr;
  CHECK(s.Samples() == 1);
}

TEST_CASE("nothing is recorded after the end, and an allocation without a stack is dropped") {
  Sampled s;
  s.Begin();
  s.jvm.refuse["GetStackTrace"] = JVMTI_ERROR_THREAD_NOT_ALIVE;
  s.New(100);
  s.jvm.refuse.clear();
  EventTables tables = s.Written();
  CHECK(tables.allocations().empty());
  CHECK(tables.allocation_figures()->dropped == 1);
  RunNote note;
  s.allocations.AddLosses(note);
  CHECK(note.ToJson().find("\"allocations\":1") != std::string::npos);
  s.allocations.End();
  s.New(10'000);
  CHECK(s.Samples() == 1);
}

}  // namespace
}  // namespace iprof::vm
