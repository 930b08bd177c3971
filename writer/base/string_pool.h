// StringPool: stores each distinct string once and gives it a dense id.
//
// Guarantees: ids are handed out in order of first appearance; views stay valid while the pool
// lives. At most 2^32-2 strings.
// Threads: Find and View may run in parallel; Intern must not run at the same time as anything
// else.
// Failure: Intern throws std::bad_alloc; ids and views that were handed out stay valid.
#pragma once

#include <cstdint>
#include <string_view>

#include "writer/base/arena.h"
#include "writer/base/chunked_vector.h"
#include "writer/base/hash.h"
#include "writer/base/hash_index.h"

namespace iprof {

class StringPool {
 public:
  explicit StringPool(uint64_t seed) : seed_(seed) {}

  uint32_t Intern(std::string_view text) {
    const uint64_t hash = HashBytes(text, seed_);
    const uint32_t found = index_.Find(hash, [&](uint32_t id) { return View(id) == text; });
    if (found != HashIndex::kNone) return found;
    char* copy = bytes_.Allocate(text.size());
    text.copy(copy, text.size());
    const uint32_t id = static_cast<uint32_t>(rows_.size());
    rows_.push_back({copy, static_cast<uint32_t>(text.size())});
    index_.Insert(hash, id);
    return id;
  }
  // HashIndex::kNone if it is not in the pool.
  uint32_t Find(std::string_view text) const {
    return index_.Find(HashBytes(text, seed_), [&](uint32_t id) { return View(id) == text; });
  }
  std::string_view View(uint32_t id) const { return {rows_[id].bytes, rows_[id].size}; }
  size_t size() const { return rows_.size(); }
  size_t MemoryBytes() const {
    return bytes_.MemoryBytes() + rows_.MemoryBytes() + index_.MemoryBytes();
  }

 private:
  struct Row {
    const char* bytes;
    uint32_t size;
  };
  uint64_t seed_;
  Arena<char> bytes_;
  ChunkedVector<Row> rows_;
  HashIndex index_;
};

}  // namespace iprof
