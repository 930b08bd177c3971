#include "agent/vm/jvmti/jvmti_environment.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "agent/vm/jvmti/fake_jvm.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

// Counts the classes of its events. A test can make a callback wait inside.
struct Listener {
  std::atomic<int> heard{0};
  std::atomic<bool> is_inside{false};
  std::atomic<bool> holds{false};

  static void JNICALL ClassLoad(jvmtiEnv* jvmti, JNIEnv*, jthread, jclass) {
    const InCallback<Listener> self(jvmti);
    if (!self) return;
    ++self->heard;
    self->is_inside = true;
    while (self->holds) std::this_thread::yield();
    self->is_inside = false;
  }
};

JvmtiEnvironment Open(FakeJvm& jvm) {
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(jvm.vm());
  REQUIRE(opened.ok());
  return std::move(*opened);
}

jvmtiEventCallbacks Callbacks() {
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassLoad = Listener::ClassLoad;
  return callbacks;
}

TEST_CASE("a JVM without JVMTI 11 is refused in one sentence") {
  FakeJvm jvm;
  jvm.has_jvmti = false;
  CHECK(JvmtiEnvironment::Open(jvm.vm()).status().message() ==
        "this JVM has no JVMTI 11, so it cannot be profiled");
}

TEST_CASE("an attach that comes too early is told so") {
  FakeJvm jvm;
  jvm.is_between_phases = true;
  CHECK(JvmtiEnvironment::Open(jvm.vm()).status().message() ==
        "this JVM is still starting, or ending: try again in a moment");
  jvm.is_between_phases = false;
  CHECK(JvmtiEnvironment::Open(jvm.vm()).ok());
}

TEST_CASE("each step that the JVM refuses is named") {
  FakeJvm jvm;
  JvmtiEnvironment environment = Open(jvm);
  jvm.refuse = {{"AddCapabilities", JVMTI_ERROR_NOT_AVAILABLE},
                {"SetEventCallbacks", JVMTI_ERROR_WRONG_PHASE},
                {"enable ClassLoad", JVMTI_ERROR_MUST_POSSESS_CAPABILITY}};
  CHECK(environment.AddCapabilities({}, "sample").message() ==
        "cannot get the JVMTI capabilities to sample: NOT_AVAILABLE (98)");
  CHECK(environment.SetCallbacks({}, nullptr).message() ==
        "cannot set JVMTI callbacks: WRONG_PHASE (112)");
  CHECK(environment.Enable({JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_LOAD}).message() ==
        "cannot enable the JVMTI event ClassLoad: MUST_POSSESS_CAPABILITY (99)");
  // The events that were enabled before the failure are disabled too.
  CHECK(jvm.enabled_events() == std::set{JVMTI_EVENT_VM_INIT});
  CHECK(environment.StopEvents());
  CHECK(jvm.enabled_events().empty());
}

TEST_CASE("callbacks find their object until the environment is stopped") {
  FakeJvm jvm;
  Listener listener;
  JvmtiEnvironment environment = Open(jvm);
  REQUIRE(environment.SetCallbacks(Callbacks(), &listener).ok());
  REQUIRE(environment.Enable({JVMTI_EVENT_CLASS_LOAD}).ok());
  jvm.Load("a/B", {});
  CHECK(listener.heard == 1);
  CHECK(environment.StopEvents());
  // The JVM may have started a callback before the event was disabled.
  Listener::ClassLoad(environment.get(), jvm.jni(), nullptr, nullptr);
  CHECK(listener.heard == 1);
  CHECK(jvm.enabled_events().empty());
}

TEST_CASE("a stop waits for callbacks under way, but not for ever") {
  FakeJvm jvm;
  Listener listener;
  JvmtiEnvironment environment = Open(jvm);
  REQUIRE(environment.SetCallbacks(Callbacks(), &listener).ok());
  REQUIRE(environment.Enable({JVMTI_EVENT_CLASS_LOAD}).ok());
  listener.holds = true;
  std::thread loading([&] { Listener::ClassLoad(environment.get(), jvm.jni(), nullptr, nullptr); });
  while (!listener.is_inside) std::this_thread::yield();
  CHECK_FALSE(environment.StopEvents(1ms));
  listener.holds = false;
  CHECK(environment.StopEvents(1min));
  CHECK_FALSE(listener.is_inside);
  loading.join();
}

TEST_CASE("an environment goes back to the JVM with its object, wherever that was moved") {
  FakeJvm jvm;
  {
    JvmtiEnvironment first = Open(jvm);
    JvmtiEnvironment second = std::move(first);
    CHECK_FALSE(first);
    CHECK(jvm.open_environments() == 1);
    second = Open(jvm);
    CHECK(jvm.open_environments() == 1);
  }
  CHECK(jvm.open_environments() == 0);
  CHECK(JvmtiEnvironment().StopEvents(0ms));
}

}  // namespace
}  // namespace iprof::vm
