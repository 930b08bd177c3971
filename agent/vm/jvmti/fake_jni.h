// For this room's tests: a JNIEnv that is just a table of functions. A test fills in those that its
// subject may call. All others are null, so an unexpected call ends the test.
//
// Guarantees: counts live references. Threads: one. Failure: a crash at an unexpected call.
#pragma once

#include <jvmti.h>

#include <cstdint>

namespace iprof::vm {

// A reference that points to nothing and is only compared.
template <typename Reference = jobject>
Reference FakeReference(uintptr_t number) {
  return reinterpret_cast<Reference>(number * 16);
}

struct FakeJni {
  JNINativeInterface_ functions{};
  JNIEnv env{};
  bool exception_pending = false;
  int live_local_references = 0;
  int live_global_references = 0;

  FakeJni() {
    env.functions = &functions;
    functions.reserved0 = this;
    functions.GetJavaVM = [](JNIEnv*, JavaVM**) -> jint { return JNI_ERR; };  // there is none
    functions.ExceptionCheck = [](JNIEnv* e) -> jboolean { return Of(e).exception_pending; };
    functions.ExceptionClear = [](JNIEnv* e) { Of(e).exception_pending = false; };
    functions.IsSameObject = [](JNIEnv*, jobject a, jobject b) -> jboolean { return a == b; };
    functions.DeleteLocalRef = [](JNIEnv* e, jobject) { --Of(e).live_local_references; };
    functions.NewGlobalRef = [](JNIEnv* e, jobject o) {
      ++Of(e).live_global_references;
      return o;
    };
  }
  FakeJni(const FakeJni&) = delete;
  FakeJni& operator=(const FakeJni&) = delete;

  static FakeJni& Of(JNIEnv* e) { return *static_cast<FakeJni*>(e->functions->reserved0); }
  // Wraps what a function that creates local references returns.
  template <typename Reference>
  Reference Local(Reference reference) {
    live_local_references += reference != nullptr;
    return reference;
  }
};

}  // namespace iprof::vm
