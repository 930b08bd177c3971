#include "agent/vm/jvmti/jvm_wait.h"

#include <thread>

namespace iprof::vm {

JvmWait::JvmWait(jvmtiEnv* jvmti) : jvmti_(jvmti) {
  if (jvmti_->CreateRawMonitor("iprof-wait", &monitor_) != JVMTI_ERROR_NONE) monitor_ = nullptr;
  is_entered_ = monitor_ != nullptr && jvmti_->RawMonitorEnter(monitor_) == JVMTI_ERROR_NONE;
}

JvmWait::~JvmWait() {
  if (is_entered_) jvmti_->RawMonitorExit(monitor_);
  if (monitor_ != nullptr) jvmti_->DestroyRawMonitor(monitor_);
}

void JvmWait::Until(std::chrono::milliseconds period, const std::function<bool()>& is_over) {
  while (!is_over()) {
    // An interrupt ends a wait early.
    const jvmtiError waited =
        is_entered_ ? jvmti_->RawMonitorWait(monitor_, period.count()) : JVMTI_ERROR_NOT_AVAILABLE;
    if (waited != JVMTI_ERROR_NONE && waited != JVMTI_ERROR_INTERRUPT)
      std::this_thread::sleep_for(period);
  }
}

}  // namespace iprof::vm
