// RecordTable: one table of a profile whose entries are lists that can be added.
//
// Guarantees: entries are unique per context and keep their order. Lists with the same items in the
// same order, the usual case of a merge, are added item by item. In other lists of types, counts
// are added type by type, and new types appended; the time is linear in what is added and does not
// depend on the size of the entry, because long lists have an index. Other lists of successors are added by
// outcome (branch_outcomes.h), in n log n time for both lists; they have no index. Used by Profile
// only.
// Threads: one writer at a time; const methods may run in parallel. Failure: none but
// std::bad_alloc.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "writer/base/arena.h"
#include "writer/base/chunked_vector.h"
#include "writer/base/hash.h"
#include "writer/base/hash_index.h"
#include "writer/profile/branch_outcomes.h"
#include "writer/profile/model.h"

namespace iprof {

inline bool SameItem(const Successor& a, const Successor& b) {
  return a.bci == b.bci && a.index == b.index;
}
inline bool SameItem(const TypeCount& a, const TypeCount& b) { return a.type == b.type; }

template <typename T>
class RecordTable {
  static constexpr bool kSuccessors = std::is_same_v<T, Successor>;
  static constexpr size_t kScanLimit = 32;  // longest list that is searched item by item

 public:
  explicit RecordTable(uint64_t seed) : seed_(seed) {}

  size_t size() const { return entries_.size(); }
  ContextIndex Context(uint32_t entry) const { return entries_[entry].context; }
  std::span<const T> Items(uint32_t entry) const {
    return {entries_[entry].items, entries_[entry].size};
  }
  uint32_t Find(ContextIndex context) const {
    return by_context_.Find(Hash(context),
                            [&](uint32_t i) { return entries_[i].context == context; });
  }

  uint32_t Add(ContextIndex context, std::span<const T> items) {
    const Attempt attempt = TryAdd(context, items);
    if (!attempt.is_added) AddOtherShape(attempt.entry, items);
    return attempt.entry;
  }

  struct Attempt {
    uint32_t entry;
    bool is_added;
  };
  // Adds nothing if the entry has other items. A new entry takes any items.
  Attempt TryAdd(ContextIndex context, std::span<const T> items) {
    uint32_t at = Find(context);
    if (at == HashIndex::kNone) {
      at = static_cast<uint32_t>(entries_.size());
      entries_.push_back({context, 0, nullptr});
      by_context_.Insert(Hash(context), at);
      if constexpr (kSuccessors) {
        Assign(entries_[at], items);
        return {at, true};
      }
    }
    return {at, AddSameShape(entries_[at], items)};
  }

  size_t MemoryBytes() const {
    size_t bytes = entries_.MemoryBytes() + by_context_.MemoryBytes() + pool_.MemoryBytes();
    for (const auto& [entry, index] : long_lists_) bytes += sizeof(index) + index.MemoryBytes();
    return bytes;
  }

 private:
  struct Entry {
    ContextIndex context;
    uint32_t size;
    T* items;
  };

  uint64_t Hash(ContextIndex context) const {
    return MixHash(static_cast<uint64_t>(context), seed_);
  }
  uint64_t Hash(const TypeCount& item) const {
    return MixHash(static_cast<uint64_t>(item.type), seed_);
  }
  // The capacity follows from the size, so it is not stored.
  static size_t Capacity(size_t size) { return size <= 4 ? size : std::bit_ceil(size); }

  void Assign(Entry& entry, std::span<const T> items) {
    if (Capacity(entry.size) != Capacity(items.size())) {
      if (entry.size != 0) pool_.Recycle(entry.items, Capacity(entry.size));
      entry.items = items.empty() ? nullptr : pool_.Allocate(Capacity(items.size()));
    }
    std::copy(items.begin(), items.end(), entry.items);
    entry.size = static_cast<uint32_t>(items.size());
  }

  void Append(Entry& entry, const T& item) {
    const size_t room = Capacity(entry.size);
    if (entry.size == room) {
      T* larger = pool_.Allocate(Capacity(entry.size + size_t{1}));
      if (entry.size != 0) {
        std::copy_n(entry.items, entry.size, larger);
        pool_.Recycle(entry.items, room);
      }
      entry.items = larger;
    }
    entry.items[entry.size++] = item;
  }

  bool AddSameShape(Entry& entry, std::span<const T> items) {
    if (entry.size != items.size()) return false;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!SameItem(entry.items[i], items[i])) return false;
    }
    for (size_t i = 0; i < items.size(); ++i) AddCount(entry.items[i], items[i]);
    return true;
  }

  static void AddCount(T& to, const T& from) { to.count = SaturatingAdd(to.count, from.count); }

  void AddOtherShape(uint32_t at, std::span<const T> items) {
    if constexpr (kSuccessors) {
      const std::span<const T> lists[] = {Items(at), items};
      Assign(entries_[at], SumOfSuccessors(lists));
    } else {
      AddTypes(at, items);
    }
  }

  void AddTypes(uint32_t at, std::span<const T> items) {
    Entry& entry = entries_[at];
    HashIndex* const index = IndexFor(at, entry.size + items.size());
    for (const T& item : items) {
      const auto same = [&](uint32_t i) { return SameItem(entry.items[i], item); };
      uint32_t found = 0;
      if (index != nullptr) {
        found = index->Find(Hash(item), same);
      } else {
        while (found < entry.size && !same(found)) ++found;
      }
      if (found < entry.size) {
        AddCount(entry.items[found], item);
        continue;
      }
      if (index != nullptr) index->Insert(Hash(item), entry.size);
      Append(entry, item);
    }
  }

  // Null for a list that stays short: it is searched item by item.
  HashIndex* IndexFor(uint32_t at, size_t length) {
    if (length <= kScanLimit) {
      if (long_lists_.empty()) return nullptr;
      const auto known =
          long_lists_.find(at);  // a list with repeated types has fewer items than it seemed
      return known == long_lists_.end() ? nullptr : &known->second;
    }
    const auto [known, is_new] = long_lists_.try_emplace(at);
    HashIndex& index = known->second;
    if (is_new) {
      const Entry& entry = entries_[at];
      for (uint32_t i = 0; i < entry.size; ++i) index.Insert(Hash(entry.items[i]), i);
    }
    return &index;
  }

  uint64_t seed_;
  ChunkedVector<Entry> entries_;
  HashIndex by_context_;
  Arena<T> pool_;
  std::unordered_map<uint32_t, HashIndex> long_lists_;  // of types, by entry
};

}  // namespace iprof
