// ClassRestorer: gives loaded classes the code back that they have without the agent.
//
// It has them retransformed while the agent's class-file hook changes nothing. The JVM starts from
// the bytes that it kept when a hook first changed the class, and runs the hooks of the other agents
// again.
//
// A class whose definition began while the hook still changed classes, but that was not loaded yet at the
// first look, is found by a second one. What takes longer to load than the first look's swaps keeps its
// probes, which only the program's own class loaders can bring about.
//
// Left as they are: classes that the JVM cannot change (hidden ones), and classes that are loaded but
// not linked: retransforming them would link them, which runs the program's class loaders.
//
// Guarantees: nothing is thrown. No class is left with the tag kSeen. Frames that run a class's old code go on in it.
// Threads: any live thread that may run Java code and holds no lock.
// Failure: a class that the JVM refuses keeps its probes and is counted in the outcome.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/hotspot/pause_clock.h"
#include "agent/vm/classes/retransformer.h"
#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/classes/weak_classes.h"
#include "writer/names/typed_names.h"

namespace iprof::vm {

struct RestoredClasses {
  RetransformOutcome outcome;
  uint64_t not_linked = 0;
  uint64_t unmodifiable = 0;  // hidden classes, mostly
  uint64_t redefined = 0;     // by somebody else, which restoring would undo

  // A line for the user.
  std::string Text() const;
};

class ClassRestorer {
 public:
  // The environment can retransform.
  ClassRestorer(JavaVM* vm, jvmtiEnv* jvmti, SwapGuard& guard, std::chrono::nanoseconds pause);

  struct Hooks {
    std::function<bool(InternalName)> is_counted;  // whether a class of this name may have probes
    std::function<void(jclass)> not_linked;        // called for each such class
    std::function<bool()> goes_on;                 // the end is early when it returns false
    // Waits for class-file hooks that are running, before the second look. Empty: there is only one look.
    std::function<void()> settle = {};
    // Called after each batch of a look. Empty: no one wants to know.
    std::function<void(uint64_t done, uint64_t all)> restoring = {};
  };
  RestoredClasses Run(JNIEnv* jni, const Hooks& hooks);

 private:
  enum class Look { kOnly, kFirst, kSecond };
  bool IsNew(jclass klass, Look look);
  std::unique_ptr<WeakClasses> Find(JNIEnv* jni, Look look, const Hooks& hooks,
                                    RestoredClasses& restored);
  void Restore(JNIEnv* jni, WeakClasses& found, const Hooks& hooks, Retransformer& retransformer,
               RestoredClasses& restored);

  jvmtiEnv* const jvmti_;
  SwapGuard& guard_;
  const hotspot::PauseClock clock_;
  const std::chrono::nanoseconds pause_;
};

}  // namespace iprof::vm
