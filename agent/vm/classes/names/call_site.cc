#include "agent/vm/classes/names/call_site.h"

#include <array>
#include <cstdint>

#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {
namespace {

// There are about twenty frames from linkCallSite to ClassLoader.defineClass0.
constexpr jint kFrames = 64;

}  // namespace

bool CallSiteFinder::IsLinker(JNIEnv* jni, jmethodID method) {
  if (const jmethodID known = linker_.load(std::memory_order_acquire)) return method == known;
  JvmtiString name(jvmti_);
  if (jvmti_->GetMethodName(method, name.address(), nullptr, nullptr) != JVMTI_ERROR_NONE ||
      ViewOf(name) != "linkCallSite") {
    return false;
  }
  jclass declaring = nullptr;
  if (jvmti_->GetMethodDeclaringClass(method, &declaring) != JVMTI_ERROR_NONE) return false;
  JvmtiString signature(jvmti_);
  const bool found =
      jvmti_->GetClassSignature(declaring, signature.address(), nullptr) == JVMTI_ERROR_NONE &&
      ViewOf(signature) == "Ljava/lang/invoke/MethodHandleNatives;";
  jni->DeleteLocalRef(declaring);
  if (found) linker_.store(method, std::memory_order_release);
  return found;
}

std::optional<LinkingCallSite> CallSiteFinder::Find(JNIEnv* jni, jclass capturing) {
  std::array<jvmtiFrameInfo, kFrames> frames;
  jint count = 0;
  if (jvmti_->GetStackTrace(nullptr, 0, kFrames, frames.data(), &count) != JVMTI_ERROR_NONE)
    return std::nullopt;
  jint at = 0;
  while (at < count && !IsLinker(jni, frames[static_cast<size_t>(at)].method)) ++at;
  if (at + 1 >= count) return std::nullopt;
  const jvmtiFrameInfo& frame = frames[static_cast<size_t>(at) + 1];
  jclass declaring = nullptr;
  if (frame.location < 0 ||
      jvmti_->GetMethodDeclaringClass(frame.method, &declaring) != JVMTI_ERROR_NONE) {
    return std::nullopt;
  }
  const bool same = jni->IsSameObject(declaring, capturing) == JNI_TRUE;
  jni->DeleteLocalRef(declaring);
  if (!same) return std::nullopt;

  JvmtiString name(jvmti_);
  JvmtiString descriptor(jvmti_);
  JvmtiMemory<unsigned char> code(jvmti_);
  jint length = 0;
  if (jvmti_->GetMethodName(frame.method, name.address(), descriptor.address(), nullptr) !=
          JVMTI_ERROR_NONE ||
      jvmti_->GetBytecodes(frame.method, &length, code.address()) != JVMTI_ERROR_NONE) {
    return std::nullopt;
  }
  const auto call = instrument::FindDynamicCall({code.get(), static_cast<size_t>(length)},
                                                static_cast<uint32_t>(frame.location));
  if (!call) return std::nullopt;
  return LinkingCallSite{std::string(ViewOf(name)), std::string(ViewOf(descriptor)), *call};
}

}  // namespace iprof::vm
