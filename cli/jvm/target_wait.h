// TargetWait: waits for something that a target process does, and no longer than that makes sense.
//
// Guarantees: a wait ends when the thing happens, when the target ends, when the time is up, or when the
// user interrupts (see HeldSignals).
// Threads: one. Failure: the reason, as a sentence.
#pragma once

#include <signal.h>

#include <chrono>

#include "cli/jvm/process.h"
#include "writer/base/status.h"

namespace iprof::jvm {

// Keeps SIGINT, SIGTERM and SIGHUP back while it lives, so that files in the target's folders are removed
// before they end this process. A TargetWait notices them and fails; they arrive when this goes.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  static bool IsPending();
  // Waits for one of them, at most this long, and takes it, so that it does not end this process and no
  // longer fails a wait. Returns its number, or 0.
  static int Take(std::chrono::milliseconds most);

 private:
  sigset_t before_;
};

// The pause after `pause`, when this time has been waited. Most targets answer in the first second.
std::chrono::milliseconds NextPause(std::chrono::milliseconds pause,
                                    std::chrono::milliseconds waited);

class TargetWait {
 public:
  TargetWait(const Process& process, std::chrono::milliseconds most);

  // Until poll(2) reports one of the events, a closed connection or an error.
  Status For(int fd, short events);
  // A moment, longer from time to time, for what cannot be polled.
  Status Pause();

  std::chrono::milliseconds most() const { return most_; }
  bool is_half_over() const;
  // What is left of it; 0 if the time is up.
  std::chrono::milliseconds left() const;

 private:
  using Clock = std::chrono::steady_clock;

  // Ok: go on waiting.
  Status Check() const;

  const Process& process_;
  const std::chrono::milliseconds most_;
  const Clock::time_point start_ = Clock::now();
  std::chrono::milliseconds pause_{2};
};

// "10 s", "1.5 s".
std::string InSeconds(std::chrono::milliseconds time);

}  // namespace iprof::jvm
