// An agent for tests: makes the JVM refuse to enable an event for agents that are loaded after this
// one. The option is the number of the event. This works because HotSpot keeps the functions of all
// environments in one table.
#include <jvmti.h>

#include <cstdlib>

namespace {

using SetMode = jvmtiError(JNICALL*)(jvmtiEnv*, jvmtiEventMode, jvmtiEvent, jthread, ...);

SetMode original = nullptr;
int refused = 0;

jvmtiError JNICALL Refuse(jvmtiEnv* env, jvmtiEventMode mode, jvmtiEvent event, jthread thread,
                          ...) {
  if (mode == JVMTI_ENABLE && event == refused) return JVMTI_ERROR_INTERNAL;
  return original(env, mode, event, thread);
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* /*reserved*/) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  refused = static_cast<jint>(std::strtol(options, nullptr, 10));
  auto* table = const_cast<jvmtiInterface_1_*>(jvmti->functions);
  original = table->SetEventNotificationMode;
  table->SetEventNotificationMode = Refuse;
  return JNI_OK;
}
