#include "agent/vm/classes/live_frames.h"

#include <optional>

#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"

namespace iprof::vm {
namespace {

// The number of frames per thread that is requested first.
constexpr jint kUsualDepth = 2048;

// The memory that the JVM may use for the frames of all threads while it answers.
constexpr int64_t kMostBytes = int64_t{256} << 20;

using MethodCounts = std::unordered_map<jmethodID, uint64_t>;

// Reads all stacks to their end. Not with GetStackTrace for each thread: that waits until no
// virtual thread is being mounted, which at the end of the program may never happen.
MethodCounts MethodsOnStacks(jvmtiEnv* jvmti) {
  MethodCounts methods;
  for (jint depth = kUsualDepth;; depth *= 4) {
    JvmtiMemory<jvmtiStackInfo> stacks(jvmti);
    jint threads = 0;
    if (jvmti->GetAllStackTraces(depth, stacks.address(), &threads) != JVMTI_ERROR_NONE)
      return methods;
    methods.clear();
    bool deeper = false;
    for (jint t = 0; t < threads; ++t) {
      for (jint f = 0; f < stacks[t].frame_count; ++f) ++methods[stacks[t].frame_buffer[f].method];
      deeper = deeper || stacks[t].frame_count == depth;
    }
    const int64_t bytes = int64_t{threads} * depth * int64_t{sizeof(jvmtiFrameInfo)};
    if (!deeper || bytes * 4 > kMostBytes) return methods;
  }
}

// Returns nullopt if the method is gone.
std::optional<MethodKey> KeyOf(jvmtiEnv* jvmti, JNIEnv* jni, jmethodID method) {
  jclass declaring = nullptr;
  if (jvmti->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return std::nullopt;
  JvmtiString owner(jvmti);
  JvmtiString name(jvmti);
  JvmtiString descriptor(jvmti);
  std::optional<MethodKey> key;
  if (jvmti->GetClassSignature(declaring, owner.address(), nullptr) == JVMTI_ERROR_NONE &&
      jvmti->GetMethodName(method, name.address(), descriptor.address(), nullptr) ==
          JVMTI_ERROR_NONE) {
    key.emplace(Descriptor(ViewOf(owner)).ClassName(), ViewOf(name), ViewOf(descriptor));
  }
  jni->DeleteLocalRef(declaring);
  return key;
}

}  // namespace

LiveFrames LiveFrames::Collect(const ClassSource& source, jvmtiEnv* jvmti, JNIEnv* jni) {
  LiveFrames live;
  // Keeps the classes of the methods on the stacks loaded.
  const LoadedClasses pinned(source, jvmti, jni);
  const MethodCounts methods = MethodsOnStacks(jvmti);
  for (const auto& [method, count] : methods) {
    if (const auto key = KeyOf(jvmti, jni, method)) live.counts_[*key] += count;
  }
  return live;
}

uint64_t LiveFrames::Of(const MethodKey& key) const {
  const auto found = counts_.find(key);
  return found == counts_.end() ? 0 : found->second;
}

void LiveFrames::Add(const LiveFrames& other) {
  for (const auto& [key, count] : other.counts_) counts_[key] += count;
}

}  // namespace iprof::vm
