#include "agent/vm/classes/swap_guard.h"

#include <algorithm>

#include "agent/vm/jvmti/boot_class.h"

namespace iprof::vm {
namespace {

// A tag: 8 bits for the state, 1 bit that is set if the class is noted, and the number.
constexpr jlong kStateMask = 0xff;
constexpr jlong kNotedBit = 0x100;
constexpr int kNumberShift = 9;

}  // namespace

ClassTag ClassTag::Of(jvmtiEnv* jvmti, jclass klass) {
  jlong tag = 0;
  if (jvmti->GetTag(klass, &tag) != JVMTI_ERROR_NONE) return {};
  return {static_cast<State>(tag & kStateMask), (tag & kNotedBit) != 0,
          static_cast<int32_t>(tag >> kNumberShift)};
}

bool ClassTag::Set(jvmtiEnv* jvmti, jclass klass) const {
  jlong tag = static_cast<jlong>(state);
  if (is_noted) tag |= kNotedBit | jlong{own} * (jlong{1} << kNumberShift);
  return jvmti->SetTag(klass, tag) == JVMTI_ERROR_NONE;
}

bool SetState(jvmtiEnv* jvmti, jclass klass, ClassTag::State state) {
  ClassTag tag = ClassTag::Of(jvmti, klass);
  tag.state = state;
  return tag.Set(jvmti, klass);
}

std::optional<int32_t> SwapGuard::Redefinitions(JNIEnv* jni, jclass klass) {
  jfieldID field = field_.load(std::memory_order_relaxed);
  if (field == nullptr) {
    jclass type = BootClass(jni, "java/lang/Class");
    if (type != nullptr) field = jni->GetFieldID(type, "classRedefinedCount", "I");
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    if (type != nullptr) jni->DeleteLocalRef(type);
    if (field == nullptr) return std::nullopt;
    field_.store(field, std::memory_order_relaxed);
  }
  return jni->GetIntField(klass, field);
}

std::optional<int32_t> SwapGuard::OwnRedefinitions(JNIEnv* jni, jclass klass) {
  const std::optional<int32_t> count = Redefinitions(jni, klass);
  if (!count) return std::nullopt;
  jclass super = jni->GetSuperclass(klass);
  if (super == nullptr) {
    // Object, or an interface, which HotSpot counts among Object's subclasses.
    super = BootClass(jni, "java/lang/Object");
    if (super == nullptr) return std::nullopt;
    if (jni->IsSameObject(super, klass)) {
      jni->DeleteLocalRef(super);
      return count;
    }
  }
  const std::optional<int32_t> inherited = Redefinitions(jni, super);
  jni->DeleteLocalRef(super);
  if (!inherited) return std::nullopt;
  return *count - *inherited;
}

void SwapGuard::Note(JNIEnv* jni, jclass klass) {
  if (!is_needed_) return;
  ClassTag tag = ClassTag::Of(jvmti_, klass);
  if (tag.is_noted) return;
  const std::optional<int32_t> own = OwnRedefinitions(jni, klass);
  if (!own) return;
  tag.is_noted = true;
  tag.own = *own;
  tag.Set(jvmti_, klass);
}

void SwapGuard::NoteUntouched(JNIEnv* jni, jclass klass) {
  if (is_needed_ && Redefinitions(jni, klass) == 0) Note(jni, klass);
}

std::vector<jclass> SwapGuard::Pass(JNIEnv* jni, std::span<const jclass> classes) {
  if (!is_needed_) return {classes.begin(), classes.end()};
  std::vector<jclass> passed;
  for (jclass klass : classes) {
    NoteUntouched(jni, klass);
    const ClassTag tag = ClassTag::Of(jvmti_, klass);
    if (tag.is_noted && OwnRedefinitions(jni, klass) == tag.own) {
      passed.push_back(klass);
    } else {
      kept_back_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  return passed;
}

void SwapGuard::Swapped(JNIEnv* jni, std::span<const jclass> classes,
                        std::span<const jclass> refused) {
  if (!is_needed_) return;
  for (jclass klass : classes) {
    ClassTag tag = ClassTag::Of(jvmti_, klass);
    const std::optional<int32_t> own = OwnRedefinitions(jni, klass);
    const bool is_swapped = std::find(refused.begin(), refused.end(), klass) == refused.end();
    // One more is ours; none, if the swap was given up before this class. With two, others have redefined it, too.
    tag.is_noted = tag.is_noted && own && (*own == tag.own || (is_swapped && *own == tag.own + 1));
    tag.own = own.value_or(0);
    tag.Set(jvmti_, klass);
  }
}

}  // namespace iprof::vm
