// JvmtiEnvironment: one JVMTI environment of the agent, with its capabilities, callbacks and
// events.
//
// Why several: each part of the agent has an environment of its own. So its capabilities, tags and
// callbacks are independent of the other parts, and it can be stopped alone.
//
// Guarantees:
// - Callbacks find their object through InCallback, which gives nothing once the environment is
//   stopped.
// - StopEvents disables exactly the events that were enabled, and waits for running callbacks.
//   After it has returned true, no callback of this environment runs or ever will.
// - The destructor disposes of the environment.
// Threads: Open, SetCallbacks and the destructor on one thread at a time; Enable, Disable and
// StopEvents on any thread, but StopEvents not in a callback of the same environment. Phases: as
// JVMTI's functions allow.
// Failure: the Status names the step and JVMTI's error: "cannot set JVMTI callbacks:
// MUST_POSSESS_CAPABILITY (99)".
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "agent/vm/jvmti/callback_gate.h"
#include "writer/base/status.h"

namespace iprof::vm {

// How long to wait for running callbacks. Each of them is short.
inline constexpr auto kCallbackPatience = std::chrono::milliseconds(2000);

class JvmtiEnvironment {
 public:
  // Fails if the JVM has no JVMTI 11, or not in its present phase.
  static Result<JvmtiEnvironment> Open(JavaVM* vm);

  // An empty object, without an environment.
  JvmtiEnvironment() = default;
  ~JvmtiEnvironment() { Dispose(); }
  JvmtiEnvironment(JvmtiEnvironment&& other) noexcept { *this = std::move(other); }
  JvmtiEnvironment& operator=(JvmtiEnvironment&& other) noexcept;
  JvmtiEnvironment(const JvmtiEnvironment&) = delete;
  JvmtiEnvironment& operator=(const JvmtiEnvironment&) = delete;

  jvmtiEnv* get() const { return jvmti_; }
  jvmtiEnv* operator->() const { return jvmti_; }
  explicit operator bool() const { return jvmti_ != nullptr; }

  // `purpose` completes "cannot get the JVMTI capabilities to …".
  Status AddCapabilities(const jvmtiCapabilities& wanted, std::string_view purpose);
  // Call it once, before the first Enable. `owner` is what InCallback finds.
  Status SetCallbacks(const jvmtiEventCallbacks& callbacks, void* owner);
  Status Enable(std::initializer_list<jvmtiEvent> events);
  void Disable(jvmtiEvent event);

  // To be called in the callback of VMInit, with its thread. HotSpot keeps a state for each thread.
  // If events are enabled before the main thread has its Thread object, HotSpot 21 to 25 makes a
  // state without that object, and makes a second one when somebody asks for the object's state
  // (JDK-8362203). If that happens in a later start, while the thread redefines a class, the
  // thread loses what it has begun, and crashes. This makes HotSpot change the states now.
  void CompleteThread(jthread thread);

  // Waits until no callback is running, or for `patience`. More may begin at once.
  void AwaitCallbacks(std::chrono::milliseconds patience) const;

  // Closes the gate, disables all events, and waits up to `patience` for running callbacks. Returns
  // true if none is left. Do not call it at VMDeath: disabling an event waits for virtual threads
  // that are being mounted, and those may wait for a collector that has stopped.
  bool StopEvents(std::chrono::milliseconds patience = kCallbackPatience);

 private:
  template <typename Owner>
  friend class InCallback;

  explicit JvmtiEnvironment(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  void Dispose();
  void CloseGate();
  static CallbackGate* GateOf(jvmtiEnv* jvmti);

  jvmtiEnv* jvmti_ = nullptr;
  CallbackGate* gate_ = nullptr;      // never freed, see callback_gate.h
  std::atomic<uint64_t> enabled_{0};  // a bit for each event
};

// Gives a callback its object. It must live from the callback's first to its last statement.
template <typename Owner>
class InCallback {
 public:
  explicit InCallback(jvmtiEnv* jvmti) {
    if (CallbackGate* const gate = JvmtiEnvironment::GateOf(jvmti)) passage_.emplace(*gate);
  }

  explicit operator bool() const { return passage_ && passage_->owner() != nullptr; }
  Owner* operator->() const { return static_cast<Owner*>(passage_->owner()); }

 private:
  std::optional<CallbackGate::Passage> passage_;
};

}  // namespace iprof::vm
