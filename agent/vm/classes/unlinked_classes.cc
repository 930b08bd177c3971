#include "agent/vm/classes/unlinked_classes.h"

#include <fmt/core.h>

#include <algorithm>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_error.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {
namespace {

constexpr auto kEndPatience = std::chrono::seconds(10);

}  // namespace

UnlinkedClasses::~UnlinkedClasses() { Wait(kEndPatience); }

void UnlinkedClasses::Await(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass, SwapGuard& guard) {
  guard.NoteUntouched(jni, klass);
  if (!SetState(jvmti, klass, ClassTag::State::kAwaitsRestoring)) return;
  ++awaited_;
  // The class may have been linked before it got its tag. The thread that clears the tag does the work.
  jint status = 0;
  if (jvmti->GetClassStatus(klass, &status) == JVMTI_ERROR_NONE &&
      (status & JVMTI_CLASS_STATUS_PREPARED) != 0)
    OnPrepare(jvmti, jni, klass, guard);
}

void UnlinkedClasses::OnPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jclass klass, SwapGuard& guard) {
  if (awaited() == 0 || has_ended_.load() ||
      ClassTag::Of(jvmti, klass).state != ClassTag::State::kAwaitsRestoring)
    return;
  SetState(jvmti, klass, ClassTag::State::kNone);
  jweak reference = jni->NewWeakGlobalRef(klass);
  if (reference == nullptr) {
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    return;
  }
  const std::lock_guard lock(mutex_);
  linked_.push_back(reference);
  if (is_running_ || has_ended_.load()) return;
  is_running_ = StartAttachedThread(vm_, "iprof-restore", [this, jvmti, &guard](JNIEnv* own_jni) {
                  AtBoundary(log_, "restoring", [&] {
                    while (own_jni != nullptr && Restore(jvmti, own_jni, guard)) {
                    }
                  });
                  const std::lock_guard end_lock(mutex_);
                  is_running_ = false;
                  changed_.notify_all();
                }).ok();
}

// Returns false if there is nothing left to do.
bool UnlinkedClasses::Restore(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard) {
  std::vector<jweak> taken;
  {
    std::unique_lock lock(mutex_);
    if (linked_.empty()) return false;
    if (changed_.wait_for(lock, gather_time_, [this] { return has_ended_.load(); })) return false;
    taken.swap(linked_);
  }
  const LocalFrame frame(jni);
  std::vector<jclass> classes;
  for (jweak reference : taken) {
    if (jobject alive = jni->NewLocalRef(reference)) classes.push_back(static_cast<jclass>(alive));
    jni->DeleteWeakGlobalRef(reference);
  }
  awaited_ -= std::min<uint64_t>(awaited_, taken.size());
  classes = guard.Pass(jni, classes);
  if (classes.empty()) return true;
  const jvmtiError error =
      jvmti->RetransformClasses(static_cast<jint>(classes.size()), classes.data());
  if (error == JVMTI_ERROR_NONE) {
    guard.Swapped(jni, classes);
  } else {
    log_.Step(fmt::format("{} classes that were linked after the stop keep their probes: {}",
                          classes.size(), JvmtiErrorText(error)));
  }
  return true;
}

bool UnlinkedClasses::End(std::chrono::milliseconds timeout) {
  {
    const std::lock_guard lock(mutex_);
    has_ended_.store(true);
    changed_.notify_all();
  }
  return Wait(timeout);
}

bool UnlinkedClasses::Wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, timeout, [this] { return !is_running_; });
}

}  // namespace iprof::vm
