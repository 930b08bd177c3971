#include "agent/vm/classes/class_filter.h"

#include <algorithm>
#include <string>

#include "agent/vm/jvmti/boot_class.h"
#include "writer/names/benchmark_harness.h"
#include "writer/names/own_classes.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
void ClassFilter::LearnLoaders(JNIEnv* jni) {
  jclass loader_class = BootClass(jni, "java/lang/ClassLoader");
  jmethodID get = loader_class == nullptr
                      ? nullptr
                      : jni->GetStaticMethodID(loader_class, "getPlatformClassLoader",
                                               "()Ljava/lang/ClassLoader;");
  jobject platform = get == nullptr ? nullptr : jni->CallStaticObjectMethod(loader_class, get);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    platform = nullptr;
  }
  if (platform != nullptr) {
    platform_loader_.store(jni->NewGlobalRef(platform), std::memory_order_release);
    jni->DeleteLocalRef(platform);
  }
  if (loader_class != nullptr) jni->DeleteLocalRef(loader_class);
}

bool ClassFilter::Accepts(JNIEnv* jni, jobject loader, std::string_view internal_name) const {
  if (IsOwnClass(InternalName(internal_name))) return false;
  if (IsLinkageClass(InternalName(internal_name))) return false;
  if (IsBenchmarkHarness(InternalName(internal_name))) return false;
  if (!count_jdk_) {
    if (loader == nullptr) return false;
    jobject platform = platform_loader_.load(std::memory_order_acquire);
    if (platform == nullptr || jni->IsSameObject(loader, platform)) return false;
  }
  if (include_.empty() && exclude_.empty()) return true;
  std::string name(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  if (!include_.empty() && !MatchesAny(include_, name)) return false;
  return !MatchesAny(exclude_, name);
}

}  // namespace iprof::vm
