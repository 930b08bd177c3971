#include "agent/vm/jvmti/jvmti_environment.h"

#include <fmt/core.h>

#include <mutex>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/jvmti_error.h"

namespace iprof::vm {
namespace {

uint64_t BitOf(jvmtiEvent event) {
  return uint64_t{1} << (static_cast<int>(event) - static_cast<int>(JVMTI_MIN_EVENT_TYPE_VAL));
}

// Gates are never freed.
CallbackGate* NewGate(void* owner) {
  static std::mutex mutex;
  static auto* const gates = new std::vector<CallbackGate*>;
  auto* const gate = new CallbackGate(owner);
  const std::lock_guard lock(mutex);
  gates->push_back(gate);
  return gate;
}

}  // namespace

Result<JvmtiEnvironment> JvmtiEnvironment::Open(JavaVM* vm) {
  void* environment = nullptr;
  const jint answer = vm->GetEnv(&environment, JVMTI_VERSION_11);
  // HotSpot's answer between its phases, where an early attach arrives.
  if (answer == JNI_EDETACHED)
    return Status(Code::kUsage, "this JVM is still starting, or ending: try again in a moment");
  if (answer != JNI_OK)
    return Status(Code::kUnsupported, "this JVM has no JVMTI 11, so it cannot be profiled");
  return JvmtiEnvironment(static_cast<jvmtiEnv*>(environment));
}

JvmtiEnvironment& JvmtiEnvironment::operator=(JvmtiEnvironment&& other) noexcept {
  if (this == &other) return *this;
  Dispose();
  jvmti_ = std::exchange(other.jvmti_, nullptr);
  gate_ = std::exchange(other.gate_, nullptr);
  enabled_.store(other.enabled_.exchange(0));
  return *this;
}

void JvmtiEnvironment::Dispose() {
  if (jvmti_ == nullptr) return;
  CloseGate();
  jvmti_->DisposeEnvironment();
  jvmti_ = nullptr;
}

CallbackGate* JvmtiEnvironment::GateOf(jvmtiEnv* jvmti) {
  void* storage = nullptr;
  if (jvmti->GetEnvironmentLocalStorage(&storage) != JVMTI_ERROR_NONE) return nullptr;
  return static_cast<CallbackGate*>(storage);
}

Status JvmtiEnvironment::AddCapabilities(const jvmtiCapabilities& wanted,
                                         std::string_view purpose) {
  const jvmtiError error = jvmti_->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NONE) return {};
  return JvmtiFailure(fmt::format("get the JVMTI capabilities to {}", purpose), error);
}

Status JvmtiEnvironment::SetCallbacks(const jvmtiEventCallbacks& callbacks, void* owner) {
  gate_ = NewGate(owner);
  jvmtiError error = jvmti_->SetEnvironmentLocalStorage(gate_);
  if (error == JVMTI_ERROR_NONE)
    error = jvmti_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  return error == JVMTI_ERROR_NONE ? Status() : JvmtiFailure("set JVMTI callbacks", error);
}

Status JvmtiEnvironment::Enable(std::initializer_list<jvmtiEvent> events) {
  for (const jvmtiEvent event : events) {
    // Set the bit first: StopEvents must never miss an enabled event.
    enabled_.fetch_or(BitOf(event));
    const jvmtiError error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
    if (error != JVMTI_ERROR_NONE) {
      enabled_.fetch_and(~BitOf(event));
      return JvmtiFailure(fmt::format("enable the JVMTI event {}", JvmtiEventName(event)), error);
    }
  }
  return {};
}

void JvmtiEnvironment::Disable(jvmtiEvent event) {
  if ((enabled_.fetch_and(~BitOf(event)) & BitOf(event)) == 0) return;
  jvmti_->SetEventNotificationMode(JVMTI_DISABLE, event, nullptr);
}

void JvmtiEnvironment::CompleteThread(jthread thread) {
  // HotSpot looks for the data by the Thread object only if there is something to keep.
  jvmti_->SetThreadLocalStorage(thread, this);
  jvmti_->SetThreadLocalStorage(thread, nullptr);
}

void JvmtiEnvironment::CloseGate() {
  if (gate_ != nullptr) gate_->Close();
}

void JvmtiEnvironment::AwaitCallbacks(std::chrono::milliseconds patience) const {
  if (gate_ != nullptr) gate_->Wait(patience);
}

bool JvmtiEnvironment::StopEvents(std::chrono::milliseconds patience) {
  CloseGate();
  if (jvmti_ == nullptr) return true;
  for (int event = JVMTI_MIN_EVENT_TYPE_VAL; event <= JVMTI_MAX_EVENT_TYPE_VAL; ++event)
    Disable(static_cast<jvmtiEvent>(event));
  return gate_ == nullptr || gate_->Wait(patience);
}

}  // namespace iprof::vm
