// ProxyNames: names the classes of java.lang.reflect.Proxy by rule, from what the JVM knows about
// them.
//
// Guarantees: runs no Java code, and leaves no exception pending and no local reference behind.
// Threads: any, in the live phase; LearnFields at VMInit, one thread at a time; the other functions
// several at a time.
// Failure: if something cannot be found out, the class keeps its own name.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/vm/classes/names/hidden_names.h"
#include "agent/vm/classes/names/unload_watch.h"

namespace iprof::vm {

class ProxyNames {
 public:
  // `watch` makes names be forgotten together with their loaders. Both must outlive this object.
  ProxyNames(HiddenNames& names, UnloadWatch& watch) : names_(names), watch_(watch) {}

  HiddenNames& names() const { return names_; }

  void LearnFields(JNIEnv* jni);

  // Call it while the class is being loaded. Returns its internal name for a profile, or nullopt if
  // it is not a proxy. HiddenNames remembers the HotSpot name.
  std::optional<std::string> NameLoading(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                                         std::span<const uint8_t> bytes);

  // Call it for a loaded class whose signature looks like a proxy's. A no-op if it has its name
  // already.
  void NameLoaded(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass, std::string_view signature);

 private:
  std::string Name(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader, std::string_view hotspot_name,
                   ProxyFacts facts);
  std::optional<std::string> LoaderName(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader) const;
  std::optional<std::string> ModuleName(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                                        const std::string& package) const;

  HiddenNames& names_;
  UnloadWatch& watch_;
  jfieldID loader_name_ = nullptr;
  jfieldID module_name_ = nullptr;
  std::atomic<bool> learnt_{false};  // loader_name_ and module_name_ may be read
};

}  // namespace iprof::vm
