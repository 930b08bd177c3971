// UnloadWatch: says when a class or a class loader is gone.
//
// Why: the JVM makes classes for as long as the program runs, and each has a
// name that is not used again. What is kept for it must go when it goes.
//
// It has a JVMTI environment of its own: objects are tagged there, and
// ObjectFree reports the tag of each one that was collected. A tag keeps no
// object alive.
//
// Threads: Tell before Start; Start and Close once, Close on any thread but
// that of an ObjectFree; TagOf on any thread in the start or live phase. Where
// two threads tag one loader at the same moment, what was kept for the lost tag
// stays for good. Failure: an object that cannot be tagged has tag
// kNeverUnloaded, and what is kept for it stays. So it is before Start, too.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/names/unload_tag.h"
#include "agent/vm/settings/log.h"
#include "writer/base/status.h"

namespace iprof::vm {

class UnloadWatch {
 public:
  explicit UnloadWatch(Log& log) : log_(log) {}
  UnloadWatch(const UnloadWatch&) = delete;
  UnloadWatch& operator=(const UnloadWatch&) = delete;

  // Is told of every tag, within ObjectFree, where nothing of the JVM may be
  // used.
  using Gone = std::function<void(UnloadTag)>;
  void Tell(Gone gone) { listeners_.push_back(std::move(gone)); }

  Status Start(JavaVM* vm);
  // While the program goes on: nobody is told any more. True: and no callback
  // is under way.
  bool Close() { return environment_.StopEvents(); }

  // The object's tag, a new one where it has none. Null is the boot loader, which stays.
  UnloadTag TagOf(jobject object);

 private:
  static void JNICALL ObjectFree(jvmtiEnv* jvmti, jlong tag);

  Log& log_;
  JvmtiEnvironment environment_;
  std::vector<Gone> listeners_;
  std::atomic<jvmtiEnv*> tags_{nullptr};  // null before Start
  std::atomic<jlong> next_tag_{1};
};

}  // namespace iprof::vm
