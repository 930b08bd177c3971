#include "agent/sampling/sampler.h"

#include <pthread.h>

#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include "agent/sampling/core/crash_guard.h"
#include "agent/sampling/core/sample_handler.h"
#include "agent/sampling/core/sample_signal.h"
#include "agent/sampling/sources/process_threads.h"

namespace iprof::sampling {
namespace {

constexpr uint64_t kDrainTimeoutNs = 1000000000;
// How long stats() waits for handlers that have counted a signal but not its outcome yet.
constexpr auto kCountingPatience = std::chrono::milliseconds(200);

// Pools outlive sessions: a thread may still hold a slot from the last session, and a late signal
// may still point to one.
ThreadSlotPool* PoolFor(int32_t depth) {
  static std::mutex lock;
  static auto* pools = new std::vector<ThreadSlotPool*>;
  const std::lock_guard<std::mutex> guard(lock);
  for (ThreadSlotPool* pool : *pools)
    if (pool->depth() == depth) return pool;
  pools->push_back(new ThreadSlotPool(depth));
  return pools->back();
}

// `how` is SIG_BLOCK or SIG_UNBLOCK.
void MaskSignal(int how, int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  pthread_sigmask(how, &set, nullptr);
}

}  // namespace

Result<std::unique_ptr<Sampler>> Sampler::Start(const SamplerOptions& options,
                                                const SamplerHooks& hooks) {
  if (hooks.get_call_trace == nullptr) {
    return Status(Code::kUnsupported,
                  "this JVM has no AsyncGetCallTrace, which sampling needs; it is part of HotSpot");
  }
  Result<std::unique_ptr<TraceTable>> table = TraceTable::Create(options.memory_bytes);
  if (!table.ok()) return table.status();
  ThreadSlotPool* const pool = PoolFor(options.depth);
  std::unique_ptr<Sampler> sampler(new Sampler(options, hooks, pool, std::move(*table)));
  if (Status status = sampler->Begin(); !status.ok()) return status;
  return sampler;
}

Status Sampler::Continue() {
  if (!Stop()) return {Code::kInternal, "a thread was stopped in the middle of taking a sample"};
  return Begin();
}

std::shared_ptr<CodeRanges> Sampler::NewCode(int32_t depth) {
  return std::make_shared<CodeRanges>(
      [pool = PoolFor(depth)] { return pool->Quiesce(kDrainTimeoutNs / 20); });
}

Status Sampler::Begin() {
  const std::lock_guard<std::mutex> session(session_lock_);
  if (hooks_.crash_guard) {
    if (Status guard = CrashGuard::Install(); !guard.ok()) return guard;
  }
  const Result<int> signal = TakeSignal(options_.signal, OnSampleSignal);
  if (!signal.ok()) return signal.status();
  {
    const std::lock_guard<std::mutex> guard(lock_);
    const HandlerView view{
        hooks_.get_call_trace, hooks_.current_env,   options_.depth,
        hooks_.processor,      hooks_.anchor,        hooks_.interpreter,
        hooks_.method_code,    shared_->table.get(), shared_->code.get(),
        &shared_->stopped,     &shared_->began_ns,   Adapts() ? &shared_->pace : nullptr};
    if (!OpenHandler(view)) return {Code::kUsage, "sampling is running already"};
    if (signal_ == 0) {
      // The counters of an earlier Sampler. Those of an earlier session go on.
      pool_->ResetCounters();
      ResetOrphans();
      shared_->began_ns = MonotonicNs();
    }
    signal_ = *signal;
    signal_owner_ = SignalOwner::kUs;
    started_ = std::chrono::steady_clock::now();
    stopped_after_ns_ = 0;
    shared_->stopped = false;
  }
  Status started = StartTicker();
  if (!started.ok()) EndSampling();
  return started;
}

Status Sampler::StartTicker() {
  {
    const std::lock_guard<std::mutex> guard(ticker_lock_);
    ticker_stop_ = false;
    ticker_tid_ = 0;
  }
  // The ticker must never run one of the program's signal handlers, so it inherits a full mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status started;
  try {
    ticker_ = std::thread([this] { TickerLoop(); });
  } catch (const std::system_error& error) {
    started = Status(Code::kIo, std::string("cannot start the sampling thread: ") + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started.ok()) return started;
  // The roll call must know the ticker and skip it, because it would never answer.
  std::unique_lock<std::mutex> guard(ticker_lock_);
  ticker_wake_.wait(guard, [this] { return ticker_tid_ != 0; });
  return {};
}

Sampler::Sampler(const SamplerOptions& options, const SamplerHooks& hooks, ThreadSlotPool* pool,
                 std::unique_ptr<TraceTable> table)
    : options_(options),
      hooks_(hooks),
      pool_(pool),
      shared_(std::make_unique<Shared>(
          std::move(table), hooks.code != nullptr ? hooks.code : NewCode(options.depth))),
      cpu_timers_(*hooks.timers, options.interval_ns),
      pace_(options.interval_ns) {}

Sampler::~Sampler() {
  if (signal_ == 0) return;  // never started, so the handler belongs to another session
  if (Stop()) return;
  // A handler that never returned may still use it, so it is never freed. Leak checkers find it here.
  static Shared* never_freed = nullptr;
  shared_->other = never_freed;
  never_freed = shared_.release();
}

void Sampler::Arm(ThreadSlot* slot) {
  if (options_.event != SampleEvent::kCpu || slot->has_timer || !SignalIsOurs()) return;
  if (cpu_timers_.Arm(slot, signal_)) return;
  ++timer_failures_;
  queue_.Push(slot);
}

void Sampler::Name(ThreadSlot* slot) {
  if (hooks_.thread_of == nullptr) return;
  slot->thread.store(hooks_.thread_of(slot->env.load(std::memory_order_relaxed)),
                     std::memory_order_relaxed);
}

void Sampler::NameThreads() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (shared_->stopped.load(std::memory_order_relaxed)) return;
  pool_->ForEachUsed([&](ThreadSlot& slot) {
    if (slot.state.load(std::memory_order_acquire) == SlotState::kWatched) Name(&slot);
  });
}

void Sampler::Watch(ThreadSlot* slot) {
  Name(slot);
  slot->cpu_at_start_ns = CpuTimeNs(slot->tid);
  slot->state.store(SlotState::kWatched, std::memory_order_release);
  Arm(slot);
}

// Returns whether there was a timer.
bool Sampler::Disarm(ThreadSlot* slot) {
  slot->wants_call = false;
  return cpu_timers_.Disarm(slot);
}

void Sampler::Dismiss(ThreadSlot* slot) {
  Disarm(slot);
  if (slot->state.load(std::memory_order_acquire) == SlotState::kWatched) {
    const uint64_t now = CpuTimeNs(slot->tid);
    if (now > slot->cpu_at_start_ns) ended_cpu_ns_ += now - slot->cpu_at_start_ns;
  }
}

void Sampler::ThreadStarted(void* env) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (shared_->stopped.load(std::memory_order_relaxed)) return;
  // Block the signal: an answer to the roll call between the check of the slot and setting it would
  // leave the thread with two slots and two timers.
  MaskSignal(SIG_BLOCK, signal_);
  ThreadSlot* slot = CurrentSlot();
  if (slot == nullptr || slot->pool != pool_) {
    slot = pool_->Acquire(CurrentTid());
    if (slot == nullptr) {
      MaskSignal(SIG_UNBLOCK, signal_);
      ++timer_failures_;
      return;
    }
  }
  slot->env.store(env, std::memory_order_relaxed);
  slot->ask_env = false;
  const StackBounds stack = OwnStack();
  slot->stack_low = stack.low;
  slot->stack_high = stack.high;
  SetCurrentSlot(slot);
  MaskSignal(SIG_UNBLOCK, signal_);
  if (slot->state.load(std::memory_order_acquire) != SlotState::kWatched) {
    Watch(slot);
  } else {
    Name(slot);
  }
}

void Sampler::ThreadEnding() {
  const std::lock_guard<std::mutex> guard(lock_);
  ThreadSlot* slot = CurrentSlot();
  if (slot == nullptr || slot->pool != pool_) return;
  SetCurrentSlot(nullptr);  // from here on, no handler uses the slot
  if (Disarm(slot)) cpu_timers_.WeighEnd(slot, *shared_->table);
  Dismiss(slot);
  pool_->Release(slot);
}

bool Sampler::Drain() { return pool_->Quiesce(kDrainTimeoutNs); }

bool Sampler::Stop() {
  {
    const std::lock_guard<std::mutex> session(session_lock_);
    {
      const std::lock_guard<std::mutex> guard(ticker_lock_);
      ticker_stop_ = true;
    }
    ticker_wake_.notify_all();
    if (ticker_.joinable()) ticker_.join();
    EndSampling();
  }
  return Drain();
}

void Sampler::EndSampling() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (shared_->stopped.load(std::memory_order_relaxed)) return;
  // Visit one slot at a time: collecting a list could run out of memory.
  pool_->ForEachUsed([&](ThreadSlot& slot) { Dismiss(&slot); });
  shared_->stopped.store(true, std::memory_order_seq_cst);
  while (queue_.Pop() != nullptr) continue;
  pool_->ReleaseAll();
  CloseHandler();
}

SampleStats Sampler::stats() {
  SampleStats stats;
  const std::lock_guard<std::mutex> guard(lock_);
  const auto deadline = std::chrono::steady_clock::now() + kCountingPatience;
  // A signal is counted when it arrives, and its outcome when that is known. Late signals arrive
  // even after Stop(), so if the sums differ, read them again.
  const auto add = [&](const auto& from) {
    decltype(stats.signals) signals{};
    decltype(stats.weight) weight{};
    uint64_t received = 0;
    while (true) {
      uint64_t outcomes = 0;
      received = from.received.load(std::memory_order_acquire);
      for (size_t i = 0; i < kSampleOutcomeCount; ++i) {
        signals[i] = from.signals[i].load(std::memory_order_acquire);
        weight[i] = from.weight[i].load(std::memory_order_acquire);
        outcomes += signals[i];
      }
      if (outcomes == received || std::chrono::steady_clock::now() > deadline) break;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    for (size_t i = 0; i < kSampleOutcomeCount; ++i) {
      stats.signals[i] += signals[i];
      stats.weight[i] += weight[i];
    }
    stats.received += received;
  };
  pool_->ForEachEver([&](const ThreadSlot& slot) {
    add(slot);
    stats.raw_failed += slot.raw_failed.load(std::memory_order_relaxed);
    stats.raw_failed_weight += slot.raw_failed_weight.load(std::memory_order_relaxed);
    stats.cut += slot.cut.load(std::memory_order_relaxed);
    stats.handler_ns += slot.handler_ns.load(std::memory_order_relaxed);
    if (slot.wants_timer || slot.wants_call) ++stats.threads_without_timer;
  });
  add(Orphans());
  stats.threads_seen = pool_->threads_seen();
  stats.timer_failures = timer_failures_;
  stats.ended_cpu_ns = ended_cpu_ns_;
  stats.ended_weight = cpu_timers_.ended_weight();
  stats.unseen_weight = cpu_timers_.unseen_weight();
  stats.signal_owner = signal_owner_;
  stats.stopped_after_ns = stopped_after_ns_;
  return stats;
}

IntervalFacts Sampler::interval() {
  const std::lock_guard<std::mutex> guard(lock_);
  return {.first_ns = pace_.first_ns(),
          .last_ns = pace_.interval_ns(),
          .effective_signals = pace_.EffectiveSignals(shared_->pace.Read())};
}

void Sampler::RestartPace() {
  const std::lock_guard<std::mutex> guard(lock_);
  shared_->began_ns = MonotonicNs();
  if (pace_.Restart(shared_->pace.Read())) UseInterval();
}

// Call it under lock_.
void Sampler::UseInterval() {
  cpu_timers_.SetUnits(pace_.units());
  if (shared_->stopped.load(std::memory_order_relaxed)) return;
  pool_->ForEachUsed([&](ThreadSlot& slot) { cpu_timers_.Rearm(&slot); });
}

uint64_t Sampler::watched_cpu_ns() {
  const std::lock_guard<std::mutex> guard(lock_);
  uint64_t sum = ended_cpu_ns_;
  if (shared_->stopped.load(std::memory_order_relaxed)) return sum;
  pool_->ForEachUsed([&](ThreadSlot& slot) {
    if (slot.state.load(std::memory_order_acquire) != SlotState::kWatched) return;
    const uint64_t now = CpuTimeNs(slot.tid);
    if (now > slot.cpu_at_start_ns) sum += now - slot.cpu_at_start_ns;
  });
  return sum;
}

}  // namespace iprof::sampling
