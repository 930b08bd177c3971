// ClassWatch: says when classes that may be unloaded are gone.
//
// A class is watched by UnloadWatch's tag on its mirror, the object of
// java.lang.Class. When the collector has freed that, no frame of the class can
// run any more, not even one that was inlined, and nobody can use its methods'
// ids. What is to be done then needs the JVM, so it waits for the agent's own
// thread.
//
// Threads: OnGone while the session starts; LearnLoaders in the live phase;
// MayGo and Watch on any thread; Process on any attached thread, several at a
// time, mostly the agent's own. Failure: a class that cannot be watched counts
// as one that stays.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agent/vm/names/unload_watch.h"

namespace iprof::vm {

class ClassWatch {
 public:
  // Before `tags` is started; it outlives this.
  explicit ClassWatch(UnloadWatch& tags);
  ClassWatch(const ClassWatch&) = delete;
  ClassWatch& operator=(const ClassWatch&) = delete;

  // What is done when classes are gone, on the thread of Process, in this order. Before any class is
  // watched. Some tags may be of other objects.
  using Gone = std::function<void(JNIEnv*, std::span<const UnloadTag>)>;
  void OnGone(Gone gone) { listeners_.push_back(std::move(gone)); }

  // Learns which loaders stay until the program ends; a second call does nothing.
  void LearnLoaders(JNIEnv* jni);

  // Whether classes of this loader may be unloaded; never before LearnLoaders.
  bool MayGo(JNIEnv* jni, jobject loader) const;

  // Nothing where it cannot be watched. The same class gets the same tag.
  std::optional<UnloadTag> Watch(jclass klass);

  // Tells of the classes that have gone since the last call.
  void Process(JNIEnv* jni);

 private:
  UnloadWatch& tags_;
  std::vector<Gone> listeners_;
  std::atomic<bool> learnt_{false};
  jobject platform_loader_ = nullptr;  // global references, set before learnt_
  jobject application_loader_ = nullptr;
  std::mutex mutex_;  // guards gone_
  std::vector<UnloadTag> gone_;
};

}  // namespace iprof::vm
