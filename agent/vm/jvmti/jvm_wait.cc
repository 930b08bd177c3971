#include "agent/vm/jvmti/jvm_wait.h"

#include <thread>

namespace iprof::vm {

void WaitInJvm(jvmtiEnv* jvmti, std::chrono::milliseconds period,
               const std::function<bool()>& is_over) {
  jrawMonitorID monitor = nullptr;
  const bool has_monitor = jvmti->CreateRawMonitor("iprof-wait", &monitor) == JVMTI_ERROR_NONE &&
                           jvmti->RawMonitorEnter(monitor) == JVMTI_ERROR_NONE;
  while (!is_over()) {
    // An interrupt ends a wait early.
    const jvmtiError waited =
        has_monitor ? jvmti->RawMonitorWait(monitor, period.count()) : JVMTI_ERROR_NOT_AVAILABLE;
    if (waited != JVMTI_ERROR_NONE && waited != JVMTI_ERROR_INTERRUPT)
      std::this_thread::sleep_for(period);
  }
  if (has_monitor) jvmti->RawMonitorExit(monitor);
  if (monitor != nullptr) jvmti->DestroyRawMonitor(monitor);
}

}  // namespace iprof::vm
