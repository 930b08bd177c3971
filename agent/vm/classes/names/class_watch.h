// ClassWatch: reports when classes have been unloaded.
//
// A class is watched by UnloadWatch's tag on its mirror, the object of java.lang.Class. Once the
// collector has freed the mirror, no frame of the class can run, not even an inlined one, and its
// methods' ids cannot be used. What then has to be done needs the JVM, so it waits for the agent's
// own thread.
//
// Guarantees: listeners are called in the order of registration, on the thread of Process.
// Threads: OnGone while the session starts; LearnLoaders in the live phase; MayGo, Stays, Watch and
// Loaded on any thread; Process on any attached thread (usually the agent's own), several at a time.
// Failure: a class that cannot be watched is treated as one that is never unloaded.
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

#include "agent/vm/classes/names/unload_watch.h"

namespace iprof::vm {

class ClassWatch {
 public:
  // Construct it before `tags` is started. `tags` must outlive it.
  explicit ClassWatch(UnloadWatch& tags);
  ClassWatch(const ClassWatch&) = delete;
  ClassWatch& operator=(const ClassWatch&) = delete;

  // Called when classes are gone, on the thread of Process, in order of registration. Register
  // before any class is watched. Some of the tags may be those of other objects.
  using Gone = std::function<void(JNIEnv*, std::span<const UnloadTag>)>;
  void OnGone(Gone gone) { listeners_.push_back(std::move(gone)); }

  // Finds the loaders that live until the program ends. A second call is a no-op.
  void LearnLoaders(JNIEnv* jni);

  // Whether classes of this loader may be unloaded; false before LearnLoaders.
  bool MayGo(JNIEnv* jni, jobject loader) const;

  // Whether classes of this loader, other than hidden ones, are loaded until the program ends. Before
  // LearnLoaders neither may be known.
  bool Stays(JNIEnv* jni, jobject loader) const;

  // Returns nullopt if it cannot be watched. The same class gets the same tag.
  std::optional<UnloadTag> Watch(jclass klass);

  // Those of the watched classes that are still loaded. The references are local ones.
  std::vector<UnloadWatch::Tagged> Loaded(std::span<const UnloadTag> tags) const {
    return tags_.Find(tags);
  }

  // Reports the classes that have gone since the last call.
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
