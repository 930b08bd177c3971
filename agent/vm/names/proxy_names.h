// ProxyNames: names the classes of java.lang.reflect.Proxy by rule, from what the JVM knows of
// them.
//
// Guarantees: runs no Java code, leaves no exception pending and no local reference behind. What
// cannot be found out leaves the class without a name, and it keeps its own. Any thread in the live
// phase; LearnFields at VMInit, one thread at a time; the rest several at a time.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/vm/names/hidden_names.h"
#include "agent/vm/names/unload_watch.h"

namespace iprof::vm {

class ProxyNames {
 public:
  // `watch` lets names be forgotten with their loaders. Both outlive this.
  ProxyNames(HiddenNames& names, UnloadWatch& watch) : names_(names), watch_(watch) {}

  HiddenNames& names() const { return names_; }

  void LearnFields(JNIEnv* jni);

  // While the class is being loaded: its internal name for a profile; nothing where it is no proxy.
  // The HotSpot name is remembered in HiddenNames.
  std::optional<std::string> NameLoading(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader,
                                         std::span<const uint8_t> bytes);

  // Of a loaded class whose signature looks like a proxy's; nothing happens where it has its name
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
  std::atomic<bool> learnt_{false};  // the two above may be read
};

}  // namespace iprof::vm
