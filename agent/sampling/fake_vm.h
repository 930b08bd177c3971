// For this room's tests: a sampler without a JVM. Its AsyncGetCallTrace returns made-up frames.
//
// Guarantees: none of it calls a JVM. Threads: FakeTrace and FakeEnv anywhere, the rest on the
// test's thread. Failure: fails the test.
#pragma once

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <memory>
#include <utility>

#include "agent/sampling/sampler.h"

namespace iprof::sampling {

inline std::atomic<int> fake_frames{3};  // frames per trace, or an error code
inline void* const kFakeEnv = reinterpret_cast<void*>(0x1000);
inline thread_local bool is_java_thread = false;  // decides what FakeEnv returns

inline void FakeTrace(CallTrace* trace, int32_t depth, void*) {
  errno = 99;  // a callee may change errno
  const int wanted = fake_frames.load();
  trace->num_frames = wanted <= 0 ? wanted : std::min(wanted, depth);
  for (int i = 0; i < trace->num_frames; ++i) trace->frames[i] = {i, reinterpret_cast<void*>(0x10)};
}

inline void* FakeEnv() { return is_java_thread ? kFakeEnv : nullptr; }

inline SamplerHooks Hooks() {
  SamplerHooks hooks;
  hooks.get_call_trace = FakeTrace;
  hooks.current_env = FakeEnv;
  return hooks;
}

inline SamplerOptions Every(int64_t interval_ns) {
  SamplerOptions options;
  options.interval_ns = interval_ns;
  options.memory_bytes = 1 << 20;
  return options;
}

inline std::unique_ptr<Sampler> Started(const SamplerOptions& options,
                                        const SamplerHooks& hooks = Hooks()) {
  auto sampler = Sampler::Start(options, hooks);
  if (!sampler.ok()) FAIL(sampler.status().message());
  return std::move(*sampler);
}

// Burns CPU until done() is true; fails after a minute.
template <typename Done>
void BurnUntil(Done done) {
  volatile uint64_t sink = 0;
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!done()) {
    for (int i = 0; i < 200000; ++i) sink = sink + static_cast<uint64_t>(i);
    if (std::chrono::steady_clock::now() > give_up) FAIL("no samples within a minute");
  }
}

inline uint64_t SumOf(const SampleStats& stats) {
  return stats.Signals(OutcomeClass::kGood) + stats.Signals(OutcomeClass::kRecovered) +
         stats.Signals(OutcomeClass::kFailed);
}

inline uint64_t Signals(const SampleStats& stats, SampleOutcome outcome) {
  return stats.signals[static_cast<size_t>(outcome)];
}

}  // namespace iprof::sampling
