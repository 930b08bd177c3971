#include "agent/sampling/sources/wall_ticks.h"

#include "agent/sampling/sources/queued_signal.h"

namespace iprof::sampling {

void SendWallSignals(ThreadSlotPool& pool, int signal, uint64_t ticks) {
  pool.ForEachUsed([&](ThreadSlot& slot) {
    if (slot.state.load(std::memory_order_acquire) != SlotState::kWatched) return;
    slot.owed += ticks;
    if (slot.signal_pending.load(std::memory_order_acquire)) return;
    // If weight is left, the kernel dropped the last signal.
    slot.owed += slot.sent_weight.exchange(0, std::memory_order_acq_rel);
    slot.sent_weight.store(slot.owed, std::memory_order_release);
    slot.signal_pending.store(true, std::memory_order_release);
    if (QueueSignal(slot.tid, signal, &slot) == 0) {
      slot.owed = 0;
    } else {
      slot.signal_pending.store(false, std::memory_order_release);
      slot.owed = slot.sent_weight.exchange(0, std::memory_order_acq_rel);
    }
  });
}

}  // namespace iprof::sampling
