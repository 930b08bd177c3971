#include "agent/vm/classes/class_filter.h"

#include <catch2/catch.hpp>

#include "agent/vm/jvmti/fake_jni.h"

namespace iprof::vm {
namespace {

const jobject kBoot = nullptr;
const jobject kPlatform = FakeReference(1);
const jobject kApplication = FakeReference(2);

// A JVM whose ClassLoader.getPlatformClassLoader() returns kPlatform.
struct Loaders : FakeJni {
  Loaders() {
    functions.FindClass = [](JNIEnv* e, const char*) {
      return Of(e).Local(FakeReference<jclass>(9));
    };
    functions.GetStaticMethodID = [](JNIEnv*, jclass, const char*, const char*) {
      return FakeReference<jmethodID>(8);
    };
    functions.CallStaticObjectMethodV = [](JNIEnv* e, jclass, jmethodID, va_list) {
      return Of(e).Local(kPlatform);
    };
  }
};

TEST_CASE("the agent's own classes are never counted") {
  Loaders jni;
  const ClassFilter filter(true, {"*"}, {});
  CHECK_FALSE(filter.Accepts(&jni.env, kBoot, "java/lang/IprofCounters0"));
  CHECK_FALSE(filter.Accepts(&jni.env, kBoot, "java/lang/IprofRuntime"));
  CHECK(filter.Accepts(&jni.env, kBoot, "java/lang/Iterable"));
}

TEST_CASE("linkage of method handles is never counted, the rest of java.lang.invoke is") {
  Loaders jni;
  const ClassFilter filter(true, {"*"}, {});
  CHECK_FALSE(filter.Accepts(&jni.env, kBoot, "java/lang/invoke/DirectMethodHandle$Holder"));
  CHECK(filter.Accepts(&jni.env, kBoot, "java/lang/invoke/DirectMethodHandle"));
}

TEST_CASE(
    "without patterns every class is counted, with jdk=n those of the application's loaders") {
  Loaders jni;
  const ClassFilter all(true, {}, {});
  for (const jobject loader : {kBoot, kPlatform, kApplication})
    CHECK(all.Accepts(&jni.env, loader, "a/B"));

  ClassFilter application(false, {}, {});
  // Before the platform loader is known, no class can be attributed to the application.
  CHECK_FALSE(application.Accepts(&jni.env, kApplication, "a/B"));
  application.LearnLoaders(&jni.env);
  CHECK_FALSE(application.Accepts(&jni.env, kBoot, "a/B"));
  CHECK_FALSE(application.Accepts(&jni.env, kPlatform, "a/B"));
  CHECK(application.Accepts(&jni.env, kApplication, "a/B"));
  CHECK(jni.live_local_references == 0);
}

TEST_CASE("include and exclude match names with dots, and exclude wins") {
  Loaders jni;
  const ClassFilter filter(true, {"com.acme.*", "T?"}, {"*.gen.*", "com.acme.Skipped"});
  const auto accepts = [&](std::string_view name) {
    return filter.Accepts(&jni.env, kApplication, name);
  };
  CHECK(accepts("com/acme/Main"));
  CHECK(accepts("com/acme/deep/Main$1"));
  CHECK(accepts("T1"));
  CHECK_FALSE(accepts("T12"));
  CHECK_FALSE(accepts("com/acmeX"));
  CHECK_FALSE(accepts("org/other/Main"));
  CHECK_FALSE(accepts("com/acme/gen/Parser"));
  CHECK_FALSE(accepts("com/acme/Skipped"));
  CHECK(accepts("com/acme/Skipped2"));

  const ClassFilter exclude_only(true, {}, {"java.*"});
  CHECK_FALSE(exclude_only.Accepts(&jni.env, kBoot, "java/lang/String"));
  CHECK(exclude_only.Accepts(&jni.env, kBoot, "javax/Any"));
}

TEST_CASE("a JVM that throws while it is asked for loaders is left without an exception") {
  Loaders jni;
  jni.functions.CallStaticObjectMethodV = [](JNIEnv* e, jclass, jmethodID, va_list) -> jobject {
    FakeJni::Of(e).exception_pending = true;
    return nullptr;
  };
  ClassFilter filter(false, {}, {});
  filter.LearnLoaders(&jni.env);
  CHECK_FALSE(jni.exception_pending);
  CHECK(jni.live_local_references == 0);
  CHECK(jni.live_global_references == 0);
  CHECK_FALSE(filter.Accepts(&jni.env, kApplication, "a/B"));
}

}  // namespace
}  // namespace iprof::vm
