// The sampler without a JVM: a fake AsyncGetCallTrace, but real threads, timers and signals. No
// test asserts times; if a test needs samples, it burns CPU until they have come.
#include "agent/sampling/sampler.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <new>
#include <thread>
#include <vector>

#include "agent/sampling/core/sample_signal.h"
#include "agent/sampling/fake_vm.h"

namespace iprof::sampling {
namespace {

void CrashingTrace(CallTrace*, int32_t, void*) {
  static void* bad = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  *static_cast<volatile int*>(bad) = 1;
}

TEST_CASE("a watched thread's samples reach the table, and every signal has an outcome") {
  fake_frames = 3;
  auto sampler = Started(Every(1000000));
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().Signals(OutcomeClass::kGood) >= 20; });
  sampler->ThreadEnding();
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  CHECK(SumOf(stats) == stats.received);
  uint64_t samples = 0;
  uint64_t weight = 0;
  size_t depth = 0;
  sampler->traces().ForEach([&](const TraceView& trace) {
    samples += trace.samples();
    weight += trace.weight();
    depth = trace.depth();
  });
  CHECK(samples == Signals(stats, SampleOutcome::kGood));
  CHECK(weight == stats.weight[0]);
  CHECK(depth == 3);
}

TEST_CASE("samples have the number of their thread's name, and a new one after it changed") {
  std::atomic<uint32_t> number{7};
  SamplerHooks hooks = Hooks();
  hooks.thread_of = [&](const void* env) { return env == kFakeEnv ? number.load() : 0; };
  auto sampler = Started(Every(1000000), hooks);
  const auto seen = [&](uint32_t thread) {
    uint64_t samples = 0;
    sampler->traces().ForEach([&](const TraceView& trace) {
      CHECK((trace.thread() == 7 || trace.thread() == 9));
      if (trace.thread() == thread) samples += trace.samples();
    });
    return samples;
  };
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return seen(7) >= 5; });
  CHECK(seen(9) == 0);
  number = 9;
  sampler->NameThreads();
  BurnUntil([&] { return seen(9) >= 5; });
  sampler->ThreadEnding();
  REQUIRE(sampler->Stop());
}

// So slow that many calls of stats() happen during a sample.
void SlowTrace(CallTrace* trace, int32_t depth, void* context) {
  const uint64_t end = CpuTimeNs(CurrentTid()) + 2000000;
  while (CpuTimeNs(CurrentTid()) < end) continue;
  FakeTrace(trace, depth, context);
}

TEST_CASE("the counters add up whenever one looks, in the middle of a sample too") {
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = SlowTrace;
  auto sampler = Started(Every(1000000), hooks);
  std::atomic<bool> done{false};
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    BurnUntil([&] { return done.load(); });
    sampler->ThreadEnding();
  });
  int wrong = 0;
  constexpr int kLooks = 300;
  uint64_t received = 0;
  for (int i = 0; i < kLooks || received < 50; ++i) {
    const SampleStats stats = sampler->stats();
    wrong += SumOf(stats) == stats.received ? 0 : 1;
    received = stats.received;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  done = true;
  worker.join();
  REQUIRE(sampler->Stop());
  // A loaded machine may keep a thread from running for longer than stats() waits, but not often.
  CHECK(wrong < kLooks / 20);
}

TEST_CASE("weights times interval follow the thread's CPU clock below the kernel's tick") {
  auto sampler = Started(Every(250000));
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    BurnUntil([&] { return CpuTimeNs(CurrentTid()) > 700000000; });
    sampler->ThreadEnding();
  });
  worker.join();
  const double cpu = static_cast<double>(sampler->watched_cpu_ns());
  REQUIRE(sampler->Stop());
  const double seen = static_cast<double>(sampler->stats().Weight()) * 250000;
  CHECK(cpu >= 690000000);
  CHECK(seen / cpu == Approx(1).margin(0.05));
}

SamplerOptions Adapting() {
  SamplerOptions options = Every(kFirstIntervalNs);
  options.adapts = true;
  return options;
}

TEST_CASE("an interval that adapts stays as it is for a second, and its signals are counted") {
  fake_frames = 3;
  auto sampler = Started(Adapting());
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    BurnUntil([&] { return CpuTimeNs(CurrentTid()) > 1'000'000'000; });
    sampler->ThreadEnding();
  });
  worker.join();
  REQUIRE(sampler->Stop());
  const IntervalFacts interval = sampler->interval();
  CHECK(interval.first_ns == kFirstIntervalNs);
  CHECK(interval.last_ns == kFirstIntervalNs);
  CHECK(interval.effective_signals == Signals(sampler->stats(), SampleOutcome::kGood));
  CHECK(interval.effective_signals > 50);  // a kernel ticks at least 100 times a second
}

// So slow that it takes a large part of the CPU time.
void CostlyTrace(CallTrace* trace, int32_t depth, void* context) {
  const uint64_t end = CpuTimeNs(CurrentTid()) + 300'000;
  while (CpuTimeNs(CurrentTid()) < end) continue;
  FakeTrace(trace, depth, context);
}

TEST_CASE("costly handlers make the interval longer, and weights still follow the CPU clock") {
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = CostlyTrace;
  auto sampler = Started(Adapting(), hooks);
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    BurnUntil([&] { return sampler->interval().last_ns >= 16 * kFirstIntervalNs; });
    const uint64_t begin = CpuTimeNs(CurrentTid());
    BurnUntil([&] { return CpuTimeNs(CurrentTid()) > begin + 1'000'000'000; });
    sampler->ThreadEnding();
  });
  worker.join();
  const auto cpu = static_cast<double>(sampler->watched_cpu_ns());
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  const double seen = static_cast<double>(stats.Weight()) * static_cast<double>(kFirstIntervalNs);
  CHECK(seen / cpu == Approx(1).margin(0.1));
  CHECK(sampler->interval().effective_signals < Signals(stats, SampleOutcome::kGood));
  sampler->RestartPace();
  CHECK(sampler->interval().last_ns == kFirstIntervalNs);
  CHECK(sampler->interval().effective_signals == 0);
}

TEST_CASE("stacks know their period, and a new recording begins with the first one") {
  auto sampler = Started(Every(1'000'000));
  const auto weight_in = [&](uint32_t period) {
    uint64_t weight = 0;
    sampler->traces().ForEach([&](const TraceView& trace) {
      if (trace.period() == period) weight += trace.weight();
    });
    return weight;
  };
  uint64_t later = 0;
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    BurnUntil([&] { return weight_in(0) > 0; });
    BurnUntil([&] { return weight_in(1) + weight_in(2) + weight_in(3) > 0; });
    const uint64_t first = weight_in(0);
    sampler->RestartPace();
    BurnUntil([&] { return weight_in(0) > first; });
    later = weight_in(0) - first;
    sampler->ThreadEnding();
  });
  worker.join();
  REQUIRE(sampler->Stop());
  CHECK(later > 0);
}

TEST_CASE("threads that end between two clock ticks weigh what they used") {
  constexpr int64_t kInterval = 250000;
  auto sampler = Started(Every(kInterval));
  for (int i = 0; i < 200; ++i) {
    std::thread worker([&] {
      sampler->ThreadStarted(kFakeEnv);
      BurnUntil([&] { return CpuTimeNs(CurrentTid()) > 2000000; });
      sampler->ThreadEnding();
    });
    worker.join();
  }
  // At most the last few are left over, unless none was seen at all.
  BurnUntil([&] {
    std::thread worker([&] {
      sampler->ThreadStarted(kFakeEnv);
      BurnUntil([&] { return CpuTimeNs(CurrentTid()) > 2000000; });
      sampler->ThreadEnding();
    });
    worker.join();
    return sampler->stats().unseen_weight == 0 && sampler->stats().received > 0;
  });
  const auto cpu = static_cast<double>(sampler->watched_cpu_ns());
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  CHECK(static_cast<double>(stats.Weight()) * kInterval / cpu == Approx(1).margin(0.05));
  CHECK(stats.ended_weight > 0);
  uint64_t stored = 0;
  sampler->traces().ForEach([&](const TraceView& trace) { stored += trace.weight(); });
  CHECK(stored == stats.Weight());
}

TEST_CASE("errno is as before") {
  auto sampler = Started(Every(1000000));
  sampler->ThreadStarted(kFakeEnv);
  errno = 7;
  volatile uint64_t sink = 0;
  uint64_t spins = 0;
  while (sampler->stats().received < 5 && ++spins < 100000)
    for (int i = 0; i < 100000; ++i) sink = sink + 1;
  const int after = errno;
  sampler->ThreadEnding();
  CHECK(sampler->stats().received >= 5);
  CHECK(after == 7);
}

TEST_CASE("codes that HotSpot gives are counted by name") {
  fake_frames = -6;
  auto sampler = Started(Every(1000000));
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().received >= 5; });
  sampler->ThreadEnding();
  fake_frames = 3;
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  CHECK(Signals(stats, SampleOutcome::kNotWalkableJava) >= 5);
  CHECK(stats.raw_failed >= 5);
  CHECK(SumOf(stats) == stats.received);
}

// A JNIEnv with a last Java frame at known offsets, as in HotSpot's JavaThread.
struct FakeThread {
  uintptr_t last_sp = 0;
  uintptr_t last_pc = 0;
  int state = 0;
};
FakeThread fake_thread;
std::atomic<uintptr_t> expected_caller_pc{0};

void WantsAnchor(CallTrace* trace, int32_t, void*) {
  trace->num_frames = fake_thread.last_pc == 0 ? -3 : 1;
  trace->frames[0] = {0, reinterpret_cast<void*>(fake_thread.last_pc)};
}

TEST_CASE(
    "the last Java frame's program counter is filled in, as HotSpot does before it walks a stack") {
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = WantsAnchor;
  fake_thread = {};
  hooks.anchor.known = true;
  hooks.anchor.sp_from_env = offsetof(FakeThread, last_sp);
  hooks.anchor.pc_from_env = offsetof(FakeThread, last_pc);
  const SamplerOptions options = Every(1000000);
  const auto generated = reinterpret_cast<uintptr_t>(&fake_frames);
  hooks.code = Sampler::NewCode(options.depth);  // code may be noted before the sampler starts
  hooks.code->Add(generated, 16, CodeKind::kStub, nullptr, {});
  auto sampler = Started(options, hooks);
  volatile uintptr_t stack[2] = {generated + 8, 0};  // the return address below the frame
  SECTION("a noted frame is recovered") {
    fake_thread.last_sp = reinterpret_cast<uintptr_t>(&stack[1]);
    sampler->ThreadStarted(&fake_thread);
    BurnUntil([&] { return sampler->stats().received >= 3; });
    sampler->ThreadEnding();
    // The value stays set, so later calls need no retry.
    const SampleStats stats = sampler->stats();
    CHECK(Signals(stats, SampleOutcome::kRecovered) == 1);
    CHECK(stats.Signals(OutcomeClass::kFailed) == 0);
    CHECK(fake_thread.last_pc == generated + 8);
  }
  SECTION("none means that the thread runs no Java") {
    fake_thread.last_sp = 0;
    sampler->ThreadStarted(&fake_thread);
    BurnUntil([&] { return sampler->stats().received >= 3; });
    sampler->ThreadEnding();
    CHECK(Signals(sampler->stats(), SampleOutcome::kNoJavaFrame) == sampler->stats().received);
    CHECK(fake_thread.last_pc == 0);
  }
}

constexpr int kInVm = 6;

void WantsCompiledCaller(CallTrace* trace, int32_t, void*) {
  trace->num_frames = fake_thread.last_pc == expected_caller_pc.load() ? 1 : -4;
  trace->frames[0] = {0, reinterpret_cast<void*>(fake_thread.last_pc)};
}

TEST_CASE("the caller of a stub that HotSpot does not walk stands in for it during the call") {
  SamplerHooks hooks = Hooks();
  hooks.processor = &Amd64();  // the code below is for it
  hooks.get_call_trace = WantsCompiledCaller;
  hooks.anchor = {true,
                  offsetof(FakeThread, last_sp),
                  offsetof(FakeThread, last_pc),
                  offsetof(FakeThread, state),
                  8,
                  kInVm};
  auto sampler = Started(Every(1000000), hooks);
  static unsigned char code[64] = {0xe8, 0x1b, 0, 0, 0};  // call the stub at 32
  const auto compiled = reinterpret_cast<uintptr_t>(code);
  sampler->code().Add(compiled, 32, CodeKind::kCompiled, nullptr, {});
  sampler->code().Add(compiled + 32, 32, CodeKind::kStub, nullptr, {});
  expected_caller_pc = compiled + 5;
  volatile uintptr_t stack[4] = {compiled + 40, 17, 18, compiled + 5};
  fake_thread.last_sp = reinterpret_cast<uintptr_t>(&stack[1]);
  fake_thread.last_pc = compiled + 40;
  const auto run = [&](int state) {
    fake_thread.state = state;
    const SampleStats before = sampler->stats();
    sampler->ThreadStarted(&fake_thread);
    BurnUntil([&] { return sampler->stats().received >= before.received + 3; });
    sampler->ThreadEnding();
    CHECK(fake_thread.last_pc == compiled + 40);
    CHECK(fake_thread.last_sp == reinterpret_cast<uintptr_t>(&stack[1]));
    return Signals(sampler->stats(), SampleOutcome::kRecovered) -
           Signals(before, SampleOutcome::kRecovered);
  };
  CHECK(run(kInVm) >= 3);
  CHECK(run(kInVm + 4) == 0);  // blocked: a collector may be walking this stack
}

TEST_CASE("deep stacks are cut at the limit, kept from the inside, marked and counted") {
  fake_frames = 40;
  SamplerOptions options = Every(1000000);
  options.depth = 8;
  auto sampler = Started(options);
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().received >= 3; });
  sampler->ThreadEnding();
  fake_frames = 3;
  REQUIRE(sampler->Stop());
  CHECK(sampler->stats().cut == sampler->stats().received);
  sampler->traces().ForEach([](const TraceView& trace) {
    CHECK(trace.cut());
    CHECK(trace.depth() == 8);
    CHECK(trace.frame(0).bci == 0);
  });
}

TEST_CASE("a stack exactly as deep as the limit is whole") {
  fake_frames = 8;
  SamplerOptions options = Every(1000000);
  options.depth = 8;
  auto sampler = Started(options);
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().received >= 3; });
  sampler->ThreadEnding();
  fake_frames = 3;
  CHECK(sampler->stats().cut == 0);
}

TEST_CASE("a fault costs one sample, and the thread is left alone afterwards") {
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = CrashingTrace;
  auto sampler = Started(Every(1000000), hooks);
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().received >= 5; });
  sampler->ThreadEnding();
  REQUIRE(sampler->Stop());
  const SampleStats stats = sampler->stats();
  CHECK(Signals(stats, SampleOutcome::kCrashed) == 1);
  CHECK(Signals(stats, SampleOutcome::kAfterCrash) == stats.received - 1);
}

int Refuse(clockid_t, sigevent*, timer_t*) { return errno = EAGAIN, -1; }
std::atomic<int> refusals{0};
int RefuseSome(clockid_t clock, sigevent* event, timer_t* timer) {
  if (refusals.fetch_sub(1) > 0) return errno = EAGAIN, -1;
  return timer_create(clock, event, timer);
}

TEST_CASE("a refused timer is counted, shown, and tried again") {
  static const TimerCalls calls{RefuseSome, timer_settime, timer_delete};
  SamplerHooks hooks = Hooks();
  hooks.timers = &calls;
  refusals = 2;
  auto sampler = Started(Every(1000000), hooks);
  sampler->ThreadStarted(kFakeEnv);
  CHECK(sampler->stats().timer_failures >= 1);
  BurnUntil([&] { return sampler->stats().received >= 3; });
  CHECK(sampler->stats().timer_failures == 2);
  CHECK(sampler->stats().threads_without_timer == 0);
  sampler->ThreadEnding();
}

TEST_CASE("threads for which no timer can be had are reported") {
  static const TimerCalls calls{Refuse, timer_settime, timer_delete};
  SamplerHooks hooks = Hooks();
  hooks.timers = &calls;
  auto sampler = Started(Every(1000000), hooks);
  sampler->ThreadStarted(kFakeEnv);
  CHECK(sampler->stats().threads_without_timer == 1);
  sampler->ThreadEnding();
  CHECK(sampler->stats().threads_without_timer == 0);
}

int ThrowOnce(clockid_t clock, sigevent* event, timer_t* timer) {
  const int left = refusals.fetch_sub(1);
  if (left == 2) return errno = EAGAIN, -1;
  if (left == 1) throw std::bad_alloc();
  return timer_create(clock, event, timer);
}

TEST_CASE("an exception on the sampler's thread ends neither the process nor the sampling") {
  static const TimerCalls calls{ThrowOnce, timer_settime, timer_delete};
  SamplerHooks hooks = Hooks();
  hooks.timers = &calls;
  refusals = 2;
  auto sampler = Started(Every(1000000), hooks);
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().received >= 3; });
  CHECK(refusals < 0);
  sampler->ThreadEnding();
}

std::atomic<int> live_timers{0};
int CreateCounted(clockid_t clock, sigevent* event, timer_t* timer) {
  const int result = timer_create(clock, event, timer);
  if (result == 0) ++live_timers;
  return result;
}
int DestroyCounted(timer_t timer) { return --live_timers, timer_delete(timer); }

TEST_CASE(
    "threads that come and go by the hundred leave no timer behind, and slots are used again") {
  static const TimerCalls calls{CreateCounted, timer_settime, DestroyCounted};
  SamplerHooks hooks = Hooks();
  hooks.timers = &calls;
  live_timers = 0;
  auto sampler = Started(Every(100000), hooks);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        sampler->ThreadStarted(kFakeEnv);
        volatile uint64_t sink = 0;
        for (int k = 0; k < 30000; ++k) sink = sink + 1;
        if (round % 3 != 2)
          sampler->ThreadEnding();  // a third one ends without telling, and is noticed later
      });
    }
    // These are too short to be sure of a clock tick. The one that waits for its sample is not.
    if (round % 20 == 0) {
      threads.emplace_back([&, before = sampler->stats().received] {
        sampler->ThreadStarted(kFakeEnv);
        BurnUntil([&] { return sampler->stats().received > before; });
        sampler->ThreadEnding();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  REQUIRE(sampler->Stop());
  CHECK(live_timers == 0);
  const SampleStats stats = sampler->stats();
  CHECK(stats.threads_seen == 483);
  CHECK(stats.received >= 3);
  CHECK(SumOf(stats) == stats.received);
}

TEST_CASE("wall sampling reaches sleeping threads, weighed by elapsed intervals") {
  fake_frames = 2;
  SamplerOptions options = Every(2000000);
  options.event = SampleEvent::kWall;
  auto sampler = Started(options);
  std::atomic<bool> done{false};
  std::thread sleeper([&] {
    sampler->ThreadStarted(kFakeEnv);
    while (!done.load()) std::this_thread::sleep_for(std::chrono::seconds(1));
    sampler->ThreadEnding();
  });
  while (sampler->stats().Signals(OutcomeClass::kGood) < 20)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  done = true;
  sleeper.join();
  REQUIRE(sampler->Stop());
  CHECK(SumOf(sampler->stats()) == sampler->stats().received);
}

TEST_CASE("one session at a time; a later one starts from zero") {
  auto sampler = Started(Every(1000000));
  CHECK_FALSE(Sampler::Start(Every(1000000), Hooks()).ok());
  sampler->ThreadStarted(kFakeEnv);
  BurnUntil([&] { return sampler->stats().received >= 1; });
  REQUIRE(sampler->Stop());
  sampler.reset();
  auto second = Started(Every(1000000));
  CHECK(second->stats().received == 0);
  second->ThreadStarted(kFakeEnv);  // this thread's old slot is not mistaken for a new one
  BurnUntil([&] { return second->stats().Signals(OutcomeClass::kGood) >= 3; });
  second->ThreadEnding();
}

TEST_CASE("a signal from somewhere else is counted, and does no harm after the end") {
  auto sampler = Started(Every(1000000000));
  sampler->ThreadStarted(kFakeEnv);
  const int signal = sampler->signal();
  syscall(SYS_tgkill, getpid(), CurrentTid(), signal);
  sigqueue(getpid(), signal, sigval{});
  CHECK(Signals(sampler->stats(), SampleOutcome::kForeign) == 2);
  sampler->ThreadEnding();
  REQUIRE(sampler->Stop());
  sampler.reset();
  syscall(SYS_tgkill, getpid(), CurrentTid(), signal);
}

TEST_CASE("a timer's signal that comes after the farewell is counted, and weighs nothing") {
  auto sampler = Started(Every(1000000000));
  sampler->ThreadStarted(kFakeEnv);
  sampler->ThreadEnding();
  siginfo_t info{};
  info.si_signo = sampler->signal();
  info.si_code = SI_TIMER;
  info.si_overrun = 5;
  REQUIRE(syscall(SYS_rt_tgsigqueueinfo, getpid(), CurrentTid(), info.si_signo, &info) == 0);
  const SampleStats stats = sampler->stats();
  CHECK(Signals(stats, SampleOutcome::kLate) == 1);
  CHECK(stats.received == 1);
  CHECK(stats.Weight() == 0);
}

// Counts traces of a thread that has told its end.
thread_local bool told_its_end = false;
std::atomic<int> traces_after_the_end{0};
void TraceThatTellsLateOnes(CallTrace* trace, int32_t depth, void* context) {
  if (told_its_end) ++traces_after_the_end;
  FakeTrace(trace, depth, context);
}

TEST_CASE("a thread that ends while sampling is being stopped has no sample after its end") {
  traces_after_the_end = 0;
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = TraceThatTellsLateOnes;
  std::atomic<int> slots_after_the_end{0};
  const auto burn_until = [](const auto& done) {
    while (!done()) continue;
  };
  for (int round = 0; round < 10; ++round) {
    auto sampler = Started(Every(100000), hooks);
    std::atomic<int> watched{0};
    std::atomic<bool> is_stopping{false};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        sampler->ThreadStarted(kFakeEnv);
        ++watched;
        burn_until([&] { return is_stopping.load(); });
        sampler->ThreadEnding();
        told_its_end = true;
        if (CurrentSlot() != nullptr) ++slots_after_the_end;
        const uint64_t end = CpuTimeNs(CurrentTid()) + 8000000;  // longer than a clock tick
        burn_until([&] { return CpuTimeNs(CurrentTid()) > end; });
      });
    }
    burn_until([&] { return watched == 4; });
    is_stopping = true;
    CHECK(sampler->Stop());
    for (std::thread& thread : threads) thread.join();
  }
  CHECK(slots_after_the_end == 0);
  CHECK(traces_after_the_end == 0);
}

TEST_CASE("without AsyncGetCallTrace there is a sentence, not a crash") {
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = nullptr;
  CHECK(Sampler::Start(Every(1000000), hooks).status().code() == Code::kUnsupported);
}

}  // namespace
}  // namespace iprof::sampling
