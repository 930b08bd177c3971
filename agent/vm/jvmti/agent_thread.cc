#include "agent/vm/jvmti/agent_thread.h"

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/jvmti_error.h"

namespace iprof::vm {
namespace {

// Creates a java.lang.Thread object for the JVM to run us on. On failure returns null, with no
// exception pending.
jobject NewThreadObject(JNIEnv* jni, const char* name) {
  jobject thread = nullptr;
  jclass thread_class = BootClass(jni, "java/lang/Thread");
  jstring thread_name = jni->NewStringUTF(name);
  if (thread_class != nullptr && thread_name != nullptr) {
    jmethodID constructor = jni->GetMethodID(thread_class, "<init>", "(Ljava/lang/String;)V");
    if (constructor != nullptr) thread = jni->NewObject(thread_class, constructor, thread_name);
  }
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    thread = nullptr;
  }
  if (thread_class != nullptr) jni->DeleteLocalRef(thread_class);
  if (thread_name != nullptr) jni->DeleteLocalRef(thread_name);
  return thread;
}

}  // namespace

Status AgentThread::Start(jvmtiEnv* jvmti, JNIEnv* jni) {
  jobject thread = NewThreadObject(jni, name_);
  if (thread == nullptr) return {Code::kLimit, "the JVM has no memory for the agent's thread"};
  bool starts = false;
  bool is_retired = false;
  {
    std::unique_lock lock(mutex_);
    if (stop_) changed_.wait_for(lock, kBusyPatience, [this] { return MayGoOn(); });
    is_retired = is_retired_;
    starts = !running_ && !is_retired;
    if (starts) {
      running_ = true;
      stop_ = false;
    }
  }
  const jvmtiError error =
      starts ? jvmti->RunAgentThread(thread, Run, this, JVMTI_THREAD_NORM_PRIORITY)
             : JVMTI_ERROR_NONE;
  jni->DeleteLocalRef(thread);
  if (!starts && !is_retired) return {Code::kInternal, "the agent's thread has not ended yet"};
  if (error == JVMTI_ERROR_NONE) return {};
  std::lock_guard lock(mutex_);
  running_ = false;
  return JvmtiFailure("start the agent's thread", error);
}

void AgentThread::Wake() {
  std::lock_guard lock(mutex_);
  awake_ = true;
  changed_.notify_all();
}

void AgentThread::Retire() {
  std::lock_guard lock(mutex_);
  is_retired_ = true;
  changed_.notify_all();
}

bool AgentThread::IsRunning() const {
  std::lock_guard lock(mutex_);
  return running_ && !stop_;
}

bool AgentThread::Stop(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, timeout, [this] { return !running_; });
}

bool AgentThread::StopForStart() {
  std::unique_lock lock(mutex_);
  stop_ = true;
  changed_.notify_all();
  return changed_.wait_for(lock, kBusyPatience, [this] { return MayGoOn(); });
}

void JNICALL AgentThread::Run(jvmtiEnv* jvmti, JNIEnv* jni, void* self) {
  static_cast<AgentThread*>(self)->Loop(jvmti, jni);
}

void AgentThread::Loop(jvmtiEnv* jvmti, JNIEnv* jni) {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    awake_ = false;
    lock.unlock();
    const uint64_t before = ThreadCpuNs();
    body_(jvmti, jni);
    cpu_ns_.fetch_add(ThreadCpuNs() - before, std::memory_order_relaxed);
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    lock.lock();
    changed_.wait_for(lock, period_, [this] { return awake_ || stop_; });
  }
  running_ = false;
  changed_.notify_all();
}

}  // namespace iprof::vm
