// AgentThread: the agent's one thread inside the JVM, for work that must not happen in a callback.
//
// Why a thread: holders of counters are defined and initialised ahead of need with an empty stack
// and outside class loading; nothing else in the agent may run Java code at a moment of the
// application's choosing.
//
// Guarantees: the body runs on a daemon thread known to the JVM ("iprof"), once at the start, after
// every Wake (several wakes may become one run) and at least every `period`; never twice at a time.
// Wake only signals, from any thread and in any phase, and may come before Start. Stop waits at
// most the timeout and is safe when the thread never started or has died with the VM. If the JVM
// refuses the thread, Start says so and Wake has no effect.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "writer/base/status.h"

namespace iprof::vm {

class AgentThread {
 public:
  using Body = std::function<void(jvmtiEnv*, JNIEnv*)>;

  AgentThread(Body body, std::chrono::milliseconds period)
      : body_(std::move(body)), period_(period) {}

  // Waits for the thread, which must not be suspended. Where it may be, the AgentThread must outlive the process.
  ~AgentThread() { Stop(kEndPatience); }
  AgentThread(const AgentThread&) = delete;
  AgentThread& operator=(const AgentThread&) = delete;

  // In the live phase, on a thread that may run Java code.
  Status Start(jvmtiEnv* jvmti, JNIEnv* jni);
  void Wake();
  // True when the thread has ended (or never started).
  bool Stop(std::chrono::milliseconds timeout);

 private:
  static constexpr auto kEndPatience = std::chrono::seconds(10);

  static void JNICALL Run(jvmtiEnv* jvmti, JNIEnv* jni, void* self);
  void Loop(jvmtiEnv* jvmti, JNIEnv* jni);

  const Body body_;
  const std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool running_ = false;
  bool awake_ = false;
  bool stop_ = false;
};

}  // namespace iprof::vm
