#include "agent/vm/names/unload_watch.h"

#include <fmt/format.h>

#include "agent/vm/jvmti/boundary.h"

namespace iprof::vm {

std::atomic<UnloadWatch*> UnloadWatch::instance_{nullptr};

Result<UnloadWatch*> UnloadWatch::Create(JavaVM* vm, Log& log, HiddenNames& names) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    return Status(Code::kUnsupported, "this JVM has no JVMTI 11, so it cannot be profiled");
  }
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  auto* made = new UnloadWatch(jvmti, log, names);  // until the process ends
  instance_.store(made, std::memory_order_release);
  jvmtiCapabilities capabilities{};
  capabilities.can_tag_objects = 1;
  capabilities.can_generate_object_free_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ObjectFree = ObjectFree;
  jvmtiError error = jvmti->AddCapabilities(&capabilities);
  if (error == JVMTI_ERROR_NONE)
    error = jvmti->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  if (error == JVMTI_ERROR_NONE)
    error = jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, nullptr);
  if (error == JVMTI_ERROR_NONE) return made;
  return Status(Code::kInternal,
                fmt::format("cannot watch for classes that are unloaded (JVMTI error {})",
                            static_cast<int>(error)));
}

UnloadTag UnloadWatch::TagOf(jobject object) {
  if (object == nullptr) return kNeverUnloaded;
  jlong tag = 0;
  if (jvmti_->GetTag(object, &tag) != JVMTI_ERROR_NONE) return kNeverUnloaded;
  if (tag != 0) return UnloadTag{tag};
  tag = next_tag_.fetch_add(1, std::memory_order_relaxed);
  return jvmti_->SetTag(object, tag) == JVMTI_ERROR_NONE ? UnloadTag{tag} : kNeverUnloaded;
}

void UnloadWatch::StopEvents() {
  jvmti_->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_OBJECT_FREE, nullptr);
}

void JNICALL UnloadWatch::ObjectFree(jvmtiEnv* /*jvmti*/, jlong tag) {
  UnloadWatch* self = instance_.load(std::memory_order_acquire);
  if (self == nullptr) return;
  AtBoundary(self->log_, "ObjectFree", [&] {
    self->names_.Drop(UnloadTag{tag});
    if (self->gone_) self->gone_(UnloadTag{tag});
  });
}

}  // namespace iprof::vm
