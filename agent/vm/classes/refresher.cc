#include "agent/vm/classes/refresher.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "agent/vm/classes/running_loops.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "writer/base/grouped.h"

namespace iprof::vm {
namespace {

double Milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

std::string Refresher::Text(const RestoredClasses& done) {
  const RetransformOutcome& outcome = done.outcome;
  std::string text = fmt::format(
      "HotSpot profiles {} again, after {} ({:.0f} ms in all, the longest {:.0f} ms)",
      Counted(outcome.classes, "class", "classes"), Counted(outcome.pauses, "pause", "pauses"),
      Milliseconds(outcome.sum_of_pauses), Milliseconds(outcome.longest_pause));
  if (done.unmodifiable > 0) text += fmt::format("; {} hidden ones cannot be", done.unmodifiable);
  if (done.redefined > 0) {
    text += fmt::format(
        "; {} are left alone because somebody else redefined them, which a JVM before JDK 20 would "
        "undo",
        done.redefined);
  }
  if (outcome.refused > 0) {
    text += fmt::format("; the JVM refused {}, the last with {}", outcome.refused,
                        JvmtiErrorText(outcome.last_error));
  }
  return text;
}

Result<std::unique_ptr<Refresher>> Refresher::Make(JavaVM* vm) {
  Result<JvmtiEnvironment> environment = JvmtiEnvironment::Open(vm);
  if (!environment.ok()) return environment.status();
  jvmtiCapabilities wanted{};
  wanted.can_retransform_classes = 1;
  wanted.can_tag_objects = 1;    // for the guard
  wanted.can_get_bytecodes = 1;  // to find loops
  if (Status added = environment->AddCapabilities(wanted, "retransform classes"); !added.ok())
    return added;
  return std::unique_ptr<Refresher>(new Refresher(vm, std::move(*environment)));
}

Refresher::Refresher(JavaVM* vm, JvmtiEnvironment environment)
    : vm_(vm),
      environment_(std::move(environment)),
      guard_(environment_.get(), SwapGuard::IsNeededIn(JdkVersion(environment_.get()))) {}

// A swap counts as a redefinition of all subclasses, so what others have done must be known before the first.
void Refresher::NoteUntouched(JNIEnv* jni) {
  if (!guard_.is_needed()) return;
  const LoadedClasses loaded(environment_.get(), jni);
  for (jclass klass : loaded.all()) guard_.NoteUntouched(jni, klass);
}

RestoredClasses Refresher::Run(JNIEnv* jni, const ClassNames& classes,
                               std::chrono::nanoseconds pause,
                               const std::function<bool()>& goes_on) {
  const auto is_wanted = [&](InternalName internal) {
    std::string name(internal.text());
    std::replace(name.begin(), name.end(), '/', '.');
    return classes.contains(name);
  };
  NoteUntouched(jni);
  ClassRestorer restorer(vm_, environment_.get(), guard_, pause);
  return restorer.Run(jni,
                      {.is_counted = is_wanted, .not_linked = [](jclass) {}, .goes_on = goes_on});
}

RestoredClasses Refresher::DiscardOldCode(JNIEnv* jni, std::chrono::nanoseconds pause,
                                          const std::function<bool()>& goes_on) {
  const LocalFrame frame(jni);
  // Also initialises it: the JVM may not have linked it yet.
  jclass unused = jni->FindClass("java/lang/Void");
  if (unused != nullptr) jni->GetStaticFieldID(unused, "TYPE", "Ljava/lang/Class;");
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return Run(jni, {"java.lang.Void"}, pause, goes_on);
}

std::optional<ClassNames> Refresher::ClassesInLoops(JNIEnv* jni) const {
  return vm::ClassesInLoops(environment_.get(), jni);
}

}  // namespace iprof::vm
