#include "agent/vm/classes/names/unload_watch.h"

#include <algorithm>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {
namespace {

constexpr size_t kTagsAtOnce = 64;

}  // namespace

Status UnloadWatch::Start(JavaVM* vm) {
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm);
  if (!opened.ok()) return opened.status();
  environment_ = std::move(*opened);
  jvmtiCapabilities capabilities{};
  capabilities.can_tag_objects = 1;
  capabilities.can_generate_object_free_events = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ObjectFree = ObjectFree;
  Status status = environment_.AddCapabilities(capabilities, "see classes being unloaded");
  if (status.ok()) status = environment_.SetCallbacks(callbacks, this);
  if (status.ok()) status = environment_.Enable({JVMTI_EVENT_OBJECT_FREE});
  if (status.ok()) tags_.store(environment_.get(), std::memory_order_release);
  return status;
}

UnloadTag UnloadWatch::TagOf(jobject object) {
  jvmtiEnv* const jvmti = tags_.load(std::memory_order_acquire);
  if (object == nullptr || jvmti == nullptr) return kNeverUnloaded;
  jlong tag = 0;
  if (jvmti->GetTag(object, &tag) != JVMTI_ERROR_NONE) return kNeverUnloaded;
  if (tag != 0) return UnloadTag{tag};
  tag = next_tag_.fetch_add(1, std::memory_order_relaxed);
  return jvmti->SetTag(object, tag) == JVMTI_ERROR_NONE ? UnloadTag{tag} : kNeverUnloaded;
}

std::vector<UnloadWatch::Tagged> UnloadWatch::Find(std::span<const UnloadTag> tags) const {
  std::vector<Tagged> found;
  jvmtiEnv* const jvmti = tags_.load(std::memory_order_acquire);
  while (jvmti != nullptr && !tags.empty()) {
    // A few at a time, so that the lock is free in between.
    const auto some = tags.first(std::min(tags.size(), kTagsAtOnce));
    tags = tags.subspan(some.size());
    std::vector<jlong> wanted;
    for (const UnloadTag tag : some) wanted.push_back(static_cast<jlong>(tag));
    jint count = 0;
    JvmtiMemory<jobject> objects(jvmti);
    JvmtiMemory<jlong> their_tags(jvmti);
    if (jvmti->GetObjectsWithTags(static_cast<jint>(wanted.size()), wanted.data(), &count,
                                  objects.address(), their_tags.address()) != JVMTI_ERROR_NONE)
      continue;
    for (jint i = 0; i < count; ++i) found.push_back({UnloadTag{their_tags[i]}, objects[i]});
  }
  return found;
}

void JNICALL UnloadWatch::ObjectFree(jvmtiEnv* jvmti, jlong tag) {
  const InCallback<UnloadWatch> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "ObjectFree", [&] {
    for (const Gone& gone : self->listeners_) gone(UnloadTag{tag});
  });
}

}  // namespace iprof::vm
