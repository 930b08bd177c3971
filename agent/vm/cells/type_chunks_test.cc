// Runs against a fake JVM whose arrays contain only zeros.
#include "agent/vm/cells/type_chunks.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "agent/vm/jvmti/fake_jni.h"

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;

struct Vm : FakeJni {
  // While this is set, a thread that reads an array of ints stays inside the JVM, like a suspended
  // thread.
  std::atomic<bool> suspends{false};
  std::atomic<bool> suspended{false};

  Vm() {
    functions.PushLocalFrame = [](JNIEnv*, jint) -> jint { return JNI_OK; };
    functions.PopLocalFrame = [](JNIEnv*, jobject) -> jobject { return nullptr; };
    functions.FindClass = [](JNIEnv*, const char*) { return FakeReference<jclass>(1); };
    functions.NewStringUTF = [](JNIEnv*, const char*) { return FakeReference<jstring>(2); };
    functions.GetMethodID = [](JNIEnv*, jclass, const char*, const char*) {
      return FakeReference<jmethodID>(3);
    };
    functions.GetStaticMethodID = functions.GetMethodID;
    functions.CallStaticBooleanMethodV = [](JNIEnv*, jclass, jmethodID, va_list) -> jboolean {
      return JNI_FALSE;
    };
    functions.GetStaticFieldID = [](JNIEnv*, jclass, const char*, const char*) {
      return FakeReference<jfieldID>(4);
    };
    functions.GetStaticObjectField = [](JNIEnv*, jclass, jfieldID) { return FakeReference(5); };
    functions.CallStaticObjectMethodV = [](JNIEnv*, jclass, jmethodID, va_list) {
      return FakeReference(6);
    };
    functions.CallLongMethodV = [](JNIEnv*, jobject, jmethodID, va_list) -> jlong { return 0; };
    functions.GetStaticLongField = [](JNIEnv*, jclass, jfieldID) -> jlong { return 0; };
    functions.GetStaticIntField = [](JNIEnv*, jclass, jfieldID) -> jint { return 0; };
    functions.SetStaticLongField = [](JNIEnv*, jclass, jfieldID, jlong) {};
    functions.SetStaticObjectField = [](JNIEnv*, jclass, jfieldID, jobject) {};
    functions.GetIntArrayRegion = [](JNIEnv* e, jintArray, jsize, jsize length, jint* to) {
      auto& vm = static_cast<Vm&>(Of(e));
      while (vm.suspends) {
        vm.suspended = true;
        std::this_thread::yield();
      }
      std::fill_n(to, length, 0);
    };
    functions.GetLongArrayRegion = [](JNIEnv*, jlongArray, jsize, jsize length, jlong* to) {
      std::fill_n(to, length, 0);
    };
  }
};

// It does not list its classes.
struct Jvmti {
  jvmtiInterface_1_ functions{};
  jvmtiEnv env{};
  Jvmti() {
    env.functions = &functions;
    functions.GetLoadedClasses = [](jvmtiEnv*, jint*, jclass**) {
      return JVMTI_ERROR_OUT_OF_MEMORY;
    };
  }
};

TEST_CASE("a thread that is suspended in a harvest costs a profile classes, not its end") {
  Vm vm;
  Jvmti jvmti;
  instrument::CounterSpace space(1024);
  ChunkReach reach(1);
  const ClassSource classes(nullptr);
  TypeChunks chunks(
      space, classes, [](jvmtiEnv*, JNIEnv*, jclass, std::string_view) { return std::nullopt; }, {},
      reach);
  REQUIRE(chunks.ArmSlowPath(&jvmti.env, &vm.env, [] { return Status(); }).ok());
  vm.suspends = true;
  std::thread harvest([&] { chunks.Harvest(&jvmti.env, &vm.env); });
  while (!vm.suspended) std::this_thread::yield();
  const bool whole = chunks.Collect(&jvmti.env, &vm.env, 10ms).whole;
  vm.suspends = false;
  harvest.join();
  CHECK_FALSE(whole);
  CHECK(chunks.Collect(&jvmti.env, &vm.env, 1min).whole);
}

}  // namespace
}  // namespace iprof::vm
