#include "agent/sampling/sources/roll_call.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>

#include "agent/sampling/sources/process_threads.h"
#include "agent/sampling/sources/queued_signal.h"

namespace iprof::sampling {
namespace {

using Clock = std::chrono::steady_clock;

// A thread that does not answer is asked again after 1, 2, 4 … rounds, at most this many.
constexpr uint32_t kMostRoundsBetweenCalls = 64;

}  // namespace

std::vector<CalledThread> SlotsForUnknownThreads(ThreadSlotPool& pool, pid_t ticker,
                                                 SlotQueue& queue) {
  std::vector<CalledThread> called;
  std::set<pid_t> known = {ticker};
  pool.ForEachUsed([&](ThreadSlot& slot) { known.insert(slot.tid); });
  for (const pid_t tid : ThreadsOfProcess()) {
    if (known.contains(tid) || IsCompilerThread(tid)) continue;
    ThreadSlot* slot = pool.Acquire(tid);
    if (slot == nullptr) break;
    slot->ask_env = true;
    slot->rounds_between_calls = 1;
    queue.Push(slot);
    called.push_back({slot, tid});
  }
  return called;
}

bool AskThread(ThreadSlot* slot, int signal) {
  const int error = QueueSignal(slot->tid, signal, slot);
  slot->wants_call = error == EAGAIN;
  slot->rounds_to_call = slot->rounds_between_calls;
  slot->rounds_between_calls = std::min(2 * slot->rounds_between_calls, kMostRoundsBetweenCalls);
  if (error == 0) return true;
  if (error == EAGAIN) return false;
  SlotState expected = SlotState::kCalled;
  slot->state.compare_exchange_strong(expected, SlotState::kNotJava);
  return true;
}

void AwaitAnswers(std::span<const CalledThread> called, int signal,
                  std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  for (const auto& [slot, tid] : called) {
    while (slot->state.load(std::memory_order_acquire) == SlotState::kCalled &&
           Clock::now() < deadline && TakesSignal(tid, signal))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace iprof::sampling
