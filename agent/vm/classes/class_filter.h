// ClassFilter: which classes are counted, by name and loader.
//
// Guarantees: the agent's own classes and the linkage of method handles are never counted. With
// jdk=n, classes of the boot and platform loaders are not counted either. Patterns of include= and
// exclude= match the class's name with dots; exclude takes precedence. Before LearnLoaders, only
// classes of the boot loader occur.
// Threads: Accepts on any thread, without a lock; LearnLoaders once, at VMInit.
// Failure: if the platform loader is unknown, jdk=n accepts no class.
#pragma once

#include <jni.h>

#include <atomic>
#include <string_view>

#include "agent/settings/option_values.h"

namespace iprof::vm {

class ClassFilter {
 public:
  ClassFilter(bool count_jdk, PatternList include, PatternList exclude)
      : count_jdk_(count_jdk), include_(std::move(include)), exclude_(std::move(exclude)) {}

  void LearnLoaders(JNIEnv* jni);

  // The name is the JVM's internal one, with slashes.
  bool Accepts(JNIEnv* jni, jobject loader, std::string_view internal_name) const;

 private:
  const bool count_jdk_;
  const PatternList include_;
  const PatternList exclude_;
  std::atomic<jobject> platform_loader_{nullptr};  // global reference
};

}  // namespace iprof::vm
