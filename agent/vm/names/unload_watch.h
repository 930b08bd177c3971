// UnloadWatch: tells HiddenNames when a class or a class loader is gone.
//
// Why: the JVM makes classes for as long as the program runs, and each has a name that is not used
// again. What is kept for it must go when it goes.
//
// It has a JVMTI environment of its own: objects are tagged there, and ObjectFree reports the tag
// of each one that was collected. A tag keeps no object alive.
//
// Threads: TagOf on any thread in the start or live phase. Where two threads tag one loader at the
// same moment, the names that came with the lost tag stay for good. Failure: an object that cannot
// be tagged has tag kNeverUnloaded, and what is kept for it stays.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <functional>
#include <utility>

#include "agent/vm/names/hidden_names.h"
#include "agent/vm/settings/log.h"
#include "writer/base/status.h"

namespace iprof::vm {

class UnloadWatch {
 public:
  UnloadWatch(const UnloadWatch&) = delete;
  UnloadWatch& operator=(const UnloadWatch&) = delete;

  // The result lives until the process ends, as events may come until then.
  static Result<UnloadWatch*> Create(JavaVM* vm, Log& log, HiddenNames& names);

  // The object's tag, a new one where it has none. Null is the boot loader, which stays.
  UnloadTag TagOf(jobject object);

  // Is told of every tag as well; within ObjectFree, where nothing of the JVM may be used. Before the
  // first object is tagged.
  void Tell(std::function<void(UnloadTag)> gone) { gone_ = std::move(gone); }

  // Where the agent's start fails after all.
  void StopEvents();

 private:
  UnloadWatch(jvmtiEnv* jvmti, Log& log, HiddenNames& names)
      : jvmti_(jvmti), log_(log), names_(names) {}

  static void JNICALL ObjectFree(jvmtiEnv* jvmti, jlong tag);

  static std::atomic<UnloadWatch*> instance_;

  jvmtiEnv* const jvmti_;
  Log& log_;
  HiddenNames& names_;
  std::function<void(UnloadTag)> gone_;
  std::atomic<jlong> next_tag_{1};
};

}  // namespace iprof::vm
