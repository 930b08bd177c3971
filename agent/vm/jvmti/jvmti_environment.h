// JvmtiEnvironment: one JVMTI environment of the agent, with its capabilities,
// callbacks and events.
//
// Why several: each part of the agent has an environment of its own, so that
// its capabilities, tags and callbacks are its own affair and it can be stopped
// alone.
//
// Guarantees:
//  - A failure says which step failed and what the JVM answered: "cannot set
//  JVMTI callbacks: MUST_POSSESS_CAPABILITY (99)".
//  - Callbacks find their object through InCallback, which gives nothing once
//  the environment is stopped.
//  - StopEvents disables exactly the events that were enabled and waits for
//  callbacks under way. When it has returned true, no
//    callback of this environment runs or will ever run.
//  - The destructor gives the environment back to the JVM.
//
// Threads: Open, SetCallbacks and the destructor on one thread at a time;
// Enable, Disable and StopEvents on any thread. StopEvents not within a
// callback of the same environment. Phases: as JVMTI's own functions.
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

// How long to wait for callbacks under way, each of which is short.
inline constexpr auto kCallbackPatience = std::chrono::milliseconds(2000);

class JvmtiEnvironment {
 public:
  // Fails where the JVM has no JVMTI 11.
  static Result<JvmtiEnvironment> Open(JavaVM* vm);

  // None.
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
  // Once, before the first Enable; `owner` is what InCallback finds.
  Status SetCallbacks(const jvmtiEventCallbacks& callbacks, void* owner);
  Status Enable(std::initializer_list<jvmtiEvent> events);
  void Disable(jvmtiEvent event);

  // Not at VMDeath: to disable an event waits for virtual threads that are
  // being mounted, and those may wait for a collector that has stopped. Closes
  // the gate, disables all events, and waits so long at most for the callbacks
  // under way. True: none is left.
  bool StopEvents(std::chrono::milliseconds patience = kCallbackPatience);

 private:
  template <typename Owner>
  friend class InCallback;

  explicit JvmtiEnvironment(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  void Dispose();
  void CloseGate();
  static CallbackGate* GateOf(jvmtiEnv* jvmti);

  jvmtiEnv* jvmti_ = nullptr;
  CallbackGate* gate_ = nullptr;      // never freed, see there
  std::atomic<uint64_t> enabled_{0};  // a bit for each event
};

// A callback's way to its object, from the callback's first to its last statement.
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
