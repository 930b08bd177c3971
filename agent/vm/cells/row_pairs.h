// RowPairs: which pair of a TypePairs each row of the class-counting sites counts.
//
// Guarantees: a chunk takes memory only once one of its rows is known.
// Threads: one at a time; the owner locks. Failure: throws std::bad_alloc; then a row is not known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iprof::vm {

class RowPairs {
 public:
  explicit RowPairs(size_t rows_in_chunk) : rows_in_chunk_(rows_in_chunk) {}

  std::optional<uint32_t> Find(size_t chunk, size_t row) const {
    if (!Has(chunk) || chunks_[chunk][row] == kNone) return std::nullopt;
    return chunks_[chunk][row];
  }
  void Set(size_t chunk, size_t row, uint32_t pair) {
    if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
    if (chunks_[chunk].empty()) chunks_[chunk].assign(rows_in_chunk_, kNone);
    chunks_[chunk][row] = pair;
  }
  // These rows will count other classes.
  void Forget(size_t chunk, size_t first_row, size_t rows) {
    if (Has(chunk))
      std::fill_n(chunks_[chunk].begin() + static_cast<ptrdiff_t>(first_row), rows, kNone);
  }
  void Clear() { chunks_ = {}; }
  size_t bytes() const {
    size_t bytes = 0;
    for (const auto& chunk : chunks_) bytes += chunk.capacity() * sizeof(uint32_t);
    return bytes;
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  bool Has(size_t chunk) const { return chunk < chunks_.size() && !chunks_[chunk].empty(); }

  const size_t rows_in_chunk_;
  std::vector<std::vector<uint32_t>> chunks_;
};

}  // namespace iprof::vm
