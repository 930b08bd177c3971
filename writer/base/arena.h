// Arena: memory that is handed out in pieces and freed all at once.
//
// Guarantees: pieces never move; a piece larger than a block gets its own block. Elements are
// trivially copyable and uninitialised. Recycle() returns a piece, so that a later piece of the
// same size can reuse it (lists that outgrow their piece do this).
// Threads: one at a time; the owner locks.
// Failure: throws std::bad_alloc; pieces that were handed out stay valid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace iprof {

template <typename T>
class Arena {
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr size_t kBlock = (size_t{32} << 10) / sizeof(T);

 public:
  T* Allocate(size_t count) {
    if (!recycled_.empty()) {
      auto found = recycled_.find(count);
      if (found != recycled_.end() && !found->second.empty()) {
        T* piece = found->second.back();
        found->second.pop_back();
        return piece;
      }
    }
    if (count > left_) {
      const size_t size = count > kBlock / 4 ? count : kBlock;
      blocks_.push_back(std::unique_ptr<T[]>(new T[size]));
      bytes_ += size * sizeof(T);
      if (size == count) return blocks_.back().get();
      next_ = blocks_.back().get();
      left_ = size;
    }
    T* piece = next_;
    next_ += count;
    left_ -= count;
    return piece;
  }
  void Recycle(T* piece, size_t count) { recycled_[count].push_back(piece); }
  size_t MemoryBytes() const { return bytes_ + blocks_.capacity() * sizeof(blocks_[0]); }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::unordered_map<size_t, std::vector<T*>> recycled_;
  T* next_ = nullptr;
  size_t left_ = 0;
  size_t bytes_ = 0;
};

}  // namespace iprof
