#include "agent/vm/jvmti/class_source.h"

#include <condition_variable>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/jvm_wait.h"
#include "agent/vm/jvmti/loaded_classes.h"

namespace iprof::vm {
namespace {

constexpr const char* kName = "iprof-end";
constexpr auto kStayPeriod = std::chrono::milliseconds(100);

std::vector<jclass> ListClasses(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LoadedClasses loaded(jvmti, jni);
  std::vector<jclass> classes;
  classes.reserve(loaded.all().size());
  for (jclass klass : loaded.all()) {
    // Another thread may use only global references.
    if (jobject global = jni->NewGlobalRef(klass)) classes.push_back(static_cast<jclass>(global));
  }
  return classes;
}

}  // namespace

// What the thread shares with the ClassSource.
struct ClassSource::Lister {
  std::mutex mutex;  // guards all
  std::condition_variable changed;
  bool is_asked = false;     // to list the classes
  bool is_released = false;  // to end
  bool has_tried = false;    // to list them
  bool has_ended = false;
  std::vector<jclass> classes;  // constant once listed

  // The thread's body. `jni` is null if the JVM refuses the thread.
  void Run(jvmtiEnv* jvmti, JNIEnv* jni) {
    std::unique_lock lock(mutex);
    if (jni != nullptr) {
      changed.wait(lock, [this] { return is_asked || is_released; });
      if (is_asked) {
        lock.unlock();
        std::vector<jclass> listed = ListClasses(jvmti, jni);
        // Before the answer, because the JVM that waits for it gives no monitor afterwards.
        JvmWait wait(jvmti);
        lock.lock();
        classes = std::move(listed);
        has_tried = true;
        changed.notify_all();
        lock.unlock();
        // At the end the thread stays: to detach itself, it would run Java code.
        wait.Until(kStayPeriod, [this] { return IsReleased(); });
        lock.lock();
      }
    }
    has_ended = true;
    changed.notify_all();
  }

  void Release() {
    const std::lock_guard lock(mutex);
    is_released = true;
    changed.notify_all();
  }
  // Returns true if the thread listed the classes in time.
  bool Ask(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    is_asked = true;
    changed.notify_all();
    changed.wait_for(lock, patience, [this] { return has_tried || has_ended; });
    return !classes.empty();
  }
  bool Wait(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, patience, [this] { return has_ended; });
  }
  bool HasEnded() {
    const std::lock_guard lock(mutex);
    return has_ended;
  }
  bool IsReleased() {
    const std::lock_guard lock(mutex);
    return is_released;
  }
};

ClassSource::~ClassSource() {
  if (lister_ != nullptr) lister_->Release();
}

Status ClassSource::Park(jvmtiEnv* jvmti, JNIEnv* jni) {
  auto lister = std::make_shared<Lister>();
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_.load() || (lister_ != nullptr && !lister_->HasEnded())) return {};
    lister_ = lister;
  }
  // Without the lock, because this runs Java code.
  Status status = StartHiddenThread(
      jvmti, jni, kName,
      [lister](jvmtiEnv* own_jvmti, JNIEnv* own_jni) { lister->Run(own_jvmti, own_jni); });
  if (!status.ok()) lister->Run(nullptr, nullptr);  // so that the end starts another one
  return status;
}

bool ClassSource::Release(std::chrono::milliseconds patience) {
  std::shared_ptr<Lister> released;
  {
    const std::lock_guard lock(mutex_);
    if (has_ended_.load()) return false;  // the thread belongs to the end
    released = std::exchange(lister_, nullptr);
  }
  if (released == nullptr) return true;
  released->Release();
  return released->Wait(patience);
}

bool ClassSource::End(jvmtiEnv* jvmti, std::chrono::milliseconds patience) {
  std::shared_ptr<Lister> asked;
  {
    const std::lock_guard lock(mutex_);
    Status status;
    if (lister_ == nullptr || lister_->HasEnded()) {
      auto lister = std::make_shared<Lister>();
      status = StartAttachedThread(vm_, kName,
                                   [lister, jvmti](JNIEnv* jni) { lister->Run(jvmti, jni); });
      lister_ = status.ok() ? lister : nullptr;
    }
    asked = lister_;
  }
  const bool is_listed = asked != nullptr && asked->Ask(patience);
  if (is_listed) last_ = asked->classes;  // constant from now on
  has_ended_.store(true, std::memory_order_release);
  return is_listed;
}

}  // namespace iprof::vm
