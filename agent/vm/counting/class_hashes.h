// ClassHashes: notes the identity hash and the name of every class that the program can drop, so
// that counts under such a hash can be named after the class has gone. See HashNames.
//
// Where classes come from: the JVM's ClassPrepare event, which comes before a class has objects;
// hidden classes from whoever sees them defined; what was loaded before, from a walk over all
// loaded classes. Arrays go by their elements' class.
//
// Guarantees: holds no class, only JNI weak references, which neither keep a class nor its loader
// alive. Classes of the boot, platform and application loaders are left out. Runs no
// Java code, leaves no exception pending and no local reference behind.
// Limits: an array's class whose own hash is that of another class at the same site counts as that
// class, where neither stays. One pair in two thousand million is such a pair.
// Threads: Start once; Prepared and HiddenDefined on any thread in the live phase after Start; the
// rest on one thread at a time.
#pragma once

#include <jvmti.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "agent/vm/counting/hash_names.h"
#include "writer/base/status.h"
#include "writer/methods/type_counts.h"

namespace iprof::vm {

// The name that a profile gives a class with this signature; nothing where an image has no such
// class.
using TypeNaming = std::function<std::optional<std::string>(
    jvmtiEnv* jvmti, JNIEnv* jni, jclass type, std::string_view signature)>;

class ClassHashes {
 public:
  ClassHashes(TypeNaming naming, size_t most_bytes)
      : naming_(std::move(naming)), names_(most_bytes) {}

  // The loaders, besides the boot loader, that stay until the program ends.
  Status Start(JNIEnv* jni, jobject platform, jobject application);

  void Prepared(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);
  // A hidden class that may be unloaded, after it got its name.
  void HiddenDefined(jvmtiEnv* jvmti, JNIEnv* jni, jclass type);

  // Notes every loaded class that is not known. None is unloaded meanwhile, for some milliseconds.
  void LearnLoaded(jvmtiEnv* jvmti, JNIEnv* jni);
  void Sweep(JNIEnv* jni);
  HashNames& names() { return names_; }
  const HashNames& names() const { return names_; }

  // The name of a class that is there; null has none.
  std::optional<std::string> NameOf(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const;
  // Counts objects of such a class at a site; of one without a name as lost.
  void AddTo(TypeCounts& counts, jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site, jclass type,
             uint64_t count) const;

 private:
  bool LoaderStays(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const;
  bool Knows(JNIEnv* jni, jclass type, jint hash) const;
  void Add(JNIEnv* jni, jclass type, jint hash, const std::optional<std::string>& name);

  const TypeNaming naming_;
  HashNames names_;
  jobject platform_ = nullptr;  // global references
  jobject application_ = nullptr;
};

}  // namespace iprof::vm
