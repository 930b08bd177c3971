// NumberMap: values by numbers of 64 bits that are not 0: addresses, or several numbers packed into one.
//
// Why: a harvest looks up more than 100,000 symbols, classes and blocks. A table without nodes takes
// a third of the time of std::unordered_map.
//
// Guarantees: a lookup takes constant time for addresses and packed numbers. Nothing is removed but by
// Clear, which keeps the table's memory. References to values are valid until the next TryAdd.
// Threads: one. Failure: none but std::bad_alloc. The number 0 is in no map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace iprof {

template <typename Value>
class NumberMap {
 public:
  // Null if the number is unknown.
  const Value* Find(uint64_t at) const {
    if (slots_.empty() || at == 0) return nullptr;
    const Slot& slot = slots_[SlotOf(at)];
    return slot.at == at ? &slot.value : nullptr;
  }
  Value* Find(uint64_t at) { return const_cast<Value*>(std::as_const(*this).Find(at)); }

  // Lets the processor fetch the number, which will soon be looked up. The table of a harvest's symbols does not
  // fit into its cache, and lookups that are expected together wait no longer than one.
  void Expect(uint64_t at) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[FirstSlotOf(at)]);
  }

  // The value of a number that is not 0, and whether it is new.
  std::pair<Value*, bool> TryAdd(uint64_t at) {
    if ((size_ + 1) * 2 > slots_.size()) Grow();
    Slot& slot = slots_[SlotOf(at)];
    const bool is_new = slot.at != at;
    if (is_new) {
      slot = {at, Value()};
      ++size_;
    }
    return {&slot.value, is_new};
  }

  // Takes memory for this many numbers at once.
  void Reserve(size_t numbers) {
    size_t slots = std::max(slots_.size(), kFewestSlots);
    while (slots < numbers * 2) slots *= 2;
    if (slots > slots_.size()) Resize(slots);
  }

  void Clear() {
    slots_.assign(slots_.size(), Slot());
    size_ = 0;
  }

 private:
  static constexpr size_t kFewestSlots = 1024;

  struct Slot {
    uint64_t at = 0;
    Value value{};
  };

  size_t FirstSlotOf(uint64_t at) const {
    return static_cast<size_t>((at * 0x9E3779B97F4A7C15U) >> 32) & (slots_.size() - 1);
  }

  // Where the number is, or the free slot for it. There is always a free slot.
  size_t SlotOf(uint64_t at) const {
    const size_t mask = slots_.size() - 1;
    size_t slot = FirstSlotOf(at);
    while (slots_[slot].at != 0 && slots_[slot].at != at) slot = (slot + 1) & mask;
    return slot;
  }

  void Grow() { Resize(slots_.empty() ? kFewestSlots : slots_.size() * 2); }

  void Resize(size_t slots) {
    std::vector<Slot> old(slots);
    old.swap(slots_);
    for (Slot& slot : old) {
      if (slot.at != 0) slots_[SlotOf(slot.at)] = std::move(slot);
    }
  }

  std::vector<Slot> slots_;  // a power of two, at most half full
  size_t size_ = 0;
};

}  // namespace iprof
