// UnloadWatch: reports when a class or a class loader is gone.
//
// Why: the JVM creates classes as long as the program runs, and each has a name that is not used
// again. What we keep for a class must be freed when the class is.
//
// Guarantees: it has its own JVMTI environment, in which objects are tagged. ObjectFree reports the
// tag of each object that was collected. A tag keeps no object alive.
// Threads: Tell before Start; Start and Close once, Close on any thread except in an ObjectFree;
// TagOf on any thread in the start or live phase. If two threads tag one loader at the same moment,
// what is kept for the lost tag is never freed.
// Failure: an object that cannot be tagged, or is asked for before Start, has the tag
// kNeverUnloaded, and what is kept for it stays.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "agent/settings/log.h"
#include "agent/vm/classes/names/unload_tag.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/base/status.h"

namespace iprof::vm {

class UnloadWatch {
 public:
  explicit UnloadWatch(Log& log) : log_(log) {}
  UnloadWatch(const UnloadWatch&) = delete;
  UnloadWatch& operator=(const UnloadWatch&) = delete;

  // Called with every tag, within ObjectFree, where nothing of the JVM may be used.
  using Gone = std::function<void(UnloadTag)>;
  void Tell(Gone gone) { listeners_.push_back(std::move(gone)); }

  Status Start(JavaVM* vm);
  // Called while the program keeps running: listeners are called no more. Returns true if no
  // callback is running.
  bool Close() { return environment_.StopEvents(); }

  // The object's tag; creates one if it has none. Null is the boot loader, which is never unloaded.
  UnloadTag TagOf(jobject object);

  // Those objects that still exist, each with its tag. The references are local ones. HotSpot compares each tag of this environment
  // with each of these, under the lock of its tags, without a safepoint.
  struct Tagged {
    UnloadTag tag;
    jobject object;
  };
  std::vector<Tagged> Find(std::span<const UnloadTag> tags) const;

 private:
  static void JNICALL ObjectFree(jvmtiEnv* jvmti, jlong tag);

  Log& log_;
  JvmtiEnvironment environment_;
  std::vector<Gone> listeners_;
  std::atomic<jvmtiEnv*> tags_{nullptr};  // null before Start
  std::atomic<jlong> next_tag_{1};
};

}  // namespace iprof::vm
