// LocalFrame: room for many JNI local references, given back together.
//
// Why: JVMTI hands out one local reference for each class or thread that it lists, thousands of
// them, far more than JNI promises without asking; -Xcheck:jni complains about each list otherwise.
//
// Any attached thread in the live phase. Where the JVM has no memory for the frame, references go
// to the surrounding one and nothing else changes.
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
  static constexpr jint kCapacity = 65535;  // the most that HotSpot promises

  JNIEnv* jni_;
  bool pushed_;
};

}  // namespace iprof::vm
