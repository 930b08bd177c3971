#include "agent/vm/classes/earlier_classes.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/own_jvm.h"
#include "writer/base/grouped.h"
#include "writer/names/typed_names.h"

namespace iprof::vm {
namespace {

// After a pause for classes that were linked later, the program runs for at least this many times
// as long.
constexpr int kRunsForPause = 20;

constexpr jint kInterface = 0x0200;
constexpr jint kAbstract = 0x0400;
constexpr jint kNative = 0x0100;

double Milliseconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

EarlierClasses::EarlierClasses(JavaVM* vm, jvmtiEnv* jvmti, const ClassFilter& filter,
                               SwapGuard& guard, std::chrono::nanoseconds pause, bool is_first)
    : vm_(vm), jvmti_(jvmti), filter_(filter), guard_(guard), pause_(pause), is_first_(is_first) {}

bool EarlierClasses::HasCode(jclass klass) const {
  jint count = 0;
  JvmtiMemory<jmethodID> methods(jvmti_);
  if (jvmti_->GetClassMethods(klass, &count, methods.address()) != JVMTI_ERROR_NONE) return true;
  for (jint i = 0; i < count; ++i) {
    jint modifiers = 0;
    if (jvmti_->GetMethodModifiers(methods[i], &modifiers) != JVMTI_ERROR_NONE ||
        (modifiers & (kAbstract | kNative)) == 0)
      return true;
  }
  return false;
}

bool EarlierClasses::IsCountable(JNIEnv* jni, jclass klass) const {
  JvmtiString signature(jvmti_);
  if (jvmti_->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return false;
  const Descriptor type(ViewOf(signature));
  if (!type.IsClass()) return false;
  jobject loader = nullptr;
  if (jvmti_->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) return false;
  const bool accepted = filter_.Accepts(jni, loader, type.ClassName().text());
  if (loader != nullptr) jni->DeleteLocalRef(loader);
  if (!accepted) return false;
  jboolean modifiable = JNI_FALSE;
  if (jvmti_->IsModifiableClass(klass, &modifiable) != JVMTI_ERROR_NONE || !modifiable)
    return false;
  return true;
}

bool EarlierClasses::IsLinked(jclass klass) const {
  jint status = 0;
  return jvmti_->GetClassStatus(klass, &status) == JVMTI_ERROR_NONE &&
         (status & JVMTI_CLASS_STATUS_PREPARED) != 0;
}

std::unique_ptr<WeakClasses> EarlierClasses::Find(JNIEnv* jni) {
  const LoadedClasses classes(jvmti_, jni);
  std::vector<jclass> linked;
  std::vector<jclass> unlinked;
  uint64_t left_out = 0;
  for (jclass klass : classes.all()) {
    if (!IsCountable(jni, klass)) {
      ++left_out;
      continue;
    }
    // What others did before our first swap is in the bytes that we are given.
    if (is_first_) {
      guard_.Note(jni, klass);
    } else {
      guard_.NoteUntouched(jni, klass);
    }
    if (IsLinked(klass)) {
      jint modifiers = 0;
      const bool is_interface = jvmti_->GetClassModifiers(klass, &modifiers) == JVMTI_ERROR_NONE &&
                                (modifiers & kInterface) != 0;
      if (is_interface && !HasCode(klass)) {
        ++left_out;
      } else {
        linked.push_back(klass);
      }
    } else if (SetState(jvmti_, klass, ClassTag::State::kAwaited)) {
      unlinked.push_back(klass);
    }
  }
  uint64_t awaited = 0;
  for (jclass klass : unlinked) {
    // The class may have been linked before it got its tag. The thread that clears the
    // tag does the work.
    if (!IsLinked(klass)) {
      ++awaited;
    } else if (ClassTag::Of(jvmti_, klass).state == ClassTag::State::kAwaited) {
      SetState(jvmti_, klass, ClassTag::State::kNone);
      linked.push_back(klass);
    }
  }
  {
    std::lock_guard lock(mutex_);
    left_out_ = left_out;
    awaited_ = awaited;
  }
  is_first_ = false;
  return std::make_unique<WeakClasses>(jni, linked);
}

RetransformOutcome EarlierClasses::Start(JNIEnv* jni,
                                         const Retransformer::BeforeBatch& before_batch) {
  if (!retransformer_) {
    clock_.emplace(OwnJvm(vm_).structs());
    retransformer_.emplace(jvmti_, &*clock_, pause_);
  }
  retransformer_->Restart();
  const std::unique_ptr<WeakClasses> found = Find(jni);
  bool goes_on = true;
  while (goes_on && !found->empty()) {
    const LocalFrame frame(jni);
    Retransform(jni, found->Take(retransformer_->NextBatch()),
                [&](size_t classes) { return goes_on = before_batch(classes); });
  }
  return retransformer_->outcome();
}

bool EarlierClasses::OnPrepare(JNIEnv* jni, jclass klass) {
  if (ClassTag::Of(jvmti_, klass).state != ClassTag::State::kAwaited) return false;
  SetState(jvmti_, klass, ClassTag::State::kNone);
  jweak reference = jni->NewWeakGlobalRef(klass);
  if (reference == nullptr) {
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    return false;
  }
  std::lock_guard lock(mutex_);
  prepared_.push_back(reference);
  return true;
}

bool EarlierClasses::Work(JNIEnv* jni, const Retransformer::BeforeBatch& before_batch) {
  if (std::chrono::steady_clock::now() < next_work_) return false;
  std::vector<jweak> taken;
  {
    std::lock_guard lock(mutex_);
    taken.swap(prepared_);
    awaited_ -= std::min<uint64_t>(awaited_, taken.size());
  }
  if (taken.empty()) return false;
  std::vector<jclass> classes;
  for (jweak reference : taken) {
    if (jobject alive = jni->NewLocalRef(reference)) classes.push_back(static_cast<jclass>(alive));
    jni->DeleteWeakGlobalRef(reference);
  }
  const RetransformOutcome before = retransformer_->outcome();
  Retransform(jni, classes, before_batch);
  const RetransformOutcome& after = retransformer_->outcome();
  next_work_ = std::chrono::steady_clock::now() +
               kRunsForPause * (after.sum_of_pauses - before.sum_of_pauses);
  {
    std::lock_guard lock(mutex_);
    linked_since_ += after.classes - before.classes;
  }
  for (jclass klass : classes) jni->DeleteLocalRef(klass);
  return after.classes > before.classes;
}

void EarlierClasses::Retransform(JNIEnv* jni, const std::vector<jclass>& classes,
                                 const Retransformer::BeforeBatch& before_batch) {
  const std::vector<jclass> passed = guard_.Pass(jni, classes);
  guard_.Swapped(jni, passed, retransformer_->Run(passed, before_batch));
  std::lock_guard lock(mutex_);
  outcome_ = retransformer_->outcome();
}

std::string EarlierClasses::Report() const {
  std::lock_guard lock(mutex_);
  std::string report = fmt::format(
      "loaded before counting began: {} retransformed in {} ({:.0f} ms in all, the "
      "longest {:.0f} ms), {} not linked yet, {} with nothing to count\n",
      Counted(outcome_.classes, "class", "classes"), Counted(outcome_.pauses, "pause", "pauses"),
      Milliseconds(outcome_.sum_of_pauses), Milliseconds(outcome_.longest_pause), awaited_,
      left_out_);
  if (linked_since_ > 0) {
    report += fmt::format("of these, linked later and counted from then on: {}\n", linked_since_);
  }
  return report;
}

std::string EarlierClasses::LeftAlone() const {
  std::lock_guard lock(mutex_);
  if (outcome_.refused == 0) return "";
  return fmt::format(
      "classes left alone: {} (the JVM refused to retransform them, the last with {})\n",
      outcome_.refused, JvmtiErrorText(outcome_.last_error));
}

}  // namespace iprof::vm
