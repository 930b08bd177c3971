#include "agent/vm/classes/names/class_watch.h"

#include "agent/vm/jvmti/boot_class.h"

namespace iprof::vm {
namespace {

// A global reference to the loader that a static method of ClassLoader returns.
jobject Loader(JNIEnv* jni, const char* method) {
  jclass loaders = BootClass(jni, "java/lang/ClassLoader");
  jmethodID get = loaders == nullptr
                      ? nullptr
                      : jni->GetStaticMethodID(loaders, method, "()Ljava/lang/ClassLoader;");
  jobject found = get == nullptr ? nullptr : jni->CallStaticObjectMethod(loaders, get);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    found = nullptr;
  }
  jobject kept = found == nullptr ? nullptr : jni->NewGlobalRef(found);
  if (found != nullptr) jni->DeleteLocalRef(found);
  if (loaders != nullptr) jni->DeleteLocalRef(loaders);
  return kept;
}

}  // namespace

ClassWatch::ClassWatch(UnloadWatch& tags) : tags_(tags) {
  tags.Tell([this](UnloadTag tag) {
    const std::lock_guard lock(mutex_);
    gone_.push_back(tag);
  });
}

void ClassWatch::LearnLoaders(JNIEnv* jni) {
  if (learnt_.load(std::memory_order_acquire)) return;
  platform_loader_ = Loader(jni, "getPlatformClassLoader");
  application_loader_ = Loader(jni, "getSystemClassLoader");
  // Without them, classes of every loader would seem unloadable. That is harmless but means many to
  // watch.
  if (platform_loader_ != nullptr && application_loader_ != nullptr)
    learnt_.store(true, std::memory_order_release);
}

bool ClassWatch::Stays(JNIEnv* jni, jobject loader) const {
  return loader == nullptr || (learnt_.load(std::memory_order_acquire) &&
                               (jni->IsSameObject(loader, platform_loader_) == JNI_TRUE ||
                                jni->IsSameObject(loader, application_loader_) == JNI_TRUE));
}

bool ClassWatch::MayGo(JNIEnv* jni, jobject loader) const {
  return learnt_.load(std::memory_order_acquire) && !Stays(jni, loader);
}

std::optional<UnloadTag> ClassWatch::Watch(jclass klass) {
  const UnloadTag tag = tags_.TagOf(klass);
  if (tag == kNeverUnloaded) return std::nullopt;
  return tag;
}

void ClassWatch::Process(JNIEnv* jni) {
  std::vector<UnloadTag> gone;
  {
    const std::lock_guard lock(mutex_);
    gone.swap(gone_);
  }
  if (gone.empty()) return;
  for (const Gone& listener : listeners_) listener(jni, gone);
}

}  // namespace iprof::vm
