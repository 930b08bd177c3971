// An agent for tests: its VMDeath callback takes half a second. If it is loaded before another
// agent, the program continues during that time, but without collectors, which HotSpot has
// already stopped.
#include <jvmti.h>
#include <time.h>

namespace {

void JNICALL VmDeath(jvmtiEnv*, JNIEnv*) {
  const timespec half_a_second{0, 500000000};
  nanosleep(&half_a_second, nullptr);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* /*options*/, void* /*reserved*/) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  jvmtiEventCallbacks callbacks{};
  callbacks.VMDeath = VmDeath;
  const bool registered =
      jvmti->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks)) ==
          JVMTI_ERROR_NONE &&
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr) ==
          JVMTI_ERROR_NONE;
  return registered ? JNI_OK : JNI_ERR;
}
