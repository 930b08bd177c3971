// One sampler in several sessions: the samples and statistics go on, and no memory is lost.
#include <malloc.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "agent/sampling/fake_vm.h"

namespace iprof::sampling {
namespace {

// Takes at least this many samples of this thread.
void TakeSamples(Sampler& sampler, uint64_t more) {
  sampler.ThreadStarted(kFakeEnv);
  const uint64_t wanted = sampler.stats().Signals(OutcomeClass::kGood) + more;
  BurnUntil([&] { return sampler.stats().Signals(OutcomeClass::kGood) >= wanted; });
  sampler.ThreadEnding();
}

uint64_t SamplesIn(const TraceTable& traces) {
  uint64_t samples = 0;
  traces.ForEach([&](const TraceView& trace) { samples += trace.samples(); });
  return samples;
}

TEST_CASE("a sampler that continues has the samples and the statistics of all its sessions") {
  fake_frames = 3;
  auto sampler = Started(Every(1000000));
  SampleStats before;
  uint64_t cpu_before = 0;
  for (int session = 0; session < 3; ++session) {
    CHECK_FALSE(sampler->has_ended());
    TakeSamples(*sampler, 5);
    REQUIRE(sampler->Stop());
    CHECK(sampler->has_ended());
    const SampleStats after = sampler->stats();
    CHECK(SumOf(after) == after.received);
    CHECK(after.Signals(OutcomeClass::kGood) >= before.Signals(OutcomeClass::kGood) + 5);
    CHECK(after.threads_seen == before.threads_seen + 1);
    CHECK(SamplesIn(sampler->traces()) == after.Signals(OutcomeClass::kGood));
    const uint64_t cpu = sampler->watched_cpu_ns();
    CHECK(cpu > cpu_before);
    before = after;
    cpu_before = cpu;
    REQUIRE(sampler->Continue().ok());
  }
}

TEST_CASE("while another sampler has the signal, none continues") {
  auto sampler = Started(Every(1000000));
  REQUIRE(sampler->Stop());
  {
    auto other = Started(Every(1000000));
    CHECK(sampler->Continue().code() == Code::kUsage);
    CHECK(sampler->has_ended());
    REQUIRE(other->Stop());
  }
  CHECK(sampler->Continue().ok());
}

TEST_CASE("a stop during a continuation leaves nothing running once it is repeated") {
  auto sampler = Started(Every(1000000));
  std::atomic<bool> done{false};
  std::thread stops([&] {
    while (!done) static_cast<void>(sampler->Stop());
  });
  for (int i = 0; i < 200; ++i) REQUIRE(sampler->Continue().ok());
  done = true;
  stops.join();
  REQUIRE(sampler->Stop());
  CHECK(sampler->has_ended());
}

std::atomic<bool> is_stuck{false};
std::atomic<bool> may_return{false};

void StuckTrace(CallTrace* trace, int32_t depth, void* context) {
  is_stuck = true;
  while (!may_return) continue;
  FakeTrace(trace, depth, context);
}

// What it writes to is seen by the address sanitizer.
TEST_CASE("a handler may return after its sampler is gone") {
  fake_frames = 3;
  SamplerHooks hooks = Hooks();
  hooks.get_call_trace = StuckTrace;
  SamplerOptions options = Every(1000000);
  options.adapts = true;
  auto sampler = Started(options, hooks);
  std::thread worker([&] {
    sampler->ThreadStarted(kFakeEnv);
    BurnUntil([] { return may_return.load(); });
  });
  BurnUntil([] { return is_stuck.load(); });
  CHECK_FALSE(sampler->Stop());
  sampler.reset();
  may_return = true;
  worker.join();
  TakeSamples(*Started(options), 3);
}

TEST_CASE("sessions take no memory that the first ones did not take") {
  fake_frames = 3;
  auto sampler = Started(Every(1000000));
  const auto session = [&] {
    REQUIRE(sampler->Stop());
    sampler->code().Close();
    sampler->code().Open();
    REQUIRE(sampler->Continue().ok());
    TakeSamples(*sampler, 1);
  };
  for (int i = 0; i < 5; ++i) session();
  const size_t allocated = mallinfo2().uordblks;
  const size_t counted = sampler->memory_bytes();
  for (int i = 0; i < 20; ++i) session();
  CHECK(mallinfo2().uordblks <= allocated + 512);
  CHECK(sampler->memory_bytes() <= counted + (8 << 10));
  CHECK(counted > 0);
}

}  // namespace
}  // namespace iprof::sampling
