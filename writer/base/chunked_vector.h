// ChunkedVector: an append-only array whose elements never move.
//
// Guarantees: growing allocates one chunk and copies nothing, so that peak memory is the content
// plus one chunk (a std::vector holds the old and the new array at once, up to three times the
// content). References stay valid. Elements are trivially copyable. Indexing is not checked.
// Threads: const methods may run in parallel; a change must not run at the same time as anything
// else.
// Failure: push_back throws std::bad_alloc and leaves the array as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace iprof {

template <typename T>
class ChunkedVector {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr size_t kShift = 10;
  static constexpr size_t kChunk = size_t{1} << kShift;

 public:
  size_t size() const { return size_; }
  T& operator[](size_t i) { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  const T& operator[](size_t i) const { return chunks_[i >> kShift][i & (kChunk - 1)]; }
  void push_back(const T& value) {
    if ((size_ >> kShift) == chunks_.size()) {
      chunks_.push_back(std::unique_ptr<T[]>(new T[kChunk]));
    }
    chunks_[size_ >> kShift][size_ & (kChunk - 1)] = value;
    ++size_;
  }
  size_t MemoryBytes() const {
    return chunks_.size() * kChunk * sizeof(T) + chunks_.capacity() * sizeof(chunks_[0]);
  }

 private:
  std::vector<std::unique_ptr<T[]>> chunks_;
  size_t size_ = 0;
};

}  // namespace iprof
