#include "agent/vm/live_frames.h"

#include <vector>

#include "agent/vm/jvmti_memory.h"
#include "agent/vm/loaded_classes.h"

namespace iprof::vm {
namespace {

// Frames that are asked for at a time; deeper stacks are read on from there.
constexpr jint kPage = 2048;
constexpr jint kDeepest = 1 << 22;

using MethodCounts = std::unordered_map<jmethodID, uint64_t>;

// The frames of a thread that lie deeper than the first page.
void AddRest(jvmtiEnv* jvmti, jthread thread, MethodCounts& methods) {
  std::vector<jvmtiFrameInfo> frames(kPage);
  for (jint depth = kPage; depth < kDeepest; depth += kPage) {
    jint count = 0;
    if (jvmti->GetStackTrace(thread, depth, kPage, frames.data(), &count) != JVMTI_ERROR_NONE)
      return;  // the stack ends here, or the thread has ended
    for (jint f = 0; f < count; ++f) ++methods[frames[static_cast<size_t>(f)].method];
    if (count < kPage) return;
  }
}

// "java/lang/Object.wait(J)V"; empty where the method is gone.
std::string KeyOf(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  jclass declaring = nullptr;
  if (jvmti->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return {};
  JvmtiString owner(jvmti);
  JvmtiString name(jvmti);
  JvmtiString descriptor(jvmti);
  std::string key;
  if (jvmti->GetClassSignature(declaring, owner.address(), nullptr) == JVMTI_ERROR_NONE &&
      jvmti->GetMethodName(method, name.address(), descriptor.address(), nullptr) ==
          JVMTI_ERROR_NONE) {
    std::string_view internal = ViewOf(owner);
    if (internal.size() > 2) internal = internal.substr(1, internal.size() - 2);
    key.append(internal).append(".").append(ViewOf(name)).append(ViewOf(descriptor));
  }
  jni->DeleteLocalRef(declaring);
  return key;
}

}  // namespace

LiveFrames LiveFrames::Collect(jvmtiEnv* jvmti, JNIEnv* jni) {
  LiveFrames live;
  const LoadedClasses pinned(jvmti, jni);  // the classes of the methods on the stacks
  JvmtiMemory<jvmtiStackInfo> stacks(jvmti);
  jint threads = 0;
  if (jvmti->GetAllStackTraces(kPage, stacks.address(), &threads) != JVMTI_ERROR_NONE) return live;
  MethodCounts methods;
  for (jint t = 0; t < threads; ++t) {
    for (jint f = 0; f < stacks[t].frame_count; ++f) ++methods[stacks[t].frame_buffer[f].method];
    if (stacks[t].frame_count == kPage) AddRest(jvmti, stacks[t].thread, methods);
  }
  for (const auto& [method, count] : methods) {
    const std::string key = KeyOf(jvmti, jni, method);
    if (!key.empty()) live.counts_[key] += count;
  }
  return live;
}

uint64_t LiveFrames::Of(std::string_view key) const {
  const auto found = counts_.find(std::string(key));
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace iprof::vm
