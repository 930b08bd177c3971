// Runs against a fake JVM that starts agent threads as plain threads.
#include "agent/vm/jvmti/agent_thread.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "agent/vm/jvmti/fake_jni.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

struct Vm : FakeJni {
  jvmtiInterface_1_ jvmti_functions{};
  jvmtiEnv jvmti{};
  jvmtiError answer = JVMTI_ERROR_NONE;
  std::vector<std::thread> threads;

  Vm() {
    functions.FindClass = [](JNIEnv* e, const char*) {
      return Of(e).Local(FakeReference<jclass>(1));
    };
    functions.NewStringUTF = [](JNIEnv* e, const char*) {
      return Of(e).Local(FakeReference<jstring>(2));
    };
    functions.GetMethodID = [](JNIEnv*, jclass, const char*, const char*) {
      return FakeReference<jmethodID>(3);
    };
    functions.NewObjectV = [](JNIEnv* e, jclass, jmethodID, va_list) {
      return Of(e).Local(FakeReference(4));
    };
    jvmti.functions = &jvmti_functions;
    jvmti_functions.reserved1 = this;
    jvmti_functions.RunAgentThread = [](jvmtiEnv* e, jthread, jvmtiStartFunction run,
                                        const void* argument, jint) -> jvmtiError {
      Vm& vm = *static_cast<Vm*>(e->functions->reserved1);
      if (vm.answer != JVMTI_ERROR_NONE) return vm.answer;
      vm.threads.emplace_back(
          [&vm, e, run, argument] { run(e, &vm.env, const_cast<void*>(argument)); });
      return JVMTI_ERROR_NONE;
    };
  }
  ~Vm() {
    for (std::thread& thread : threads) thread.join();
  }
};

TEST_CASE("the body runs at the start, after a wake, and no more after a stop") {
  std::atomic<int> runs{0};
  AgentThread thread([&](jvmtiEnv*, JNIEnv*) { ++runs; }, 1h);
  Vm vm;
  thread.Wake();  // before Start: a no-op
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  CHECK(vm.live_local_references == 0);
  while (runs == 0) std::this_thread::yield();
  const int before = runs;
  thread.Wake();
  while (runs == before) std::this_thread::yield();
  CHECK(thread.Stop(1min));
  const int after = runs;
  thread.Wake();
  CHECK(thread.Stop(1min));
  CHECK(runs == after);
}

TEST_CASE("the body runs without a wake too, once a period") {
  std::atomic<int> runs{0};
  AgentThread thread([&](jvmtiEnv*, JNIEnv*) { ++runs; }, 1ms);
  Vm vm;
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  while (runs < 5) std::this_thread::yield();
  CHECK(thread.Stop(1min));
}

TEST_CASE("no wake is lost while the body runs") {
  std::atomic<int> runs{0};
  std::atomic<bool> hold{true};
  AgentThread thread(
      [&](jvmtiEnv*, JNIEnv*) {
        ++runs;
        while (hold) std::this_thread::yield();
      },
      1h);
  Vm vm;
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  while (runs == 0) std::this_thread::yield();
  thread.Wake();
  hold = false;
  while (runs < 2) std::this_thread::yield();
  CHECK(thread.Stop(1min));
}

TEST_CASE("a stop waits no longer than its timeout, and needs no thread") {
  std::atomic<bool> inside{false}, hold{true};
  AgentThread thread(
      [&](jvmtiEnv*, JNIEnv*) {
        inside = true;
        while (hold) std::this_thread::yield();
      },
      1h);
  Vm vm;
  CHECK(AgentThread([](jvmtiEnv*, JNIEnv*) {}, 1h).Stop(0ms));
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  while (!inside) std::this_thread::yield();
  CHECK_FALSE(thread.Stop(1ms));
  hold = false;
  CHECK(thread.Stop(1min));
}

TEST_CASE("a start after a stop that was not in time waits for the body, and then begins again") {
  std::atomic<int> runs{0};
  std::atomic<bool> hold{true};
  AgentThread thread(
      [&](jvmtiEnv*, JNIEnv*) {
        ++runs;
        while (hold) std::this_thread::yield();
      },
      1h);
  Vm vm;
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  while (runs == 0) std::this_thread::yield();
  CHECK_FALSE(thread.Stop(10ms));
  std::thread later([&] {
    std::this_thread::sleep_for(100ms);  // by then the start waits; otherwise it need not
    hold = false;
  });
  CHECK(thread.Start(&vm.jvmti, &vm.env).ok());
  later.join();
  CHECK(vm.threads.size() == 2);
  CHECK(vm.live_local_references == 0);
  while (runs == 1) std::this_thread::yield();
  CHECK(thread.IsRunning());
  CHECK(thread.Stop(1min));
}

TEST_CASE("a start that waits for a busy body gives up when the thread is retired") {
  std::atomic<bool> inside{false}, hold{true};
  AgentThread thread(
      [&](jvmtiEnv*, JNIEnv*) {
        inside = true;
        while (hold) std::this_thread::yield();
      },
      1h);
  Vm vm;
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  while (!inside) std::this_thread::yield();
  CHECK_FALSE(thread.Stop(1ms));
  const auto begin = std::chrono::steady_clock::now();
  std::thread end([&] {
    std::this_thread::sleep_for(50ms);  // by then the start waits; otherwise it need not
    thread.Retire();
  });
  CHECK(thread.Start(&vm.jvmti, &vm.env).ok());
  CHECK(thread.StopForStart());
  CHECK(std::chrono::steady_clock::now() - begin < AgentThread::kBusyPatience);
  end.join();
  CHECK(vm.threads.size() == 1);
  hold = false;
  CHECK(thread.Stop(1min));
}

TEST_CASE("a thread that was retired ends with its stop, and never begins again") {
  std::atomic<int> runs{0};
  AgentThread thread([&](jvmtiEnv*, JNIEnv*) { ++runs; }, 1h);
  Vm vm;
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  CHECK_FALSE(thread.Start(&vm.jvmti, &vm.env).ok());  // it runs
  while (runs == 0) std::this_thread::yield();
  thread.Retire();
  CHECK(thread.Stop(1min));
  CHECK(thread.Start(&vm.jvmti, &vm.env).ok());
  CHECK_FALSE(thread.IsRunning());
  CHECK(vm.threads.size() == 1);
  CHECK(vm.live_local_references == 0);
}

TEST_CASE("a JVM that refuses the thread is named, and stopping is immediate") {
  AgentThread thread([](jvmtiEnv*, JNIEnv*) {}, 1h);
  Vm vm;
  vm.answer = JVMTI_ERROR_INVALID_PRIORITY;
  CHECK(thread.Start(&vm.jvmti, &vm.env).message() ==
        "cannot start the agent's thread: INVALID_PRIORITY (12)");
  CHECK(thread.Stop(0ms));
  vm.functions.NewObjectV = [](JNIEnv* e, jclass, jmethodID, va_list) -> jobject {
    FakeJni::Of(e).exception_pending = true;
    return nullptr;
  };
  CHECK(thread.Start(&vm.jvmti, &vm.env).message() ==
        "the JVM has no memory for the agent's thread");
  CHECK_FALSE(vm.exception_pending);
  CHECK(vm.live_local_references == 0);
}

// An exception from the body's Java calls must not stay pending on the thread.
TEST_CASE("what the body leaves pending is cleared") {
  std::atomic<int> runs{0};
  AgentThread thread(
      [&](jvmtiEnv*, JNIEnv* jni) {
        FakeJni::Of(jni).exception_pending = true;
        ++runs;
      },
      1ms);
  Vm vm;
  REQUIRE(thread.Start(&vm.jvmti, &vm.env).ok());
  while (runs < 2) std::this_thread::yield();
  CHECK(thread.Stop(1min));
  CHECK_FALSE(vm.exception_pending);
}

}  // namespace
}  // namespace iprof::vm
