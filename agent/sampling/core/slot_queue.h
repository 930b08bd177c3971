// SlotQueue: a FIFO queue of slots that need attention: an answer to the roll call, or a retry of
// something that the system refused.
//
// Guarantees: it allocates nothing, and a slot is in it at most once. A slot that was released, and
// may have another owner, can still be in the queue. So after Pop, decide by the slot's state.
// Threads: not synchronised; the sampler's lock guards it. Failure: none.
#pragma once

#include <cstddef>

#include "agent/sampling/core/thread_slot.h"

namespace iprof::sampling {

class SlotQueue {
 public:
  void Push(ThreadSlot* slot) {
    if (slot->is_queued) return;
    slot->is_queued = true;
    slot->next_queued = nullptr;
    (last_ == nullptr ? first_ : last_->next_queued) = slot;
    last_ = slot;
    ++size_;
  }

  // Null when empty.
  ThreadSlot* Pop() {
    ThreadSlot* slot = first_;
    if (slot == nullptr) return nullptr;
    first_ = slot->next_queued;
    if (first_ == nullptr) last_ = nullptr;
    slot->is_queued = false;
    --size_;
    return slot;
  }

  size_t size() const { return size_; }

 private:
  ThreadSlot* first_ = nullptr;
  ThreadSlot* last_ = nullptr;
  size_t size_ = 0;
};

}  // namespace iprof::sampling
