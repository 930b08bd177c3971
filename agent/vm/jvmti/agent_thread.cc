#include "agent/vm/jvmti/agent_thread.h"

#include "agent/vm/jvmti/attached_thread.h"

namespace iprof::vm {
Status AgentThread::Start(jvmtiEnv* jvmti, JNIEnv* jni) {
  {
    std::unique_lock lock(mutex_);
    if (stop_) changed_.wait_for(lock, kBusyPatience, [this] { return MayGoOn(); });
    if (is_retired_) return {};
    if (running_) return {Code::kInternal, "the agent's thread has not ended yet"};
    running_ = true;
    stop_ = false;
  }
  Status started =
      StartHiddenThread(jvmti, jni, name_,
                        [this](jvmtiEnv* own_jvmti, JNIEnv* own_jni) { Loop(own_jvmti, own_jni); });
  if (started.ok()) return started;
  std::lock_guard lock(mutex_);
  running_ = false;
  return started;
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
