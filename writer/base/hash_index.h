// HashIndex: a hash table of numbers, for tables that keep their elements in a vector.
//
// Why not std::unordered_set: an element costs 8 to 16 bytes here instead of about 50, and a class
// record may be only a few hundred bytes.
//
// Example: texts {"a", "b"} with the hashes 7 and 23. Insert(7, 0), Insert(23, 1) take two slots of 16, one beside the other,
// because 7 and 23 have the same lower four bits. Find(23, [&](uint32_t i) { return texts[i] == "b"; }) compares one text, as slots
// keep half of the hash, and returns 1.
//
// Guarantees: Find, Insert and Erase take constant time on average, even after many erasures. The
// table grows and shrinks with its content: it is at most three quarters full. The caller computes
// the hashes, of which the lower halves count, and compares elements.
// Threads: Find may run in parallel; nothing else at the same time.
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
  uint32_t Find(uint64_t hash, Matches matches) const {
    if (slots_.empty()) return kNone;
    const auto half = static_cast<uint32_t>(hash);
    for (size_t at = half & Mask();; at = (at + 1) & Mask()) {
      const Slot& slot = slots_[at];
      if (slot.number == kNone) return kNone;
      if (slot.hash == half && matches(slot.number)) return slot.number;
    }
  }

  // `number` is not kNone, and not in the table under this hash.
  void Insert(uint64_t hash, uint32_t number) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Resize(slots_.empty() ? kFewest : slots_.size() * 2);
    Put(static_cast<uint32_t>(hash), number);
    ++size_;
  }
  // A no-op if it is not in the table.
  void Erase(uint64_t hash, uint32_t number);
  // Puts `number` where `old` was; both have this hash.
  void Replace(uint64_t hash, uint32_t old, uint32_t number);

  size_t size() const { return size_; }
  size_t MemoryBytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr size_t kFewest = 16;
  struct Slot {
    uint32_t hash = 0;
    uint32_t number = kNone;
  };

  size_t Mask() const { return slots_.size() - 1; }
  size_t PlaceOf(uint64_t hash, uint32_t number) const;  // slots_.size() if it is not in the table
  void Put(uint32_t hash, uint32_t number) {
    size_t at = hash & Mask();
    while (slots_[at].number != kNone) at = (at + 1) & Mask();
    slots_[at] = {hash, number};
  }
  void Resize(size_t slots);

  std::vector<Slot> slots_;  // the size is a power of two, or 0
  size_t size_ = 0;
};

}  // namespace iprof
