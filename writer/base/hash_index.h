// HashIndex: a hash table of numbers, for tables that keep their elements in a vector.
//
// Why not std::unordered_set: an element costs 8 to 16 bytes here instead of about 50, and a class
// record may be only a few hundred bytes.
//
// Guarantees: Find, Insert and Erase take constant time on average, even after many erasures. The
// table grows and shrinks with its content. The caller computes the hashes and compares elements.
// Threads: one at a time; the owner locks.
// Failure: Insert throws std::bad_alloc and leaves the table as it was. Erase may throw it too, but
// has erased by then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace iprof {

class HashIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The first number of this hash for which matches(number) holds, or kNone.
  template <typename Matches>
  uint32_t Find(uint32_t hash, Matches matches) const {
    if (slots_.empty()) return kNone;
    for (size_t at = hash & Mask();; at = (at + 1) & Mask()) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone) return kNone;
      if (slot.hash == hash && matches(slot.number)) return slot.number;
    }
  }

  // `number` is not kNone, and not in the table under this hash.
  void Insert(uint32_t hash, uint32_t number);
  // A no-op if it is not in the table.
  void Erase(uint32_t hash, uint32_t number);
  // Puts `number` where `old` was; both have this hash.
  void Replace(uint32_t hash, uint32_t old, uint32_t number);

  size_t size() const { return size_; }
  size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kNone;
  };

  size_t Mask() const { return slots_.size() - 1; }
  size_t PlaceOf(uint32_t hash, uint32_t number) const;  // slots_.size() if it is not in the table
  void Put(uint32_t hash, uint32_t number);
  void Resize(size_t slots);

  std::vector<Slot> slots_;  // the size is a power of two, or 0
  size_t size_ = 0;
};

}  // namespace iprof
