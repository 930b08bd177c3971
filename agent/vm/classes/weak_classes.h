// WeakClasses: classes that wait for a long operation and may be unloaded while they wait.
//
// Why: a start in a large program takes seconds. If it kept all classes loaded for that time, a
// program that makes thousands of class loaders would fill its metaspace with garbage, and each
// pause, in which HotSpot walks all classes, would take longer than the one before.
//
// Guarantees: keeps no class loaded. The JVM's references are released at the latest by the
// destructor. Threads: one, attached to the JVM.
// Failure: a class for which the JVM has no memory for a reference is left out.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <span>
#include <vector>

namespace iprof::vm {

class WeakClasses {
 public:
  WeakClasses(JNIEnv* jni, std::span<const jclass> classes);
  ~WeakClasses();
  WeakClasses(const WeakClasses&) = delete;
  WeakClasses& operator=(const WeakClasses&) = delete;

  size_t size() const { return references_.size() - next_; }
  bool empty() const { return next_ == references_.size(); }
  // Local references to the next classes that are still loaded, `most` or fewer at the end. The
  // caller deletes them, or has a local frame.
  std::vector<jclass> Take(size_t most);

 private:
  JNIEnv* const jni_;
  std::vector<jweak> references_;
  size_t next_ = 0;  // those before it have been released
};

}  // namespace iprof::vm
