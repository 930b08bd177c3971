#include "agent/vm/classes/weak_classes.h"

namespace iprof::vm {

WeakClasses::WeakClasses(JNIEnv* jni, std::span<const jclass> classes) : jni_(jni) {
  references_.reserve(classes.size());
  for (jclass klass : classes) {
    jweak reference = jni->NewWeakGlobalRef(klass);
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    if (reference != nullptr) references_.push_back(reference);
  }
}

WeakClasses::~WeakClasses() {
  for (; !empty(); ++next_) jni_->DeleteWeakGlobalRef(references_[next_]);
}

std::vector<jclass> WeakClasses::Take(size_t most) {
  std::vector<jclass> alive;
  for (; !empty() && alive.size() < most; ++next_) {
    jweak reference = references_[next_];
    if (jobject loaded = jni_->NewLocalRef(reference)) alive.push_back(static_cast<jclass>(loaded));
    jni_->DeleteWeakGlobalRef(reference);
  }
  return alive;
}

}  // namespace iprof::vm
