// ClassHashes: records the identity hash and the name of every class that may be unloaded, so that
// counts under such a hash can be named after the class is gone. See HashNames.
//
// Sources: the JVM's ClassPrepare event, which comes before a class has objects; HiddenDefined for
// hidden classes; and a walk over all loaded classes for those that were loaded before. Arrays are
// named by their elements' class.
//
// Guarantees: keeps no class or loader alive; it has only JNI weak references. Classes of the boot,
// platform and application loaders are left out. Runs no Java code, and leaves no exception pending
// and no local reference behind. Limits: if an array class that may be unloaded has the same hash
// as another such class at the same site, it counts as that class. The probability for a pair is
// one in two thousand million.
// Threads: Start once; Prepared and HiddenDefined on any thread in the live phase after Start; the
// rest on one thread at a time.
// Failure: a class that cannot be recorded has no name, and its counts are lost counts.
#pragma once

#include <jvmti.h>

#include <optional>
#include <string>
#include <string_view>

#include "agent/vm/cells/hash_names.h"
#include "agent/vm/classes/names/frame_methods.h"
#include "agent/vm/jvmti/class_source.h"
#include "writer/base/status.h"
#include "writer/records/type_counts.h"

namespace iprof::vm {

class ClassHashes {
 public:
  ClassHashes(const ClassSource& classes, TypeNaming naming, size_t most_bytes)
      : classes_(classes), naming_(std::move(naming)), names_(most_bytes) {}

  // The loaders, besides the boot loader, that live until the program ends.
  Status Start(JNIEnv* jni, jobject platform, jobject application);

  void Prepared(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);
  // Call it for a hidden class that may be unloaded, after it got its name.
  void HiddenDefined(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);

  // Records every loaded class that is not known. While it runs, for some milliseconds,
  // no class is unloaded.
  void LearnLoaded(jvmtiEnv* jvmti, JNIEnv* jni);
  void Sweep(JNIEnv* jni);
  HashNames& names() { return names_; }
  const HashNames& names() const { return names_; }

  // The name of a loaded class; nullopt for null.
  std::optional<std::string> NameOf(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const;
  // Adds the count of objects of a class at a site. If the class has no name, adds it to the lost
  // counts.
  void AddTo(TypeCounts& counts, jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site, jclass type,
             uint64_t count) const;

 private:
  bool LoaderStays(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const;
  bool Knows(JNIEnv* jni, jclass type, jint hash) const;
  void Add(JNIEnv* jni, jclass type, jint hash, const std::optional<std::string>& name);

  const ClassSource& classes_;
  const TypeNaming naming_;
  HashNames names_;
  jobject platform_ = nullptr;  // global references
  jobject application_ = nullptr;
};

}  // namespace iprof::vm
