// PendingException: lets a callback of JVMTI use JNI while the program has an exception pending, and leaves it pending.
//
// Guarantees: no exception is pending while it exists, unless the callback causes one; then that one is dropped.
// Threads: any attached thread in the live phase, on one thread. Failure: none.
#pragma once

#include <jni.h>

namespace iprof::vm {

class PendingException {
 public:
  explicit PendingException(JNIEnv* jni) : jni_(jni) {
    if (jni->ExceptionCheck() == JNI_FALSE) return;
    exception_ = jni->ExceptionOccurred();
    jni->ExceptionClear();
  }
  ~PendingException() {
    if (jni_->ExceptionCheck() != JNI_FALSE) jni_->ExceptionClear();
    if (exception_ == nullptr) return;
    jni_->Throw(exception_);
    jni_->DeleteLocalRef(exception_);
  }
  PendingException(const PendingException&) = delete;
  PendingException& operator=(const PendingException&) = delete;

 private:
  JNIEnv* const jni_;
  jthrowable exception_ = nullptr;
};

}  // namespace iprof::vm
