#include "agent/vm/session/life_cycle.h"

#include <array>
#include <chrono>

namespace iprof::vm {
namespace {

constexpr std::string_view kLoaded =
    "already loaded in this JVM; the options of the first load stand";
constexpr std::string_view kOver = "the program is ending";
constexpr std::string_view kNothing = "nothing is being recorded";
constexpr std::string_view kEarly = "the agent is still being loaded";
constexpr std::string_view kStopped = "the recording is being stopped";
constexpr std::string_view kResumed = "the recording is being started";
constexpr std::string_view kRuns = "the recording is running already";

uint64_t NowMs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

using Row = std::array<Transition, kSessionStates>;

constexpr Transition To(SessionState next) { return {true, next, {}}; }
constexpr Transition No(std::string_view answer) { return {false, SessionState::kIdle, answer}; }
// No caller needs an answer.
constexpr Transition Ignored() { return No({}); }

constexpr SessionState kI = SessionState::kIdle;
constexpr SessionState kS = SessionState::kStarting;
constexpr SessionState kR = SessionState::kRecording;
constexpr SessionState kP = SessionState::kStopping;
constexpr SessionState kH = SessionState::kStopped;
constexpr SessionState kA = SessionState::kResuming;
constexpr SessionState kE = SessionState::kEnded;

// clang-format off
constexpr std::array<Row, kSessionEvents> kTable{{
    //                 idle           starting      recording     stopping      stopped       resuming      ended
    /* load        */ {{To(kS),       No(kLoaded),  No(kLoaded),  No(kStopped), No(kLoaded),  No(kLoaded),  No(kOver)}},
    /* attach      */ {{To(kS),       No(kLoaded),  No(kLoaded),  No(kStopped), No(kLoaded),  No(kLoaded),  No(kOver)}},
    // If the program ends during a start, no caller needs an answer: the starting thread stops what it has started.
    /* started     */ {{Ignored(),    To(kR),       Ignored(),    Ignored(),    Ignored(),    To(kR),       Ignored()}},
    /* prepared    */ {{Ignored(),    To(kH),       Ignored(),    Ignored(),    Ignored(),    Ignored(),    Ignored()}},
    /* start failed*/ {{Ignored(),    To(kI),       Ignored(),    Ignored(),    Ignored(),    To(kH),       Ignored()}},
    // If the JVM starts with the agent, these come after the load has succeeded.
    /* VMStart     */ {{Ignored(),    To(kS),       To(kR),       Ignored(),    Ignored(),    Ignored(),    Ignored()}},
    /* VMInit      */ {{Ignored(),    To(kS),       To(kR),       Ignored(),    Ignored(),    Ignored(),    Ignored()}},
    // The profile that is written when the program ends contains everything that a dump would.
    /* dump        */ {{No(kNothing), No(kEarly),   To(kR),       No(kStopped), To(kH),       No(kResumed), No(kOver)}},
    /* stop        */ {{No(kNothing), No(kEarly),   To(kP),       No(kStopped), No(kNothing), No(kResumed), No(kOver)}},
    /* stopped     */ {{Ignored(),    Ignored(),    Ignored(),    To(kH),       Ignored(),    Ignored(),    Ignored()}},
    /* start       */ {{No(kNothing), No(kEarly),   No(kRuns),    No(kStopped), To(kA),       No(kResumed), No(kOver)}},
    /* reset       */ {{No(kNothing), No(kEarly),   To(kR),       No(kStopped), To(kH),       No(kResumed), No(kOver)}},
    /* VMDeath     */ {{To(kE),       To(kE),       To(kE),       To(kE),       To(kE),       To(kE),       Ignored()}},
    // A JVM also unloads a library whose attach has failed, and may load it again.
    /* unload      */ {{To(kI),       To(kE),       To(kE),       To(kE),       To(kE),       To(kE),       To(kE)}},
}};
// clang-format on

}  // namespace

std::string_view NameOf(SessionState state) {
  constexpr std::array<std::string_view, kSessionStates> kNames{
      "idle", "starting", "recording", "stopping", "stopped", "resuming", "ended"};
  return kNames[static_cast<size_t>(state)];
}

std::string_view NameOf(SessionEvent event) {
  constexpr std::array<std::string_view, kSessionEvents> kNames{
      "load", "attach", "started", "prepared", "start failed", "VMStart", "VMInit",
      "dump", "stop",   "stopped", "start",    "reset",        "VMDeath", "unload"};
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
    if (!state_.compare_exchange_weak(state, transition.next, std::memory_order_acq_rel)) continue;
    if (transition.next != state) since_ms_.store(NowMs(), std::memory_order_relaxed);
    return {true, state, {}};
  }
}

}  // namespace iprof::vm
