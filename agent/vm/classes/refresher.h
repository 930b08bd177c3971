// Refresher: lets HotSpot profile classes again.
//
// Why: HotSpot counts a method no more once its best compiler has compiled it, so its counters show the
// beginning of the program. A class that is retransformed gets new methods without counters and compiled code,
// although its bytecode stays the same.
//
// Guarantees: no class is changed: no hook of this environment is enabled. (The hooks of other agents that can
// retransform run again, as at every retransformation.) Before JDK 20, a class that somebody else redefined is
// left alone, because the JVM would undo that. Pauses keep to the budget as far as Retransformer can. No class is
// kept loaded.
// Threads: one at a time, in the live phase, that may run Java code and holds no lock.
// Failure: Make fails if the JVM does not allow it. What a Run could not do is in its result.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "agent/vm/classes/class_restorer.h"
#include "agent/vm/classes/hot_classes.h"
#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/base/status.h"

namespace iprof::vm {

class Refresher {
 public:
  static Result<std::unique_ptr<Refresher>> Make(JavaVM* vm);

  // Does so for all loaded classes of these names, until `goes_on` returns false.
  RestoredClasses Run(JNIEnv* jni, const ClassNames& classes, std::chrono::nanoseconds pause,
                      const std::function<bool()>& goes_on);

  // Has HotSpot discard all code that it compiled without noting what it depends on, by swapping a class that no thread
  // runs: all code from before the first JVMTI environment of this JVM. Later calls discard nothing. Profiles stay.
  RestoredClasses DiscardOldCode(JNIEnv* jni, std::chrono::nanoseconds pause,
                                 const std::function<bool()>& goes_on);
  // See running_loops.h.
  std::optional<ClassNames> ClassesInLoops(JNIEnv* jni) const;

  // A line for the user.
  static std::string Text(const RestoredClasses& done);

 private:
  Refresher(JavaVM* vm, JvmtiEnvironment environment);

  void NoteUntouched(JNIEnv* jni);

  JavaVM* const vm_;
  JvmtiEnvironment environment_;
  SwapGuard guard_;  // knows what earlier runs did
};

}  // namespace iprof::vm
