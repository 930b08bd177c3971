// Another library takes the sampler's signal away: the process survives, sampling ends, and the
// sampler reports it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "agent/sampling/core/sample_handler.h"
#include "agent/sampling/fake_vm.h"

namespace iprof::sampling {
namespace {

struct Loss {
  std::atomic<int> told{0};
  std::atomic<SignalOwner> owner{SignalOwner::kUs};

  SamplerHooks HooksThatTell() {
    SamplerHooks hooks = Hooks();
    hooks.on_signal_lost = [this](int, SignalOwner now) {
      owner = now;
      ++told;
    };
    return hooks;
  }
};

TEST_CASE("a signal that is taken away ends sampling once, and what was sampled stays") {
  const bool ignored = GENERATE(false, true);
  const SampleEvent event = GENERATE(SampleEvent::kCpu, SampleEvent::kWall);
  Loss loss;
  SamplerOptions options = Every(1000000);
  options.event = event;
  auto sampler = Started(options, loss.HooksThatTell());
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().Signals(OutcomeClass::kGood) >= 3; });
  ::signal(sampler->signal(), ignored ? SIG_IGN : SIG_DFL);
  // This thread has a timer all the time, and its signals find no handler.
  BurnUntil([&] { return loss.told > 0; });
  CHECK(loss.owner == (ignored ? SignalOwner::kIgnored : SignalOwner::kDefault));
  const SampleStats stats = sampler->stats();
  CHECK(stats.signal_owner == loss.owner);
  CHECK(stats.stopped_after_ns > 0);
  CHECK(stats.Signals(OutcomeClass::kGood) >= 3);
  uint64_t kept = 0;
  sampler->traces().ForEach([&](const TraceView& trace) { kept += trace.weight(); });
  CHECK(kept == stats.Weight(OutcomeClass::kGood));
  // Later threads get no timer, and the end works as always.
  sampler->ThreadEnding();
  sampler->ThreadStarted(kFakeEnv);
  sampler->RollCall();
  CHECK(CurrentSlot() == nullptr);
  REQUIRE(sampler->Stop());
  CHECK(sampler->stats().stopped_after_ns == stats.stopped_after_ns);
  CHECK(loss.told == 1);
  ::signal(sampler->signal(), SIG_DFL);
  sampler.reset();
  // The next session can have the signal again.
  auto next = Started(Every(1000000));
  CHECK(next->stats().signal_owner == SignalOwner::kUs);
}

std::atomic<int> timers_made{0};
int CountTimer(clockid_t clock, sigevent* event, timer_t* timer) {
  ++timers_made;
  return timer_create(clock, event, timer);
}

TEST_CASE("no timer is armed with a signal that is not ours") {
  static const TimerCalls calls{CountTimer, timer_settime, timer_delete};
  timers_made = 0;
  Loss loss;
  SamplerHooks hooks = loss.HooksThatTell();
  hooks.timers = &calls;
  SamplerOptions options = Every(1000000);
  options.signal = SIGRTMIN + 6;  // its default action would end this process
  auto sampler = Started(options, hooks);
  ::signal(options.signal, SIG_DFL);
  sampler->ThreadStarted(kFakeEnv);
  sampler->RollCall();
  CHECK(timers_made == 0);
  BurnUntil([&] { return loss.told > 0; });
  CHECK(timers_made == 0);
  sampler->ThreadEnding();
}

TEST_CASE("another's handler is left alone, and is called no longer once the loss was noticed") {
  static std::atomic<int> calls{0};
  Loss loss;
  auto sampler = Started(Every(1000000), loss.HooksThatTell());
  sampler->ThreadStarted(kFakeEnv);
  struct sigaction theirs {};
  theirs.sa_handler = [](int) { ++calls; };
  sigaction(sampler->signal(), &theirs, nullptr);
  BurnUntil([&] { return loss.told > 0; });
  CHECK(loss.owner == SignalOwner::kOther);
  struct sigaction now {};
  sigaction(sampler->signal(), nullptr, &now);
  CHECK(now.sa_handler == theirs.sa_handler);
  const uint64_t start = CpuTimeNs(CurrentTid());
  const int before = calls;
  BurnUntil([&] { return CpuTimeNs(CurrentTid()) > start + 100000000; });
  CHECK(calls <= before + 1);  // one may have been in flight
  sampler->ThreadEnding();
  ::signal(sampler->signal(), SIG_DFL);
}

TEST_CASE("a wall signal that the kernel drops is sent again, and its weight is not lost") {
  SamplerOptions options = Every(5000000);
  options.event = SampleEvent::kWall;
  auto sampler = Started(options);
  std::atomic<bool> done{false};
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    sigset_t mine;
    sigemptyset(&mine);
    sigaddset(&mine, sampler->signal());
    // Another sender's signal is pending while ours is sent.
    while (!done) {
      pthread_sigmask(SIG_BLOCK, &mine, nullptr);
      pthread_kill(pthread_self(), sampler->signal());
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
      pthread_sigmask(SIG_UNBLOCK, &mine, nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(12));
    }
    sampler->ThreadEnding();
  });
  const auto begin = std::chrono::steady_clock::now();
  BurnUntil([&] {
    const SampleStats stats = sampler->stats();
    return stats.Signals(OutcomeClass::kGood) >= 20 &&
           Signals(stats, SampleOutcome::kForeign) >= 20;
  });
  const auto elapsed = std::chrono::steady_clock::now() - begin;
  const double intervals = std::chrono::duration<double>(elapsed).count() / 0.005;
  const auto weight = static_cast<double>(sampler->stats().Weight());
  done = true;
  worker.join();
  // All but the intervals added up at this moment. On a loaded machine the last signal may be
  // pending for a while.
  CHECK(weight > 0.7 * intervals - 20);
  CHECK(weight < 1.1 * intervals + 20);
}

}  // namespace
}  // namespace iprof::sampling
