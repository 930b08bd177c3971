// LifeCycle: which event is legal in which state of the agent, and what an illegal one answers.
//
// The whole table is in life_cycle.cc; nothing else in the agent decides by flags whether something may happen now.
//
//            load, attach              started              stop               stopped
//    idle ───────────────► starting ───────────► recording ──────► stopping ───────────► idle
//      ▲                       │ start failed         │                │
//      └───────────────────────┘                      │                │
//    and from every state: VMDeath ► ended            ◄────────────────┘
//
// Guarantees: of two events that exclude each other and come at one moment, one is legal and the other gets its answer. Any thread,
// any phase; no lock, no allocation.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace iprof::vm {

enum class SessionState : uint8_t {
  kIdle,       // there is no session: not yet, not any more, or its start failed
  kStarting,   // a thread settles the options and starts the session's parts
  kRecording,  // counts and samples are taken
  kStopping,   // no more are taken; the profile is being written
  kEnded,      // the program has ended: nothing begins any more
};
inline constexpr size_t kSessionStates = 5;

enum class SessionEvent : uint8_t {
  kLoad,         // Agent_OnLoad
  kAttach,       // Agent_OnAttach: the first one, or one more
  kStarted,      // the session's parts have started
  kStartFailed,  // they have not, and are stopped again
  kVmStart,
  kVmInit,
  kDump,     // a profile is asked for while the program runs
  kStop,     // the recording is to end while the program runs
  kStopped,  // it has ended
  kVmDeath,
  kUnload,  // Agent_OnUnload
};
inline constexpr size_t kSessionEvents = 11;

std::string_view NameOf(SessionState state);
std::string_view NameOf(SessionEvent event);

struct Transition {
  bool is_legal;
  SessionState next;  // the same state where the event is illegal
  std::string_view
      answer;  // why it is illegal; empty where it is legal, or where nobody waits for an answer
};

// A row of the table.
Transition Look(SessionState state, SessionEvent event);

// Where the agent is now.
class LifeCycle {
 public:
  struct Taken {
    bool is_legal;
    SessionState from;
    std::string_view answer;
  };

  // Moves to the next state where the event is legal.
  Taken Take(SessionEvent event);
  SessionState state() const { return state_.load(std::memory_order_acquire); }

 private:
  std::atomic<SessionState> state_{SessionState::kIdle};
};

}  // namespace iprof::vm
