// LoadedClasses: all classes that are loaded now. None of them is unloaded while this object
// exists.
//
// Why: a jmethodID may be passed to the JVM only while its class is loaded. JVMTI's lists of
// methods and stacks do not keep classes alive. This object does, for all classes but those that
// are loaded later.
//
// Guarantees: as above. Threads: any attached thread in the live phase; use it on the thread that
// created it.
// Failure: if the JVM does not list its classes, the list is empty and error() says why.
#pragma once

#include <jvmti.h>

#include <span>

#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {

class LoadedClasses {
 public:
  LoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni) : frame_(jni), classes_(jvmti) {
    error_ = jvmti->GetLoadedClasses(&count_, classes_.address());
    if (error_ != JVMTI_ERROR_NONE) count_ = 0;
  }

  jvmtiError error() const { return error_; }
  std::span<jclass> all() const { return {classes_.get(), static_cast<size_t>(count_)}; }

 private:
  const LocalFrame frame_;
  JvmtiMemory<jclass> classes_;
  jint count_ = 0;
  jvmtiError error_;
};

}  // namespace iprof::vm
