#include "agent/vm/session/life_cycle.h"

#include <array>

namespace iprof::vm {
namespace {

constexpr std::string_view kLoaded =
    "already loaded in this JVM; the options of the first load stand";
constexpr std::string_view kOver = "the program is ending";
constexpr std::string_view kNothing = "nothing is being recorded";
constexpr std::string_view kEarly = "the agent is still being loaded";
constexpr std::string_view kStopped = "the recording is being stopped";

using Row = std::array<Transition, kSessionStates>;

constexpr Transition To(SessionState next) { return {true, next, {}}; }
constexpr Transition No(std::string_view answer) { return {false, SessionState::kIdle, answer}; }
// No caller needs an answer.
constexpr Transition Ignored() { return No({}); }

constexpr SessionState kI = SessionState::kIdle;
constexpr SessionState kS = SessionState::kStarting;
constexpr SessionState kR = SessionState::kRecording;
constexpr SessionState kP = SessionState::kStopping;
constexpr SessionState kE = SessionState::kEnded;

// clang-format off
constexpr std::array<Row, kSessionEvents> kTable{{
    //                 idle          starting      recording     stopping      ended
    /* load        */ {{To(kS),      No(kLoaded),  No(kLoaded),  No(kStopped), No(kOver)}},
    /* attach      */ {{To(kS),      No(kLoaded),  No(kLoaded),  No(kStopped), No(kOver)}},
    // If the program ends during a start, there is no answer; the starting thread stops what it has
    // started.
    /* started     */ {{Ignored(),   To(kR),       Ignored(),    Ignored(),    Ignored()}},
    /* start failed*/ {{Ignored(),   To(kI),       Ignored(),    Ignored(),    Ignored()}},
    // If the agent starts with the JVM, these come after the load has succeeded.
    /* VMStart     */ {{Ignored(),   To(kS),       To(kR),       Ignored(),    Ignored()}},
    /* VMInit      */ {{Ignored(),   To(kS),       To(kR),       Ignored(),    Ignored()}},
    // The profile at the end of the program contains everything that a dump would.
    /* dump        */ {{No(kNothing), No(kEarly),  To(kR),       No(kStopped), No(kOver)}},
    /* stop        */ {{No(kNothing), No(kEarly),  To(kP),       No(kStopped), No(kOver)}},
    /* stopped     */ {{Ignored(),   Ignored(),    Ignored(),    To(kI),       Ignored()}},
    /* VMDeath     */ {{To(kE),      To(kE),       To(kE),       To(kE),       Ignored()}},
    // The JVM also unloads a library whose attach failed, and may load it again.
    /* unload      */ {{To(kI),      To(kE),       To(kE),       To(kE),       To(kE)}},
}};
// clang-format on

}  // namespace

std::string_view NameOf(SessionState state) {
  constexpr std::array<std::string_view, kSessionStates> kNames{"idle", "starting", "recording",
                                                                "stopping", "ended"};
  return kNames[static_cast<size_t>(state)];
}

std::string_view NameOf(SessionEvent event) {
  constexpr std::array<std::string_view, kSessionEvents> kNames{
      "load", "attach", "started", "start failed", "VMStart", "VMInit",
      "dump", "stop",   "stopped", "VMDeath",      "unload"};
  return kNames[static_cast<size_t>(event)];
}

Transition Look(SessionState state, SessionEvent event) {
  Transition found = kTable[static_cast<size_t>(event)][static_cast<size_t>(state)];
  if (!found.is_legal) found.next = state;
  return found;
}

LifeCycle::Taken LifeCycle::Take(SessionEvent event) {
  SessionState state = state_.load(std::memory_order_acquire);
  for (;;) {
    const Transition transition = Look(state, event);
    if (!transition.is_legal) return {false, state, transition.answer};
    if (state_.compare_exchange_weak(state, transition.next, std::memory_order_acq_rel))
      return {true, state, {}};
  }
}

}  // namespace iprof::vm
