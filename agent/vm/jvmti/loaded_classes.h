// LoadedClasses: all classes that are loaded now. None of them is unloaded while this object
// exists.
//
// Why: a jmethodID may be passed to the JVM only while its class is loaded. JVMTI's lists of
// methods and stacks do not keep classes alive. This object does, for all classes but those that
// are loaded later.
//
// Guarantees: as above. With a ClassSource, it does not wait for ever at the JVM's end. Without, it
// must not be used there.
// Threads: any attached thread in the live phase; use it on the thread that created it.
// Failure: if the JVM does not list its classes, the list is empty and error() says why. It is also
// empty if the ClassSource has none at the end.
#pragma once

#include <jvmti.h>

#include <span>

#include "agent/vm/jvmti/class_source.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {

class LoadedClasses {
 public:
  LoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni) : frame_(jni), classes_(jvmti) { List(jvmti); }
  LoadedClasses(const ClassSource& source, jvmtiEnv* jvmti, JNIEnv* jni)
      : frame_(jni), classes_(jvmti) {
    if (const auto last = source.AtTheEnd()) {
      all_ = *last;
    } else {
      List(jvmti);
    }
  }

  jvmtiError error() const { return error_; }
  std::span<const jclass> all() const { return all_; }

 private:
  void List(jvmtiEnv* jvmti) {
    jint count = 0;
    error_ = jvmti->GetLoadedClasses(&count, classes_.address());
    if (error_ == JVMTI_ERROR_NONE) all_ = {classes_.get(), static_cast<size_t>(count)};
  }

  const LocalFrame frame_;
  JvmtiMemory<jclass> classes_;
  std::span<const jclass> all_;
  jvmtiError error_ = JVMTI_ERROR_NONE;
};

}  // namespace iprof::vm
