// The end of a JVM whose threads wait for memory: GetLoadedClasses returns late or never.
#include "agent/vm/jvmti/class_source.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "agent/vm/jvmti/fake_jvm.h"
#include "agent/vm/jvmti/loaded_classes.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

// Its environment lists the classes when `open` is true, and waits before.
struct Ending {
  FakeJvm jvm;
  ClassSource source{jvm.vm()};
  jvmtiEnv* jvmti = nullptr;

  static inline std::atomic<bool> open{true};
  static inline std::atomic<int> calls{0};
  static inline std::atomic<int> waiting{0};
  static inline decltype(jvmtiInterface_1_::GetLoadedClasses) list = nullptr;

  Ending() {
    void* opened = nullptr;
    REQUIRE(jvm.vm()->GetEnv(&opened, JVMTI_VERSION_11) == JNI_OK);
    jvmti = static_cast<jvmtiEnv*>(opened);
    open = true;
    calls = 0;
    jvm.AddClass("a/A");
    jvm.AddClass("a/B");
    jvmtiInterface_1_& functions = FakeJvm::Of(jvmti).functions;
    list = functions.GetLoadedClasses;
    functions.GetLoadedClasses = [](jvmtiEnv* e, jint* count, jclass** classes) {
      ++calls;
      ++waiting;
      while (!open) std::this_thread::yield();
      const jvmtiError answer = list(e, count, classes);
      --waiting;
      return answer;
    };
  }
  ~Ending() {
    open = true;
    while (waiting > 0) std::this_thread::yield();
  }

  // What a part of the session gets.
  size_t Listed() { return LoadedClasses(source, jvmti, jvm.jni()).all().size(); }
};

TEST_CASE("while the program runs, the JVM is asked each time") {
  Ending e;
  const size_t before = e.Listed();
  CHECK(before >= 2);
  e.jvm.AddClass("a/C");
  CHECK(e.Listed() == before + 1);
  CHECK_FALSE(e.source.HasNoneAtTheEnd());
  CHECK(Ending::calls == 2);
  CHECK_FALSE(e.source.AtTheEnd());
}

TEST_CASE("at the end, the thread that waits lists the classes once, for all") {
  Ending e;
  const size_t before = e.Listed();
  REQUIRE(e.source.Park(e.jvmti, e.jvm.jni()).ok());
  REQUIRE(e.source.Park(e.jvmti, e.jvm.jni()).ok());  // a no-op
  REQUIRE(e.source.End(e.jvmti, 1min));
  CHECK_FALSE(e.source.Release(1h));  // its references are in use
  CHECK_FALSE(e.source.HasNoneAtTheEnd());
  CHECK(e.Listed() == before);
  CHECK(e.Listed() == before);
  CHECK(Ending::calls == 2);
  CHECK(static_cast<size_t>(e.jvm.live_global_references) == before);
}

TEST_CASE("at the end, the thread that listed the classes waits in a monitor of the JVM") {
  FakeJvm jvm;
  {
    ClassSource source(jvm.vm());
    void* opened = nullptr;
    REQUIRE(jvm.vm()->GetEnv(&opened, JVMTI_VERSION_11) == JNI_OK);
    REQUIRE(source.End(static_cast<jvmtiEnv*>(opened), 1min));
    CHECK(jvm.raw_monitors == 1);  // the JVM may end now, and gives none then
    while (jvm.raw_monitor_waits == 0) std::this_thread::yield();
    CHECK(jvm.attached_threads == 1);
  }
  while (jvm.attached_threads > 0) std::this_thread::yield();
  CHECK(jvm.raw_monitors == 0);
}

TEST_CASE("a JVM that never lists its classes costs a profile these, not its end") {
  Ending e;
  const bool is_parked = GENERATE(true, false);
  if (is_parked) REQUIRE(e.source.Park(e.jvmti, e.jvm.jni()).ok());
  Ending::open = false;
  CHECK_FALSE(e.source.End(e.jvmti, 10ms));
  CHECK(e.source.HasNoneAtTheEnd());
  CHECK(e.Listed() == 0);
  CHECK(LoadedClasses(e.source, e.jvmti, e.jvm.jni()).error() == JVMTI_ERROR_NONE);
  // A list that comes too late changes nothing.
  Ending::open = true;
  while (Ending::calls == 0 || Ending::waiting > 0) std::this_thread::yield();
  CHECK(e.Listed() == 0);
  CHECK(Ending::calls == 1);
}

TEST_CASE("a recording that was stopped has no thread, and its JVM's end starts one") {
  Ending e;
  const size_t before = e.Listed();
  REQUIRE(e.source.Park(e.jvmti, e.jvm.jni()).ok());
  CHECK(e.source.Release(1min));
  CHECK(e.source.Release(0ms));
  CHECK(Ending::calls == 1);
  REQUIRE(e.source.End(e.jvmti, 1min));
  CHECK(e.Listed() == before);
}

TEST_CASE("a JVM that refuses the thread, or to list its classes, is no reason to wait") {
  Ending e;
  SECTION("the thread") {
    e.jvm.attaches = false;
    e.jvm.refuse["RunAgentThread"] = JVMTI_ERROR_OUT_OF_MEMORY;
    CHECK_FALSE(e.source.Park(e.jvmti, e.jvm.jni()).ok());
  }
  SECTION("the list") { e.jvm.refuse["GetLoadedClasses"] = JVMTI_ERROR_OUT_OF_MEMORY; }
  CHECK_FALSE(e.source.End(e.jvmti, 1h));
  CHECK(e.Listed() == 0);
}

}  // namespace
}  // namespace iprof::vm
