// NameTable: keeps each text once, for as long as it is in use.
//
// Why: classes share names (<init>, ()V, java/lang/Object) thousands of times, and a program may
// load classes with new names forever.
//
// Guarantees: equal texts get the same id; Text() stays valid until the last use is released; after
// that, the id may be reused for another text.
// Threads: one at a time; the owner locks.
// Failure: Add throws std::bad_alloc and leaves the names as they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "writer/base/hash_index.h"

namespace iprof {

enum class NameId : uint32_t {};

class NameTable {
 public:
  // Adds a use of the text.
  NameId Add(std::string_view text);
  // Adds no use.
  std::optional<NameId> Find(std::string_view text) const;
  void AddUse(NameId name) { ++entries_[static_cast<uint32_t>(name)].uses; }
  void Release(NameId name);
  std::string_view Text(NameId name) const {
    const Entry& entry = entries_[static_cast<uint32_t>(name)];
    return {entry.text.get(), entry.length};
  }

  size_t size() const { return index_.size(); }
  size_t bytes() const {
    return text_bytes_ + entries_.capacity() * sizeof(Entry) + index_.MemoryBytes();
  }

 private:
  struct Entry {
    std::unique_ptr<char[]> text;
    uint32_t length = 0;
    uint32_t uses = 0;  // for a free entry: the next free entry
  };

  std::vector<Entry> entries_;
  uint32_t first_free_ = HashIndex::kNone;
  HashIndex index_;
  size_t text_bytes_ = 0;
};

// The memory that a heap block of this size takes, including glibc's header and rounding.
constexpr size_t HeapBytes(size_t asked_for) {
  return asked_for <= 24 ? 32 : (asked_for + 8 + 15) / 16 * 16;
}

}  // namespace iprof
