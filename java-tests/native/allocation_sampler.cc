// An agent for tests: samples allocations, so that no other one can. It counts them, and does nothing else.
#include <jvmti.h>

#include <atomic>

namespace {

std::atomic<int> samples{0};

void JNICALL Sampled(jvmtiEnv*, JNIEnv*, jthread, jobject, jclass, jlong) { ++samples; }

jint Load(JavaVM* vm) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  auto* const jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_sampled_object_alloc_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.SampledObjectAlloc = Sampled;
  if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE ||
      jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) != JVMTI_ERROR_NONE ||
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, nullptr) !=
          JVMTI_ERROR_NONE)
    return JNI_ERR;
  return JNI_OK;
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* /*options*/, void* /*reserved*/) {
  return Load(vm);
}
extern "C" JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* /*options*/,
                                                 void* /*reserved*/) {
  return Load(vm);
}
