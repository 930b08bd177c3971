// LifeCycle: which event is legal in which state of the agent, and the answer to an illegal one.
//
// The whole table is in life_cycle.cc. No other code of the agent uses flags to decide whether
// something may happen.
//
//    idle      → starting   load or attach
//    starting  → recording  started
//    starting  → idle       start failed
//    recording → stopping   stop
//    stopping  → idle       stopped
//    any       → ended      VMDeath
//
// Guarantees: if two events that exclude each other happen at the same time, one is legal and the
// other one gets its answer.
// Threads: any, in any phase; no lock, no allocation. Failure: an illegal event changes nothing and
// returns its answer.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace iprof::vm {

enum class SessionState : uint8_t {
  kIdle,       // no session: not yet, no longer, or its start failed
  kStarting,   // a thread settles the options and starts the session's parts
  kRecording,  // counts and samples are recorded
  kStopping,  // no new classes, no samples; instrumented classes still count; the profile is written
  kEnded,     // the program has ended; nothing can start
};
inline constexpr size_t kSessionStates = 5;

enum class SessionEvent : uint8_t {
  kLoad,         // Agent_OnLoad
  kAttach,       // Agent_OnAttach, also a repeated one
  kStarted,      // the session's parts have started
  kStartFailed,  // they failed to start and are stopped again
  kVmStart,
  kVmInit,
  kDump,     // a profile is requested while the program runs
  kStop,     // the recording shall end while the program runs
  kStopped,  // the recording has ended
  kVmDeath,
  kUnload,  // Agent_OnUnload
};
inline constexpr size_t kSessionEvents = 11;

std::string_view NameOf(SessionState state);
std::string_view NameOf(SessionEvent event);

struct Transition {
  bool is_legal;
  SessionState next;        // the same state if the event is illegal
  std::string_view answer;  // why it is illegal; empty if it is legal or no caller needs an answer
};

// Looks up a cell of the table.
Transition Look(SessionState state, SessionEvent event);

// The current state of the agent.
class LifeCycle {
 public:
  struct Taken {
    bool is_legal;
    SessionState from;
    std::string_view answer;
  };

  // Moves to the next state if the event is legal.
  Taken Take(SessionEvent event);
  SessionState state() const { return state_.load(std::memory_order_acquire); }

 private:
  std::atomic<SessionState> state_{SessionState::kIdle};
};

}  // namespace iprof::vm
