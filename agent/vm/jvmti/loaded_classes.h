// LoadedClasses: every class that is loaded now, none of which is unloaded while this lives.
//
// Why: a jmethodID may be handed to the JVM only while its class is there. JVMTI's lists of methods
// and stacks hold no class; this does, for all but those that are loaded later.
//
// Any attached thread in the live phase; used on the thread that made it. Where the JVM does not list
// its classes there are none, and error() says why.
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
