#include "agent/sampling/core/thread_slot.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>
#include <utility>

namespace iprof::sampling {
namespace {

// glibc may allocate when a thread first uses a general thread-local, and has room for initial-exec
// ones of libraries that are loaded late. musl has no such room, and never allocates at a use.
#ifdef __GLIBC__
#define IPROF_SIGNAL_SAFE_TLS __attribute__((tls_model("initial-exec")))
#else
#define IPROF_SIGNAL_SAFE_TLS
#endif
IPROF_SIGNAL_SAFE_TLS thread_local ThreadSlot* current_slot = nullptr;
IPROF_SIGNAL_SAFE_TLS thread_local uint64_t current_generation = 0;

size_t PageRounded(size_t bytes) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

}  // namespace

uint64_t MonotonicNs() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000U + static_cast<uint64_t>(now.tv_nsec);
}

ThreadSlot* CurrentSlot() noexcept {
  ThreadSlot* slot = current_slot;
  if (slot == nullptr || slot->generation.load(std::memory_order_relaxed) != current_generation)
    return nullptr;
  return slot;
}

void SetCurrentSlot(ThreadSlot* slot) noexcept {
  current_slot = nullptr;  // a handler between these lines must see no slot rather than a wrong one
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (slot == nullptr) return;
  current_generation = slot->generation.load(std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  current_slot = slot;
}

pid_t CurrentTid() noexcept { return static_cast<pid_t>(syscall(SYS_gettid)); }

// Slots are in mappings of their own, so that a page of frames is touched only when stacks get deep
// enough.
bool ThreadSlotPool::Grow() {
  const size_t frame_bytes = PageRounded((static_cast<size_t>(depth_) + 2) * sizeof(CallFrame));
  const size_t slot_bytes = PageRounded(kSlotsAtOnce * sizeof(ThreadSlot));
  void* mapping = mmap(nullptr, slot_bytes + kSlotsAtOnce * frame_bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return false;
  mapping_bytes_ = slot_bytes + kSlotsAtOnce * frame_bytes;
  char* frames = static_cast<char*>(mapping) + slot_bytes;
  all_.reserve(all_.size() + kSlotsAtOnce);
  free_.reserve(all_.size() + kSlotsAtOnce);
  for (size_t i = 0; i < kSlotsAtOnce; ++i) {
    auto* slot = new (static_cast<ThreadSlot*>(mapping) + i) ThreadSlot;
    slot->pool = this;
    slot->frames = reinterpret_cast<CallFrame*>(frames + i * frame_bytes);
    all_.push_back(slot);
    free_.push_back(slot);
  }
  return true;
}

ThreadSlot* ThreadSlotPool::Acquire(pid_t tid) {
  const std::lock_guard<std::mutex> guard(lock_);
  try {
    if (free_.empty() && !Grow()) return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  ThreadSlot* slot = free_.back();
  free_.pop_back();
  slot->env.store(nullptr, std::memory_order_relaxed);
  slot->tid = tid;
  slot->thread.store(0, std::memory_order_relaxed);
  slot->ask_env = false;
  slot->stack_low = slot->stack_high = 0;
  slot->has_timer = slot->wants_timer = slot->wants_call = false;
  slot->rounds_between_calls = slot->rounds_to_call =
      1;  // except is_queued: the slot may still be in the queue
  slot->cpu_at_start_ns = 0;
  slot->due_before = 0;
  slot->owed = 0;
  slot->sent_weight.store(0, std::memory_order_relaxed);
  slot->signal_pending.store(false, std::memory_order_relaxed);
  slot->crashed = false;
  slot->taken_weight = 0;
  slot->last_trace = ThreadSlot::kNoTrace;
  slot->state.store(SlotState::kCalled, std::memory_order_release);
  threads_seen_.fetch_add(1, std::memory_order_relaxed);
  return slot;
}

void ThreadSlotPool::Release(ThreadSlot* slot) {
  const std::lock_guard<std::mutex> guard(lock_);
  ReleaseLocked(slot);
}

void ThreadSlotPool::ReleaseAll() {
  const std::lock_guard<std::mutex> guard(lock_);
  for (ThreadSlot* slot : all_)
    if (slot->state.load(std::memory_order_acquire) != SlotState::kFree) ReleaseLocked(slot);
}

void ThreadSlotPool::ReleaseLocked(ThreadSlot* slot) {
  slot->state.store(SlotState::kFree, std::memory_order_release);
  // so that a stale pointer to it gives no slot
  slot->generation.fetch_add(1, std::memory_order_relaxed);
  free_.push_back(slot);  // capacity was reserved with the slot
}

void ThreadSlotPool::ForEachUsed(const std::function<void(ThreadSlot&)>& visit) {
  const std::lock_guard<std::mutex> guard(lock_);
  for (ThreadSlot* slot : all_)
    if (slot->state.load(std::memory_order_acquire) != SlotState::kFree) visit(*slot);
}

void ThreadSlotPool::ForNextUsed(size_t count, const std::function<void(ThreadSlot&)>& visit) {
  for (size_t i = 0; i < count; ++i) {
    ThreadSlot* slot = nullptr;
    {
      const std::lock_guard<std::mutex> guard(lock_);
      if (i >= all_.size()) return;
      if (next_ >= all_.size()) next_ = 0;
      slot = all_[next_++];
    }
    if (slot->state.load(std::memory_order_acquire) != SlotState::kFree) visit(*slot);
  }
}

void ThreadSlotPool::ForEachEver(const std::function<void(const ThreadSlot&)>& visit) const {
  const std::lock_guard<std::mutex> guard(lock_);
  for (const ThreadSlot* slot : all_) visit(*slot);
}

void ThreadSlotPool::ResetCounters() {
  const std::lock_guard<std::mutex> guard(lock_);
  for (ThreadSlot* slot : all_) {
    for (auto& each : slot->signals) each.store(0, std::memory_order_relaxed);
    for (auto& each : slot->weight) each.store(0, std::memory_order_relaxed);
    for (auto* each : {&slot->received, &slot->raw_failed, &slot->raw_failed_weight, &slot->cut,
                       &slot->handler_ns})
      each->store(0, std::memory_order_relaxed);
  }
  threads_seen_.store(0, std::memory_order_relaxed);
}

size_t ThreadSlotPool::memory_bytes() const {
  const std::lock_guard<std::mutex> guard(lock_);
  const size_t page = PageRounded(1);
  std::vector<unsigned char> resident(mapping_bytes_ / page);
  size_t bytes = 0;
  for (size_t i = 0; i < all_.size(); i += kSlotsAtOnce) {
    if (mincore(all_[i], mapping_bytes_, resident.data()) != 0) continue;
    for (const unsigned char each : resident) bytes += (each & 1U) != 0 ? page : 0;
  }
  return bytes;
}

bool ThreadSlotPool::Quiesce(uint64_t timeout_ns) const {
  std::vector<std::pair<const ThreadSlot*, uint64_t>> inside;
  ForEachEver([&](const ThreadSlot& slot) {
    const uint64_t sequence = slot.sequence.load(std::memory_order_seq_cst);
    if (sequence % 2 == 1) inside.emplace_back(&slot, sequence);
  });
  const uint64_t deadline = MonotonicNs() + timeout_ns;
  for (const auto& [slot, sequence] : inside) {
    while (slot->sequence.load(std::memory_order_acquire) == sequence) {
      if (MonotonicNs() >= deadline) return false;
      const timespec pause{0, 50000};
      nanosleep(&pause, nullptr);
    }
  }
  return true;
}

}  // namespace iprof::sampling
