// JavaThreads: the JNIEnv of any thread of Java. HotSpot's JavaThread contains it, and java.lang.Thread keeps the address of
// that in a field.
//
// Guarantees: nothing is read behind these addresses. No exception is pending afterwards.
// Threads: any that is attached to the JVM, in the live phase. Failure: nullopt, or null.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <optional>

namespace iprof::vm {

class JavaThreads {
 public:
  // Not on a virtual thread.
  static std::optional<JavaThreads> Find(jvmtiEnv* jvmti, JNIEnv* jni);

  // From a JavaThread to its JNIEnv.
  ptrdiff_t env_offset() const { return env_offset_; }
  // Null for a thread that does not live.
  const void* EnvOf(JNIEnv* jni, jthread thread) const;

 private:
  JavaThreads(jfieldID address, ptrdiff_t env_offset)
      : address_(address), env_offset_(env_offset) {}

  jfieldID address_;
  ptrdiff_t env_offset_;
};

}  // namespace iprof::vm
