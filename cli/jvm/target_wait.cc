#include "cli/jvm/target_wait.h"

#include <fmt/core.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace iprof::jvm {
namespace {

constexpr int kSliceMs = 50;  // how soon an interrupt or an end is noticed
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

}  // namespace

HeldSignals::HeldSignals() {
  sigset_t held;
  sigemptyset(&held);
  for (const int signal : kSignals) sigaddset(&held, signal);
  pthread_sigmask(SIG_BLOCK, &held, &before_);
}

HeldSignals::~HeldSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

bool HeldSignals::IsPending() {
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  return std::any_of(std::begin(kSignals), std::end(kSignals),
                     [&](int signal) { return sigismember(&pending, signal) == 1; });
}

int HeldSignals::Take(std::chrono::milliseconds most) {
  sigset_t waited;
  sigemptyset(&waited);
  for (const int signal : kSignals) sigaddset(&waited, signal);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(most);
  const timespec time{seconds.count(), (most - seconds).count() * 1'000'000};
  return std::max(0, sigtimedwait(&waited, nullptr, &time));
}

std::string InSeconds(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", static_cast<double>(time.count()) / 1000);
}

std::chrono::milliseconds NextPause(std::chrono::milliseconds pause,
                                    std::chrono::milliseconds waited) {
  constexpr std::chrono::milliseconds kLongest{100};
  constexpr std::chrono::milliseconds kLongestAtFirst{10};
  constexpr std::chrono::seconds kAtFirst{1};
  return std::min(pause * 3 / 2, waited < kAtFirst ? kLongestAtFirst : kLongest);
}

TargetWait::TargetWait(const Process& process, std::chrono::milliseconds most)
    : process_(process), most_(most) {}

bool TargetWait::is_half_over() const { return Clock::now() - start_ > most_ / 2; }

std::chrono::milliseconds TargetWait::left() const {
  const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_);
  return std::max(std::chrono::milliseconds(0), most_ - waited);
}

Status TargetWait::Check() const {
  if (HeldSignals::IsPending())
    return Status(Code::kIo, fmt::format("interrupted while waiting for {}", process_.Name()));
  const Result<ProcessStatus> status = process_.ReadStatus();
  if (!status.ok()) return status.status();
  if (status->has_ended()) return process_.Ended();
  if (Clock::now() - start_ < most_) return Status();
  if (status->is_stopped()) {
    return Status(Code::kIo,
                  fmt::format("{} is stopped (SIGSTOP, or a debugger): let it go on, then repeat "
                              "the command",
                              process_.Name()));
  }
  return Status(Code::kIo, fmt::format("{} has not answered within {} (--timeout)", process_.Name(),
                                       InSeconds(most_)));
}

Status TargetWait::For(int fd, short events) {
  for (;;) {
    pollfd waited{fd, events, 0};
    const int ready = poll(&waited, 1, kSliceMs);
    if (ready > 0) return Status();
    if (ready < 0 && errno != EINTR) {
      return Status(Code::kIo, fmt::format("cannot wait: {}", std::strerror(errno)));
    }
    if (Status status = Check(); !status.ok()) return status;
  }
}

Status TargetWait::Pause() {
  if (Status status = Check(); !status.ok()) return status;
  poll(nullptr, 0, static_cast<int>(pause_.count()));
  pause_ = NextPause(pause_,
                     std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start_));
  return Status();
}

}  // namespace iprof::jvm
