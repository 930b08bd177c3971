// RecordTable: one table of a profile, whose entries hold lists that are added to each other.
//
// Guarantees: entries are unique per context and keep their order. Adding a list to an entry adds
// the count of each item to the matching item there and appends the others. For T = TypeCount items
// match by type; for T = Successor the k-th item of one (bci, index) matches the k-th such item,
// because a switch repeats them. Cost is linear in what is added, whatever the size of the entry:
// long lists get an index. Used by Profile only; not thread-safe.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "writer/arena.h"
#include "writer/chunked_vector.h"
#include "writer/hash.h"
#include "writer/index_set.h"
#include "writer/model.h"

namespace iprof {

// What items match by. `occurrence` counts equal items before it in its list; types occur once.
struct RecordKey {
  int64_t a;
  int64_t b;
  uint64_t occurrence;
  bool operator==(const RecordKey&) const = default;
};
struct RecordKeyHash {
  size_t operator()(const RecordKey& key) const {
    static const uint64_t seed = ProcessHashSeed();
    return MixHash(MixHash(static_cast<uint64_t>(key.a), seed) ^ static_cast<uint64_t>(key.b),
                   key.occurrence + seed);
  }
};
inline RecordKey KeyOf(const Successor& item) { return {item.bci, item.index, 0}; }
inline RecordKey KeyOf(const TypeCount& item) { return {static_cast<int64_t>(item.type), 0, 0}; }

template <typename T>
class RecordTable {
  static constexpr bool kRepeats = std::is_same_v<T, Successor>;
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
    uint32_t at = Find(context);
    if (at == IndexSet::kNone) {
      at = static_cast<uint32_t>(entries_.size());
      entries_.push_back({context, 0, nullptr});
      by_context_.Insert(Hash(context), at);
      if (kRepeats && items.size() <= kScanLimit) {
        CopyIn(entries_[at], items);
        return at;
      }
    }
    Entry& entry = entries_[at];
    if (AddSameShape(entry, items)) return at;
    const bool has_index = !long_lists_.empty() && long_lists_.contains(at);
    if (!has_index && entry.size + items.size() <= kScanLimit) {
      AddByScan(entry, items);
    } else {
      AddByIndex(at, items);
    }
    return at;
  }

  size_t MemoryBytes() const {
    size_t bytes = entries_.MemoryBytes() + by_context_.MemoryBytes() + pool_.MemoryBytes();
    for (const auto& [entry, index] : long_lists_) {
      bytes += sizeof(*index) + index->size() * (sizeof(RecordKey) + 32);
    }
    return bytes;
  }

 private:
  struct Entry {
    ContextIndex context;
    uint32_t size;
    T* items;
  };
  using LongListIndex = std::unordered_map<RecordKey, uint32_t, RecordKeyHash>;

  uint64_t Hash(ContextIndex context) const {
    return MixHash(static_cast<uint64_t>(context), seed_);
  }
  // Room follows from the size, so that it need not be stored.
  static size_t Capacity(size_t size) { return size <= 4 ? size : std::bit_ceil(size); }

  void CopyIn(Entry& entry, std::span<const T> items) {
    if (items.empty()) return;
    entry.items = pool_.Allocate(Capacity(items.size()));
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

  // The usual case of a merge: the same items in the same order.
  bool AddSameShape(Entry& entry, std::span<const T> items) {
    if (entry.size != items.size()) return false;
    for (size_t i = 0; i < items.size(); ++i) {
      if (!(KeyOf(entry.items[i]) == KeyOf(items[i]))) return false;
    }
    for (size_t i = 0; i < items.size(); ++i) AddCount(entry.items[i], items[i]);
    return true;
  }

  static void AddCount(T& to, const T& from) { to.count = SaturatingAdd(to.count, from.count); }

  void AddByScan(Entry& entry, std::span<const T> items) {
    for (size_t i = 0; i < items.size(); ++i) {
      const RecordKey key = KeyOf(items[i]);
      size_t earlier = 0;
      if constexpr (kRepeats) {
        for (size_t j = 0; j < i; ++j) earlier += KeyOf(items[j]) == key;
      }
      T* match = nullptr;
      for (size_t j = 0; j < entry.size && match == nullptr; ++j) {
        if (KeyOf(entry.items[j]) == key && earlier-- == 0) match = &entry.items[j];
      }
      if (match != nullptr) {
        AddCount(*match, items[i]);
      } else {
        Append(entry, items[i]);
      }
    }
  }

  void AddByIndex(uint32_t at, std::span<const T> items) {
    Entry& entry = entries_[at];
    auto& index = long_lists_[at];
    if (index == nullptr) {
      index = std::make_unique<LongListIndex>();
      LongListIndex seen;
      for (uint32_t i = 0; i < entry.size; ++i) (*index)[Occurrence(entry.items[i], seen)] = i;
    }
    LongListIndex seen;
    for (const T& item : items) {
      const auto [found, is_new] = index->try_emplace(Occurrence(item, seen), entry.size);
      if (is_new) {
        Append(entry, item);
      } else {
        AddCount(entry.items[found->second], item);
      }
    }
  }

  static RecordKey Occurrence(const T& item, LongListIndex& seen) {
    RecordKey key = KeyOf(item);
    if constexpr (kRepeats) key.occurrence = seen[key]++;
    return key;
  }

  uint64_t seed_;
  ChunkedVector<Entry> entries_;
  IndexSet by_context_;
  Arena<T> pool_;
  std::unordered_map<uint32_t, std::unique_ptr<LongListIndex>> long_lists_;
};

}  // namespace iprof
