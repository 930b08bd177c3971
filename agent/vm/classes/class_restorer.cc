#include "agent/vm/classes/class_restorer.h"

#include <fmt/core.h>

#include <vector>

#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/own_jvm.h"

namespace iprof::vm {
namespace {

double Milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

std::string RestoredClasses::Text() const {
  std::string text = fmt::format(
      "{} classes have their own code again, after {} pauses ({:.0f} ms in all, the longest {:.0f} "
      "ms)",
      outcome.classes, outcome.pauses, Milliseconds(outcome.sum_of_pauses),
      Milliseconds(outcome.longest_pause));
  if (unmodifiable > 0) text += fmt::format("; {} hidden ones keep their probes", unmodifiable);
  if (redefined > 0) {
    text += fmt::format(
        "; {} keep their probes because somebody else redefined them, which a JVM before JDK 20 "
        "would undo",
        redefined);
  }
  if (not_linked > 0)
    text += fmt::format("; {} are not linked yet and get it later, when the program links them",
                        not_linked);
  if (outcome.refused > 0) {
    text += fmt::format("; the JVM refused to change {}, the last with {}", outcome.refused,
                        JvmtiErrorText(outcome.last_error));
  }
  return text;
}

ClassRestorer::ClassRestorer(JavaVM* vm, jvmtiEnv* jvmti, SwapGuard& guard,
                             std::chrono::nanoseconds pause)
    : jvmti_(jvmti), guard_(guard), clock_(OwnJvm(vm).structs()), pause_(pause) {}

// Whether the first look has not dealt with this class.
bool ClassRestorer::IsNew(jclass klass, Look look) {
  if (look == Look::kOnly) return true;
  const ClassTag::State state = ClassTag::Of(jvmti_, klass).state;
  if (look == Look::kFirst) {
    if (state == ClassTag::State::kNone) SetState(jvmti_, klass, ClassTag::State::kSeen);
    return true;
  }
  if (state == ClassTag::State::kSeen) SetState(jvmti_, klass, ClassTag::State::kNone);
  return state == ClassTag::State::kNone;
}

// Notes the classes that cannot be restored now in `restored`.
std::unique_ptr<WeakClasses> ClassRestorer::Find(JNIEnv* jni, Look look, const Hooks& hooks,
                                                 RestoredClasses& restored) {
  const LoadedClasses loaded(jvmti_, jni);
  std::vector<jclass> counted;
  for (jclass klass : loaded.all()) {
    JvmtiString signature(jvmti_);
    if (jvmti_->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE)
      continue;
    const Descriptor type(ViewOf(signature));
    if (!type.IsClass() || !hooks.is_counted(type.ClassName()) || !IsNew(klass, look)) continue;
    jboolean is_modifiable = JNI_FALSE;
    if (jvmti_->IsModifiableClass(klass, &is_modifiable) != JVMTI_ERROR_NONE || !is_modifiable) {
      ++restored.unmodifiable;
      continue;
    }
    jint status = 0;
    if (jvmti_->GetClassStatus(klass, &status) != JVMTI_ERROR_NONE) continue;
    if ((status & JVMTI_CLASS_STATUS_PREPARED) == 0) {
      ++restored.not_linked;
      hooks.not_linked(klass);
    } else {
      counted.push_back(klass);
    }
  }
  return std::make_unique<WeakClasses>(jni, counted);
}

void ClassRestorer::Restore(JNIEnv* jni, WeakClasses& found, const Hooks& hooks,
                            Retransformer& retransformer, RestoredClasses& restored) {
  const uint64_t all = found.size();
  uint64_t done = 0;
  while (!found.empty() && hooks.goes_on()) {
    const LocalFrame frame(jni);
    const std::vector<jclass> classes = found.Take(retransformer.NextBatch());
    const std::vector<jclass> passed = guard_.Pass(jni, classes);
    restored.redefined += classes.size() - passed.size();
    guard_.Swapped(jni, passed, retransformer.Run(passed, [](size_t) { return true; }));
    done += classes.size();
    if (hooks.restoring) hooks.restoring(done, all);
  }
}

RestoredClasses ClassRestorer::Run(JNIEnv* jni, const Hooks& hooks) {
  RestoredClasses restored;
  Retransformer retransformer(jvmti_, &clock_, pause_);
  const auto restore = [&](Look look) {
    Restore(jni, *Find(jni, look, hooks, restored), hooks, retransformer, restored);
  };
  restore(hooks.settle ? Look::kFirst : Look::kOnly);
  if (hooks.settle) {
    hooks.settle();
    restore(Look::kSecond);
  }
  restored.outcome = retransformer.outcome();
  return restored;
}

}  // namespace iprof::vm
