#include "writer/base/hash_index.h"

namespace iprof {

void HashIndex::Resize(size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.number != kNone) Put(slot.hash, slot.number);
  }
}

size_t HashIndex::PlaceOf(uint64_t hash, uint32_t number) const {
  if (slots_.empty()) return 0;
  size_t at = hash & Mask();
  while (slots_[at].number != number) {
    if (slots_[at].number == kNone) return slots_.size();
    at = (at + 1) & Mask();
  }
  return at;
}

void HashIndex::Replace(uint64_t hash, uint32_t old, uint32_t number) {
  const size_t at = PlaceOf(hash, old);
  if (at < slots_.size()) slots_[at].number = number;
}

void HashIndex::Erase(uint64_t hash, uint32_t number) {
  size_t hole = PlaceOf(hash, number);
  if (hole == slots_.size()) return;
  // Closes the gap: moves up every entry that a search would no longer find beyond it.
  for (size_t at = (hole + 1) & Mask(); slots_[at].number != kNone; at = (at + 1) & Mask()) {
    const size_t home = slots_[at].hash & Mask();
    if (((at - home) & Mask()) >= ((at - hole) & Mask())) {
      slots_[hole] = slots_[at];
      hole = at;
    }
  }
  slots_[hole] = {};
  --size_;
  if (slots_.size() > kFewest && size_ * 8 < slots_.size()) Resize(slots_.size() / 2);
}

}  // namespace iprof
