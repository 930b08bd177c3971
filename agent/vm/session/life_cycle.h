// LifeCycle: which event is legal in which state of the agent, and the answer to an illegal one.
//
// The whole table is in life_cycle.cc. No other code of the agent uses flags to decide whether
// something may happen.
//
//    idle      → starting   load or attach
//    starting  → recording  started
//    starting  → stopped    prepared (start=n)
//    starting  → idle       start failed
//    recording → stopping   stop
//    stopping  → stopped    stopped
//    stopped   → resuming   start
//    resuming  → recording  started
//    resuming  → stopped    start failed
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
  kStopping,   // the session's parts are being stopped
  kStopped,    // nothing is recorded, and what was recorded is kept
  kResuming,   // the session's parts are being started again
  kEnded,      // the program has ended; nothing can start
};
inline constexpr size_t kSessionStates = 7;

enum class SessionEvent : uint8_t {
  kLoad,         // Agent_OnLoad
  kAttach,       // Agent_OnAttach, also a repeated one
  kStarted,      // the session's parts have started
  kPrepared,     // they can be started by a command; nothing is recorded yet
  kStartFailed,  // they failed to start and are stopped again
  kVmStart,
  kVmInit,
  kDump,     // a profile is requested while the program runs
  kStop,     // the recording shall stop while the program runs
  kStopped,  // the recording has stopped
  kStart,    // the recording shall begin, or continue after a stop
  kReset,    // what was recorded shall be forgotten
  kVmDeath,
  kUnload,  // Agent_OnUnload
};
inline constexpr size_t kSessionEvents = 14;

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
  // When the state changed last; in milliseconds since 1970. 0: it never did.
  uint64_t since_ms() const { return since_ms_.load(std::memory_order_relaxed); }

 private:
  std::atomic<SessionState> state_{SessionState::kIdle};
  std::atomic<uint64_t> since_ms_{0};
};

}  // namespace iprof::vm
