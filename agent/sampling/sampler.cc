#include "agent/sampling/sampler.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "agent/sampling/crash_guard.h"
#include "agent/sampling/sample_handler.h"
#include "agent/sampling/sample_signal.h"

namespace iprof::sampling {
namespace {

constexpr uint64_t kDrainTimeoutNs = 1000000000;
constexpr auto kRollCallPatience = std::chrono::milliseconds(500);
// Threads that use less are likely to end unseen, and are weighed for each other: some clock ticks.
constexpr uint64_t kShortLifeNs = 64000000;
constexpr auto kRetryPeriod = std::chrono::milliseconds(100);
// How long stats() waits for handlers that are between counting a signal and counting its outcome.
constexpr auto kCountingPatience = std::chrono::milliseconds(200);

// Pools outlive sessions: a thread may still hold a slot of the last one, and a late signal may
// still name it.
ThreadSlotPool* PoolFor(int32_t depth) {
  static std::mutex lock;
  static auto* pools = new std::vector<ThreadSlotPool*>;
  const std::lock_guard<std::mutex> guard(lock);
  for (ThreadSlotPool* pool : *pools)
    if (pool->depth() == depth) return pool;
  pools->push_back(new ThreadSlotPool(depth));
  return pools->back();
}

int QueueSignal(pid_t tid, int signal, ThreadSlot* slot) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_errno = kQueuedMark;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = slot;
  return syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, signal, &info) == 0 ? 0 : errno;
}

bool ThreadIsGone(pid_t tid) {
  return syscall(SYS_tgkill, getpid(), tid, 0) != 0 && errno == ESRCH;
}

std::vector<pid_t> ThreadsOfProcess() {
  std::vector<pid_t> tids;
  DIR* directory = opendir("/proc/self/task");
  if (directory == nullptr) return tids;
  while (const dirent* entry = readdir(directory)) {
    pid_t tid = 0;
    const char* end = entry->d_name + std::strlen(entry->d_name);
    if (std::from_chars(entry->d_name, end, tid).ptr == end && tid > 0) tids.push_back(tid);
  }
  closedir(directory);
  return tids;
}

// HotSpot's compiler threads are JavaThreads that never run Java: JVMTI hides them, and so do we.
bool IsCompilerThread(pid_t tid) {
  std::ifstream comm("/proc/self/task/" + std::to_string(tid) + "/comm");
  std::string name;
  return std::getline(comm, name) && name.find("CompilerThre") != std::string::npos;
}

void FindOwnStack(ThreadSlot* slot) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* low = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
    slot->stack_low = reinterpret_cast<uintptr_t>(low);
    slot->stack_high = slot->stack_low + size;
  }
  pthread_attr_destroy(&attributes);
}

// how: SIG_BLOCK or SIG_UNBLOCK.
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
  if (hooks.crash_guard) {
    if (const Status guard = CrashGuard::Install(); !guard.ok()) return guard;
  }
  const Result<int> signal = TakeSignal(options.signal, OnSampleSignal);
  if (!signal.ok()) return signal.status();
  ThreadSlotPool* pool = PoolFor(options.depth);
  std::unique_ptr<Sampler> sampler(new Sampler(options, hooks, pool, std::move(*table)));
  sampler->signal_ = *signal;
  const HandlerView view{hooks.get_call_trace, hooks.current_env, options.depth,
                         hooks.recover,        hooks.anchor,      sampler->table_.get(),
                         &sampler->code_,      &sampler->stopped_};
  if (!OpenHandler(view)) {
    sampler->stopped_ = true;
    return Status(Code::kUsage, "sampling is running already");
  }
  pool->ResetCounters();
  // The ticker must never run a signal handler of the program: it inherits a full mask.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  Status started;
  try {
    sampler->ticker_ = std::thread([s = sampler.get()] { s->TickerLoop(); });
  } catch (const std::system_error& error) {
    started = Status(Code::kIo, std::string("cannot start the sampling thread: ") + error.what());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started.ok()) return started;
  // The roll call must know the ticker, which would never answer.
  std::unique_lock<std::mutex> guard(sampler->ticker_lock_);
  sampler->ticker_wake_.wait(guard, [&] { return sampler->ticker_tid_ != 0; });
  guard.unlock();
  return sampler;
}

Sampler::Sampler(const SamplerOptions& options, const SamplerHooks& hooks, ThreadSlotPool* pool,
                 std::unique_ptr<TraceTable> table)
    : options_(options),
      hooks_(hooks),
      pool_(pool),
      table_(std::move(table)),
      code_([pool] { return pool->Quiesce(kDrainTimeoutNs / 20); }),
      random_(static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) |
              1) {}

Sampler::~Sampler() {
  if (signal_ == 0) return;  // never started: the handler belongs to another session
  // A handler that never returned may still write into the table: better leaked than freed under
  // it.
  if (!Stop()) static_cast<void>(table_.release());
}

uint64_t Sampler::NextRandom() {  // xorshift64*; under lock_
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return random_ * 0x2545f4914f6cdd1dU;
}

void Sampler::Arm(ThreadSlot* slot) {
  if (options_.event != SampleEvent::kCpu || slot->has_timer) return;
  slot->first_expiry_ns = 1 + NextRandom() % static_cast<uint64_t>(options_.interval_ns);
  slot->cpu_at_arming_ns = CpuTimeNs(slot->tid);
  const int error = ArmThreadTimer(*hooks_.timers, slot->tid, signal_, slot, options_.interval_ns,
                                   static_cast<int64_t>(slot->first_expiry_ns), &slot->timer);
  slot->has_timer = error == 0;
  slot->wants_timer = error != 0;
  if (error != 0) ++timer_failures_;
}

void Sampler::Watch(ThreadSlot* slot) {
  slot->cpu_at_start_ns = CpuTimeNs(slot->tid);
  slot->state.store(SlotState::kWatched, std::memory_order_release);
  Arm(slot);
}

// Asks the thread whether it is one of Java's. Under lock_, which its handler does not take.
void Sampler::Call(ThreadSlot* slot) {
  const int error = QueueSignal(slot->tid, signal_, slot);
  slot->wants_call = error == EAGAIN;  // too many signals are pending: later
  if (error == 0) return;
  if (error == EAGAIN) {
    ++timer_failures_;
    return;
  }
  SlotState expected = SlotState::kCalled;
  slot->state.compare_exchange_strong(expected, SlotState::kNotJava);
}

// Gives whether there was a timer.
bool Sampler::Disarm(ThreadSlot* slot) {
  const bool armed = slot->has_timer;
  if (armed) DisarmThreadTimer(*hooks_.timers, slot->timer);
  slot->has_timer = slot->wants_timer = slot->wants_call = false;
  return armed;
}

void Sampler::Dismiss(ThreadSlot* slot) {
  Disarm(slot);
  if (slot->state.load(std::memory_order_acquire) == SlotState::kWatched) {
    const uint64_t now = CpuTimeNs(slot->tid);
    if (now > slot->cpu_at_start_ns) ended_cpu_ns_ += now - slot->cpu_at_start_ns;
  }
}

// The timer's signals come with clock ticks only; what had expired since the last one when the timer
// was taken away is owed. A signal of it that is still under way weighs nothing (sample_handler.cc).
void Sampler::WeighEnd(ThreadSlot* slot) {
  const uint64_t used = CpuTimeNs(slot->tid) - slot->cpu_at_arming_ns;
  const auto interval_ns = static_cast<uint64_t>(options_.interval_ns);
  const uint64_t due =
      used < slot->first_expiry_ns ? 0 : 1 + (used - slot->first_expiry_ns) / interval_ns;
  uint64_t owed = due > slot->taken_weight ? due - slot->taken_weight : 0;
  if (slot->taken_weight == 0) {
    unseen_weight_ += owed;
    return;
  }
  if (slot->last_trace != ThreadSlot::kNoTrace) {
    if (used < kShortLifeNs) owed += std::exchange(unseen_weight_, 0);
    table_->AddWeight(slot->last_trace, owed);
  }
  AddOwned(slot->weight[static_cast<size_t>(slot->last_outcome)], owed);
  ended_weight_ += owed;
}

void Sampler::ThreadStarted(void* env) {
  const std::lock_guard<std::mutex> guard(lock_);
  if (stopped_.load(std::memory_order_relaxed)) return;
  // An answer to the roll call between the look at the slot and the setting of it would leave the
  // thread with two of them, and two timers.
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
  FindOwnStack(slot);
  SetCurrentSlot(slot);
  MaskSignal(SIG_UNBLOCK, signal_);
  if (slot->state.load(std::memory_order_acquire) != SlotState::kWatched) Watch(slot);
}

void Sampler::ThreadEnding() {
  const std::lock_guard<std::mutex> guard(lock_);
  ThreadSlot* slot = CurrentSlot();
  if (slot == nullptr || slot->pool != pool_) return;
  SetCurrentSlot(nullptr);  // from here on no handler touches the slot
  if (Disarm(slot)) WeighEnd(slot);
  Dismiss(slot);
  pool_->Release(slot);
}

void Sampler::RollCall() {
  std::vector<ThreadSlot*> called;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (stopped_.load(std::memory_order_relaxed)) return;
    std::set<pid_t> known = {ticker_tid_};
    pool_->ForEachUsed([&](ThreadSlot& slot) { known.insert(slot.tid); });
    for (const pid_t tid : ThreadsOfProcess()) {
      if (known.contains(tid) || IsCompilerThread(tid)) continue;
      ThreadSlot* slot = pool_->Acquire(tid);
      if (slot == nullptr) break;
      slot->ask_env = true;
      called.push_back(slot);
    }
  }
  for (ThreadSlot* slot : called) {
    const std::lock_guard<std::mutex> guard(lock_);  // for each: threads that start wait for it
    // The thread may have ended meanwhile, and the slot be another's.
    if (slot->state.load(std::memory_order_acquire) == SlotState::kCalled) Call(slot);
  }
  const auto deadline = std::chrono::steady_clock::now() + kRollCallPatience;
  for (ThreadSlot* slot : called) {
    while (slot->state.load(std::memory_order_acquire) == SlotState::kCalled &&
           std::chrono::steady_clock::now() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  Settle();
}

// Acts on answers to the roll call, gives up on threads that are gone, and tries again what was
// refused: timers, and the roll call's signals.
void Sampler::Settle() {
  const std::lock_guard<std::mutex> guard(lock_);
  if (stopped_.load(std::memory_order_relaxed)) return;
  std::vector<ThreadSlot*> released;
  pool_->ForEachUsed([&](ThreadSlot& slot) {
    switch (slot.state.load(std::memory_order_acquire)) {
      case SlotState::kAnswered:
        Watch(&slot);
        return;
      case SlotState::kNotJava:
        released.push_back(&slot);
        return;
      case SlotState::kCalled:
      case SlotState::kWatched:
        if (ThreadIsGone(slot.tid)) {
          Dismiss(&slot);
          released.push_back(&slot);
        } else if (slot.wants_timer) {
          Arm(&slot);
        } else if (slot.wants_call) {
          Call(&slot);
        }
        return;
      case SlotState::kFree:
        return;
    }
  });
  for (ThreadSlot* slot : released) pool_->Release(slot);
}

void Sampler::SendWallSignals(uint64_t ticks) {
  const std::lock_guard<std::mutex> guard(lock_);
  pool_->ForEachUsed([&](ThreadSlot& slot) {
    if (slot.state.load(std::memory_order_acquire) != SlotState::kWatched) return;
    slot.owed += ticks;
    // A thread that has not run since its last signal keeps its debt: signals must not pile up.
    if (slot.signal_pending.load(std::memory_order_acquire)) return;
    slot.sent_weight.store(slot.owed, std::memory_order_release);
    slot.signal_pending.store(true, std::memory_order_release);
    if (QueueSignal(slot.tid, signal_, &slot) == 0) {
      slot.owed = 0;
    } else {
      slot.signal_pending.store(false, std::memory_order_release);
    }
  });
}

void Sampler::TickerLoop() {
  using Clock = std::chrono::steady_clock;
  pthread_setname_np(pthread_self(), "iprof-sampler");
  const bool wall = options_.event == SampleEvent::kWall;
  const auto interval = std::chrono::nanoseconds(options_.interval_ns);
  auto next_settle = Clock::now() + kRetryPeriod;
  auto next_signal = Clock::now() + interval;
  std::unique_lock<std::mutex> guard(ticker_lock_);
  ticker_tid_ = CurrentTid();
  ticker_wake_.notify_all();
  while (!ticker_stop_) {
    ticker_wake_.wait_until(guard, wall && next_signal < next_settle ? next_signal : next_settle);
    if (ticker_stop_) break;
    guard.unlock();
    const auto now = Clock::now();
    try {
      if (wall && now >= next_signal) {
        const auto ticks = 1 + (now - next_signal) / interval;
        next_signal += ticks * interval;
        SendWallSignals(static_cast<uint64_t>(ticks));
      }
      if (now >= next_settle) {
        Settle();
        next_settle = Clock::now() + kRetryPeriod;
      }
    } catch (...) {
      // Out of memory: what was left undone is found again the next time. An exception that left
      // the thread would end the process.
      next_settle = Clock::now() + kRetryPeriod;
    }
    guard.lock();
  }
}

bool Sampler::Drain() { return pool_->Quiesce(kDrainTimeoutNs); }

bool Sampler::Stop() {
  {
    const std::lock_guard<std::mutex> guard(ticker_lock_);
    ticker_stop_ = true;
  }
  ticker_wake_.notify_all();
  {
    const std::lock_guard<std::mutex> guard(join_lock_);
    if (ticker_.joinable()) ticker_.join();
  }
  {
    const std::lock_guard<std::mutex> guard(lock_);
    if (!stopped_.load(std::memory_order_relaxed)) {
      std::vector<ThreadSlot*> used;
      pool_->ForEachUsed([&](ThreadSlot& slot) {
        Dismiss(&slot);
        used.push_back(&slot);
      });
      stopped_.store(true, std::memory_order_seq_cst);
      for (ThreadSlot* slot : used) pool_->Release(slot);
      CloseHandler();
    }
  }
  return Drain();
}

SampleStats Sampler::stats() {
  SampleStats stats;
  const std::lock_guard<std::mutex> guard(lock_);
  const auto deadline = std::chrono::steady_clock::now() + kCountingPatience;
  // A signal is counted when it comes and its outcome when that is known. Stragglers come even
  // after Stop(), so a look that falls between the two is repeated.
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
  stats.ended_weight = ended_weight_;
  stats.unseen_weight = unseen_weight_;
  return stats;
}

uint64_t Sampler::watched_cpu_ns() {
  const std::lock_guard<std::mutex> guard(lock_);
  uint64_t sum = ended_cpu_ns_;
  if (stopped_.load(std::memory_order_relaxed)) return sum;
  pool_->ForEachUsed([&](ThreadSlot& slot) {
    if (slot.state.load(std::memory_order_acquire) != SlotState::kWatched) return;
    const uint64_t now = CpuTimeNs(slot.tid);
    if (now > slot.cpu_at_start_ns) sum += now - slot.cpu_at_start_ns;
  });
  return sum;
}

}  // namespace iprof::sampling
