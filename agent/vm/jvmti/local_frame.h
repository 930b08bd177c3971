// LocalFrame: room for many JNI local references, which are freed together.
//
// Why: JVMTI creates one local reference for each class or thread that it lists. These are
// thousands, far more than JNI guarantees without a request, and -Xcheck:jni would warn about each
// list.
//
// Guarantees: the destructor frees all local references created since. Threads: any attached thread
// in the live phase.
// Failure: if the JVM has no memory for the frame, references go to the surrounding frame and
// nothing else changes.
#pragma once

#include <jni.h>

namespace iprof::vm {

class LocalFrame {
 public:
  explicit LocalFrame(JNIEnv* jni) : jni_(jni), pushed_(jni->PushLocalFrame(kCapacity) == JNI_OK) {
    if (!pushed_) jni_->ExceptionClear();
  }
  ~LocalFrame() {
    if (pushed_) jni_->PopLocalFrame(nullptr);
  }
  LocalFrame(const LocalFrame&) = delete;
  LocalFrame& operator=(const LocalFrame&) = delete;

 private:
  static constexpr jint kCapacity = 65535;  // the most that HotSpot guarantees

  JNIEnv* jni_;
  bool pushed_;
};

}  // namespace iprof::vm
