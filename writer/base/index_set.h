// IndexSet: finds the index of an element by its hash; the elements themselves are
// stored elsewhere.
//
// Guarantees: open addressing with linear probing, at most three quarters full; eight bytes a slot
// (the index and half of the hash, so that most misses need not compare elements, and growing need
// not hash them again).
// Threads: Find may run in parallel; Insert must not run at the same time as anything else.
// Failure: Insert throws std::bad_alloc and leaves the set as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iprof {

class IndexSet {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The index whose hash is `hash` and for which equal(index) holds, or kNone.
  template <typename Equal>
  uint32_t Find(uint64_t hash, Equal equal) const {
    if (slots_.empty()) return kNone;
    const uint32_t tag = static_cast<uint32_t>(hash);
    for (size_t at = Start(tag);; at = (at + 1) & mask_) {
      const Slot& slot = slots_[at];
      if (slot.index == kNone) return kNone;
      if (slot.tag == tag && equal(slot.index)) return slot.index;
    }
  }

  // `index` must not be in the set yet.
  void Insert(uint64_t hash, uint32_t index) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
    Place({index, static_cast<uint32_t>(hash)});
    ++size_;
  }

  size_t MemoryBytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t index = kNone;
    uint32_t tag = 0;
  };

  size_t Start(uint32_t tag) const { return tag & mask_; }
  void Place(Slot slot) {
    size_t at = Start(slot.tag);
    while (slots_[at].index != kNone) at = (at + 1) & mask_;
    slots_[at] = slot;
  }
  void Grow() {
    std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.index != kNone) Place(slot);
    }
  }

  std::vector<Slot> slots_;
  size_t mask_ = 0;
  size_t size_ = 0;
};

}  // namespace iprof
