// AgentThread: a thread of the agent inside the JVM, for work that must not happen in a callback.
//
// Why: counter holders are defined and initialised ahead of need, with an empty stack and outside
// class loading. All other code of the agent may run at any point of the application, so it must
// not run Java code.
//
// Guarantees: the body runs on a daemon thread that the JVM knows (usually "iprof"): once at the start,
// after every Wake (several wakes may cause one run), and at least once per `period`. It never runs
// twice at a time. Stop waits at most for the timeout, and is safe if the thread never started or
// ended with the VM. After a Stop the thread can be started again: if the Stop was not in time, because the body
// was busy, Start waits for the body first, at most for kBusyPatience.
// Threads: Start in the live phase, on a thread that may run Java code; Wake on any thread in any
// phase, also before Start; it only signals. The caller of Start holds no lock that the body or the program needs.
// Failure: if the JVM refuses the thread, or the body is busy for too long, Start says so and Wake has no effect.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

#include "writer/base/status.h"

namespace iprof::vm {

class AgentThread {
 public:
  using Body = std::function<void(jvmtiEnv*, JNIEnv*)>;

  // How long a start waits for a body that was told to end. Far longer than a stop waits.
  static constexpr auto kBusyPatience = std::chrono::seconds(5);

  // `name` is for thread dumps.
  AgentThread(Body body, std::chrono::milliseconds period, const char* name = "iprof")
      : body_(std::move(body)), period_(period), name_(name) {}

  // Waits for the thread, which must not be suspended. If it may be, never destroy the AgentThread.
  ~AgentThread() { Stop(kEndPatience); }
  AgentThread(const AgentThread&) = delete;
  AgentThread& operator=(const AgentThread&) = delete;

  // Call it in the live phase, on a thread that may run Java code.
  Status Start(jvmtiEnv* jvmti, JNIEnv* jni);
  void Wake();
  // Whether the body runs after a Wake.
  bool IsRunning() const;
  // The CPU time that the body has taken.
  uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }
  // At the JVM's end, before Stop: from now on Start does nothing. A command may be about to call it.
  void Retire();
  // Returns true if the thread has ended or never started.
  bool Stop(std::chrono::milliseconds timeout);
  // The same before a start, whose patience it has. Does not wait any longer once the thread is retired: then the
  // caller must not start.
  bool StopForStart();

 private:
  static constexpr auto kEndPatience = std::chrono::seconds(10);

  // A start need not wait any longer. With the mutex held.
  bool MayGoOn() const { return !running_ || is_retired_; }

  void Loop(jvmtiEnv* jvmti, JNIEnv* jni);

  const Body body_;
  const std::chrono::milliseconds period_;
  const char* const name_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<uint64_t> cpu_ns_{0};
  bool running_ = false;
  bool awake_ = false;
  bool stop_ = false;
  bool is_retired_ = false;
};

}  // namespace iprof::vm
