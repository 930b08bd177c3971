// Which threads from before the sampler are watched: real threads, asked by real signals.
#include <signal.h>
#include <sys/resource.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/sampling/fake_vm.h"
#include "agent/sampling/sources/process_threads.h"
#include "agent/sampling/sources/roll_call.h"

// Some versions of glibc's headers do not define this field name.
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace iprof::sampling {
namespace {

TEST_CASE("the roll call finds Java threads that were there before, and them only") {
  fake_frames = 3;
  std::atomic<bool> done{false};
  std::atomic<int> ready{0};
  const auto burn = [&](bool java) {
    is_java_thread = java;
    ++ready;
    volatile uint64_t sink = 0;
    while (!done.load()) sink = sink + 1;
  };
  std::thread java(burn, true);
  std::thread native(burn, false);
  while (ready < 2) std::this_thread::yield();
  auto sampler = Started(Every(1000000));
  sampler->RollCall();
  sampler->RollCall();  // a second one finds no new thread
  BurnUntil([&] { return sampler->stats().Signals(OutcomeClass::kGood) >= 5; });
  done = true;
  java.join();
  native.join();
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  CHECK(Signals(stats, SampleOutcome::kNotJava) == 0);
  CHECK(SumOf(stats) == stats.received);
}

// Lowers the process's limit of pending signals, and restores it.
class PendingSignals {
 public:
  explicit PendingSignals(rlim_t limit) {
    REQUIRE(getrlimit(RLIMIT_SIGPENDING, &before_) == 0);
    rlimit lowered = before_;
    lowered.rlim_cur = limit;
    REQUIRE(setrlimit(RLIMIT_SIGPENDING, &lowered) == 0);
  }
  ~PendingSignals() { setrlimit(RLIMIT_SIGPENDING, &before_); }
  PendingSignals(const PendingSignals&) = delete;
  PendingSignals& operator=(const PendingSignals&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("a roll call that the system refuses to send is counted, shown, and sent again") {
  // The kernel refuses to queue real-time signals; it delivers standard ones without their value.
  const bool queued = GENERATE(true, false);
  SamplerOptions options = Every(1000000);
  options.signal = queued ? SIGRTMIN + 5 : SIGURG;
  fake_frames = 3;
  std::atomic<bool> done{false};
  std::atomic<bool> ready{false};
  std::thread java([&] {
    is_java_thread = true;
    ready = true;
    volatile uint64_t sink = 0;
    while (!done.load()) sink = sink + 1;
  });
  while (!ready) std::this_thread::yield();
  auto sampler = Started(options);
  {
    const PendingSignals none(0);
    sampler->RollCall();
    const SampleStats stats = sampler->stats();
    CHECK((stats.timer_failures >= 1) == queued);
    CHECK((stats.threads_without_timer >= 1) == queued);
    CHECK((Signals(stats, SampleOutcome::kForeign) == 0) == queued);
    CHECK(stats.Signals(OutcomeClass::kGood) == 0);
    CHECK(stats.Weight() == 0);
  }
  BurnUntil([&] { return sampler->stats().Signals(OutcomeClass::kGood) >= 5; });
  CHECK(sampler->stats().threads_without_timer == 0);
  done = true;
  java.join();
}

TEST_CASE("the sampler's own thread is not called, however early the roll call comes") {
  for (int i = 0; i < 100; ++i) {
    auto sampler = Started(Every(1000000));
    sampler->ThreadStarted(kFakeEnv);  // now no thread is left to be asked
    // The kernel lists a thread for a moment after it was joined: that of the sampler before.
    BurnUntil([] { return ThreadsOfProcess().size() == 2; });
    sampler->RollCall();
    CHECK(sampler->stats().threads_seen == 1);
    sampler->ThreadEnding();
  }
}

// A thread that blocks the signal, or takes it.
class Asleep {
 public:
  Asleep(int signal, bool blocks)
      : thread_([=, this] {
          sigset_t one;
          sigemptyset(&one);
          sigaddset(&one, signal);
          pthread_sigmask(blocks ? SIG_BLOCK : SIG_UNBLOCK, &one, nullptr);
          tid_ = CurrentTid();
          while (!is_over_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~Asleep() { End(); }
  Asleep(const Asleep&) = delete;
  Asleep& operator=(const Asleep&) = delete;

  pid_t tid() const { return tid_; }
  void End() {
    is_over_ = true;
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::atomic<pid_t> tid_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

TEST_CASE("the roll call does not wait for a thread that blocks the signal or has ended") {
  constexpr auto kForEver = std::chrono::hours(1);
  Asleep blocks(SIGURG, true);
  Asleep ends(SIGURG, false);
  CHECK_FALSE(TakesSignal(blocks.tid(), SIGURG));
  CHECK(TakesSignal(blocks.tid(), SIGWINCH));
  CHECK(TakesSignal(ends.tid(), SIGURG));
  const pid_t ended = ends.tid();
  ends.End();
  while (TakesSignal(ended, SIGURG)) std::this_thread::yield();
  ThreadSlot first;
  ThreadSlot second;
  first.state = SlotState::kCalled;
  second.state = SlotState::kCalled;
  const CalledThread called[] = {{&first, blocks.tid()}, {&second, ended}};
  AwaitAnswers(called, SIGURG, kForEver);
  CHECK(first.state == SlotState::kCalled);  // it may still answer
}

TEST_CASE("a thread that blocks the signal is watched once it takes it") {
  fake_frames = 3;
  auto sampler = Started(Every(1000000));
  std::atomic<bool> is_ready{false};
  std::atomic<bool> takes{false};
  std::atomic<bool> done{false};
  std::thread java([&] {
    is_java_thread = true;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, sampler->signal());
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
    is_ready = true;
    while (!takes) std::this_thread::yield();
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
    volatile uint64_t sink = 0;
    while (!done) sink = sink + 1;
  });
  while (!is_ready) std::this_thread::yield();
  sampler->RollCall();
  CHECK(sampler->stats().Signals(OutcomeClass::kGood) == 0);
  takes = true;
  BurnUntil([&] { return sampler->stats().Signals(OutcomeClass::kGood) >= 5; });
  done = true;
  java.join();
}

// What the handler reads of HotSpot's thread: two words after its JNIEnv.
struct FakeThread {
  char env[16];
  uintptr_t stack_base;
  uintptr_t stack_size;
};
thread_local FakeThread fake_thread;

TEST_CASE("a thread that the roll call finds is not asked for its stack near the end of it") {
  fake_frames = 3;
  const size_t room = GENERATE(size_t{8} << 10, size_t{256} << 10);
  SamplerHooks hooks = Hooks();
  hooks.current_env = +[]() -> void* { return is_java_thread ? &fake_thread : nullptr; };
  hooks.anchor.knows_stack = true;
  hooks.anchor.stack_base_from_env = offsetof(FakeThread, stack_base);
  hooks.anchor.stack_size_from_env = offsetof(FakeThread, stack_size);
  std::atomic<bool> ready{false};
  std::atomic<bool> done{false};
  std::thread java([&] {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    fake_thread.stack_size = size_t{1} << 20;
    fake_thread.stack_base = here - room + fake_thread.stack_size;
    is_java_thread = true;
    ready = true;
    volatile uint64_t sink = 0;
    while (!done) sink = sink + 1;
  });
  while (!ready) std::this_thread::yield();
  auto sampler = Started(Every(1000000), hooks);
  sampler->RollCall();
  BurnUntil([&] { return SumOf(sampler->stats()) >= 5; });
  done = true;
  java.join();
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  const SampleOutcome expected =
      room < (size_t{64} << 10) ? SampleOutcome::kNoStackRoom : SampleOutcome::kGood;
  CHECK(Signals(stats, expected) == SumOf(stats) - Signals(stats, SampleOutcome::kLate));
}

// Guards the list of timers.
std::mutex timers_lock;
std::map<timer_t, pid_t> timer_of;
std::atomic<int> doubled{0};
int CreateForOne(clockid_t clock, sigevent* event, timer_t* timer) {
  if (timer_create(clock, event, timer) != 0) return -1;
  const pid_t tid = event->sigev_notify_thread_id;
  const std::lock_guard guard(timers_lock);
  for (const auto& [other, owner] : timer_of) doubled += owner == tid ? 1 : 0;
  timer_of[*timer] = tid;
  return 0;
}
int DestroyForOne(timer_t timer) {
  const std::lock_guard guard(timers_lock);
  timer_of.erase(timer);
  return timer_delete(timer);
}

TEST_CASE("a thread that starts while the roll is called is watched once") {
  static const TimerCalls calls{CreateForOne, timer_settime, DestroyForOne};
  SamplerHooks hooks = Hooks();
  hooks.timers = &calls;
  doubled = 0;
  auto sampler = Started(Every(1000000), hooks);
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      is_java_thread = true;
      while (!done.load()) {
        sampler->ThreadStarted(kFakeEnv);
        sampler->ThreadEnding();
      }
    });
  }
  for (int i = 0; i < 300; ++i) sampler->RollCall();
  done = true;
  for (std::thread& thread : threads) thread.join();
  REQUIRE(sampler->Stop());
  CHECK(doubled == 0);
}

TEST_CASE("an end that comes from several threads, and into a roll call, is one end") {
  std::atomic<int> failed{0};
  for (int i = 0; i < 20; ++i) {
    auto sampler = Started(Every(1000000));
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t) threads.emplace_back([&] { failed += sampler->Stop() ? 0 : 1; });
    sampler->ThreadStarted(kFakeEnv);
    sampler->RollCall();
    sampler->ThreadEnding();
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(failed == 0);
}

}  // namespace
}  // namespace iprof::sampling
