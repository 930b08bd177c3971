#include "agent/vm/events/locks.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/settings/temporary_log.h"
#include "agent/vm/events/park_calls.h"
#include "agent/vm/jvmti/fake_jvm.h"
#include "writer/names/own_classes.h"
#include "writer/profile/io/event_part.h"
#include "writer/records/raw/profile_sink.h"

namespace iprof::vm {
namespace {

using classfile::Op;
using instrument::B;
using instrument::Code;

std::optional<std::string> NameOf(jvmtiEnv*, JNIEnv*, jclass, std::string_view signature) {
  return std::string(signature);
}

std::vector<uint8_t> LockSupportBytes() {
  instrument::AssembledClass type(kLockSupport);
  const int park = type.MethodRef("jdk/internal/misc/Unsafe", "park", "(ZJ)V");
  type.Add({.descriptor = "(Ljava/lang/Object;)V",
            .code = Code({B(Op::aload_0), B(Op::iconst_0), B(Op::lconst_0), B(Op::invokevirtual), 0,
                          park, B(Op::return_)})});
  return type.Bytes();
}

constexpr std::chrono::milliseconds kThreshold{1};
constexpr int64_t kLongNs = 12'000'000;

struct Waiting {
  Waiting() {
    REQUIRE(log.Open(written.path()).ok());
    latch->super = synchronizer;
    thread->numbers["tid"] = 31;
    jvm.current_thread = thread;
    jvm.thread_name = "pool-1-thread-7";
    jvm.stack = {{jvm.AddMethod(jvm.AddClass("a/B"), "run", "()V"), 7}};
  }
  ~Waiting() { CHECK(locks.Close()); }

  void Begin() {
    REQUIRE(locks.Prepare(StartMoment::kRunning).ok());
    REQUIRE(locks.Begin(jvm.jni()).ok());
  }
  // Waits for a monitor for a little longer.
  void Wait(std::chrono::milliseconds time, FakeObject* by) {
    jvm.BeginToWait(by, monitor);
    std::this_thread::sleep_for(time);
    jvm.EndToWait(by, monitor);
  }
  void Park(FakeClass* blocker, int64_t ns = kLongNs) {
    thread->fields["parkBlocker"] = blocker == nullptr ? nullptr : jvm.NewObject(blocker);
    Locks::Waited(jvm.jni(), ns, -1);
  }
  EventTables Written() {
    Profile profile;
    profile.AddStandardTypes();
    ProfileSink sink(profile);
    REQUIRE(locks.Write(jvm.jni(), sink, {}).ok());
    return EventsOf(profile);
  }
  size_t Rows() {
    const EventTables tables = Written();
    return tables.waits().size();
  }
  EventTables::WaitFigures Figures() {
    const EventTables tables = Written();
    return tables.wait_figures().value();
  }
  std::string Said() const {
    std::string text;
    for (const std::string& line : written.lines()) text += line + '\n';
    return text;
  }
  bool TimesParks() const { return support->bytes != LockSupportBytes(); }

  FakeJvm jvm;
  TemporaryLog written;
  Log log;
  instrument::MemoryBudget budget;
  EventStacks stacks{NameOf, {}, true, budget, 1 << 20};
  FakeClass* const support = jvm.Load(kLockSupport, LockSupportBytes());
  FakeClass* const synchronizer =
      jvm.AddClass("java/util/concurrent/locks/AbstractOwnableSynchronizer");
  FakeClass* const latch = jvm.AddClass("java/util/concurrent/CountDownLatch$Sync");
  FakeObject* const thread = jvm.NewObject(jvm.AddClass("java/lang/Thread"));
  FakeObject* const monitor = jvm.NewObject(jvm.AddClass("a/Monitor"));
  Locks locks{jvm.vm(), log, stacks, kThreshold, nullptr};
};

TEST_CASE("a wait for a monitor is a row, with its stack, class and thread") {
  Waiting w;
  w.Begin();
  w.Wait(std::chrono::milliseconds(3), w.thread);
  w.Wait(std::chrono::milliseconds(3), w.thread);
  const EventTables tables = w.Written();
  REQUIRE(tables.waits().size() == 1);
  const EventTables::Wait& row = tables.waits().front();
  CHECK(tables.MethodOf(tables.Frames(row.stack).front().method).name == "run");
  CHECK(tables.NameOf(row.type) == "La/Monitor;");
  CHECK(tables.NameOf(row.thread) == "pool-*-thread-*");
  CHECK(row.waits == 2);
  CHECK(row.ns >= 6'000'000);
  CHECK_FALSE(row.is_park);
  CHECK(tables.wait_figures()->thresholds == std::set<int64_t>{1'000'000});
}

TEST_CASE("threads wait at the same time, and a short wait is counted only") {
  Waiting w;
  w.Begin();
  FakeObject* const other = w.jvm.NewObject(w.thread->type);
  other->numbers["tid"] = 47;
  w.jvm.BeginToWait(w.thread, w.monitor);
  w.jvm.BeginToWait(other, w.monitor);
  std::this_thread::sleep_for(std::chrono::milliseconds(3));
  w.jvm.EndToWait(other, w.monitor);
  w.jvm.EndToWait(w.thread, w.monitor);
  w.jvm.EndToWait(w.thread, w.monitor);  // a wait that began before the recording
  EventTables tables = w.Written();
  REQUIRE(tables.waits().size() == 1);
  CHECK(tables.waits().front().waits == 2);
  for (int i = 0; i < 100 && tables.wait_figures()->shorter == 0; ++i) {
    w.Wait(std::chrono::milliseconds(0), w.thread);
    tables = w.Written();
  }
  CHECK(tables.wait_figures()->shorter == 1);
}

TEST_CASE("LockSupport times its parks while it is recorded, and not before and after") {
  Waiting w;
  CHECK_FALSE(w.TimesParks());
  w.Begin();
  CHECK(w.TimesParks());
  CHECK(w.support->bytes == WithTimedParks(LockSupportBytes()));
  CHECK(w.jvm.defined == std::vector<std::string>{std::string(kLocksClassName)});
  w.locks.Pause(w.jvm.jni());
  CHECK_FALSE(w.TimesParks());
  CHECK(w.jvm.enabled_events().empty());
  CHECK(w.jvm.Find(kLocksClassName)->numbers["threshold"] == INT64_MAX);
  w.Begin();
  CHECK(w.TimesParks());
  w.locks.Pause(w.jvm.jni());
  CHECK_FALSE(w.TimesParks());
  CHECK(w.jvm.defined.size() == 1);
}

TEST_CASE("a later session finds the class of an earlier one") {
  Waiting w;
  w.Begin();
  w.locks.Pause(w.jvm.jni());
  Locks later(w.jvm.vm(), w.log, w.stacks, kThreshold, nullptr);
  REQUIRE(later.Prepare(StartMoment::kRunning).ok());
  REQUIRE(later.Begin(w.jvm.jni()).ok());
  CHECK(w.TimesParks());
  later.Pause(w.jvm.jni());
  CHECK_FALSE(w.TimesParks());
  CHECK(w.jvm.defined.size() == 1);
  CHECK(later.Close());
}

TEST_CASE("a park is a wait if its blocker is a lock") {
  Waiting w;
  w.Begin();
  w.Park(w.synchronizer);
  w.Park(w.jvm.AddClass("java/util/concurrent/locks/StampedLock"), 2 * kLongNs);
  w.Park(w.latch);
  w.Park(w.jvm.AddClass("java/util/concurrent/FutureTask"));
  w.Park(nullptr);
  w.Park(w.synchronizer, 999'999);
  const EventTables tables = w.Written();
  REQUIRE(tables.waits().size() == 2);
  int64_t ns = 0;
  for (const EventTables::Wait& row : tables.waits()) {
    CHECK(row.is_park);
    CHECK(row.waits == 1);
    ns += row.ns;
  }
  CHECK(ns == 3 * kLongNs);
}

TEST_CASE("the owner of a lock is seen while others wait") {
  Waiting w;
  FakeObject* const owner = w.jvm.NewObject(w.thread->type);
  w.monitor->fields["owner"] = owner;
  w.Begin();
  std::optional<EventTables> tables;
  // The agent's thread looks now and then.
  for (int i = 0; i < 1'000 && (!tables || tables->waits().back().owner == kNoEventStack); ++i) {
    w.Wait(std::chrono::milliseconds(50), w.thread);
    tables = w.Written();
  }
  bool has_owner = false;
  for (const EventTables::Wait& row : tables->waits())
    has_owner = has_owner || row.owner != kNoEventStack;
  CHECK(has_owner);
}

TEST_CASE(
    "where LockSupport cannot be swapped, monitors are recorded, and a warning says so once") {
  Waiting w;
  w.jvm.refuse["RetransformClasses"] = JVMTI_ERROR_INVALID_CLASS_FORMAT;
  w.Begin();
  CHECK_FALSE(w.TimesParks());
  CHECK(w.jvm.enabled_events() == std::set<jvmtiEvent>{JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                                       JVMTI_EVENT_MONITOR_CONTENDED_ENTERED});
  w.Wait(std::chrono::milliseconds(3), w.thread);
  CHECK(w.Rows() == 1);
  w.locks.Pause(w.jvm.jni());
  w.Begin();
  const std::string said = w.Said();
  CHECK(said.find("only those for monitors: cannot swap LockSupport: INVALID_CLASS_FORMAT") !=
        std::string::npos);
  CHECK(said.find("only those for monitors") == said.rfind("only those for monitors"));
}

TEST_CASE("a class that somebody else has redefined since stays as it is") {
  Waiting w;
  FakeEnvironment* environment = nullptr;
  REQUIRE(w.jvm.Open(reinterpret_cast<void**>(&environment), JVMTI_VERSION_11) == JNI_OK);
  SwapGuard guard(reinterpret_cast<jvmtiEnv*>(environment), true);
  Locks guarded(w.jvm.vm(), w.log, w.stacks, kThreshold, &guard);
  REQUIRE(guarded.Prepare(StartMoment::kRunning).ok());
  REQUIRE(guarded.Begin(w.jvm.jni()).ok());
  REQUIRE(w.TimesParks());
  SECTION("nobody has") {
    guarded.Pause(w.jvm.jni());
    CHECK_FALSE(w.TimesParks());
  }
  SECTION("somebody has") {
    w.jvm.CountRedefinition(*w.support);
    guarded.Pause(w.jvm.jni());
    CHECK(w.TimesParks());
    CHECK(w.Said().find("LockSupport keeps the agent's calls") != std::string::npos);
  }
  CHECK(guarded.Close());
}

TEST_CASE("a JVM that does not tell of monitors is refused") {
  Waiting w;
  w.jvm.refuse["AddCapabilities"] = JVMTI_ERROR_NOT_AVAILABLE;
  CHECK(w.locks.Prepare(StartMoment::kRunning).message().find("record waits for locks") !=
        std::string::npos);
}

TEST_CASE("a reset forgets all, and nothing is recorded after the end") {
  Waiting w;
  w.Begin();
  w.Park(w.synchronizer);
  REQUIRE(w.locks.Reset(w.jvm.jni(), ResetScope::kSamples).ok());
  CHECK(w.Rows() == 1);
  REQUIRE(w.locks.Reset(w.jvm.jni(), ResetScope::kAll).ok());
  CHECK(w.Rows() == 0);
  w.Park(w.synchronizer);
  CHECK(w.Figures().waits == 1);
  w.locks.End();
  w.Park(w.synchronizer);
  w.Wait(std::chrono::milliseconds(3), w.thread);
  CHECK(w.Figures().waits == 1);
}

TEST_CASE("a wait without a stack is dropped, and an exception of the program stays pending") {
  Waiting w;
  w.Begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the agent's thread has looked
  FakeClass* const thrown = w.jvm.AddClass("a/Thrown");
  w.jvm.pending = thrown;
  w.Wait(std::chrono::milliseconds(3), w.thread);
  CHECK(w.jvm.pending == thrown);
  w.jvm.pending = nullptr;
  w.jvm.refuse["GetStackTrace"] = JVMTI_ERROR_THREAD_NOT_ALIVE;
  w.Park(w.synchronizer);
  const EventTables tables = w.Written();
  CHECK(tables.waits().size() == 1);
  CHECK(tables.wait_figures()->waits == 2);
  CHECK(tables.wait_figures()->dropped == 1);
  RunNote note;
  w.locks.AddLosses(note);
  CHECK(note.ToJson().find("\"locks\":1") != std::string::npos);
}

}  // namespace
}  // namespace iprof::vm
