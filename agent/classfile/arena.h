// Arena: the memory of one rewriting thread, freed all at once.
//
// Why: a class needs a few dozen small tables that are all freed together. Bump allocation makes
// them almost free, and keeps rewriting threads away from malloc's locks. After the first few
// classes an arena owns one block that is large enough, and rewriting allocates nothing more.
//
// Guarantees: memory is aligned for any scalar, and uninitialised unless a function says otherwise.
// Pointers are valid until Reset(), Rewind() to an earlier mark, or destruction. The amount of
// memory is proportional to the input; a number found in the input never decides it.
// Threads: one thread per arena.
// Failure: if the system has no memory left, Allocate throws std::bad_alloc. It is the only
// exception that leaves this room. Code that runs inside a JVM catches it at the boundary and
// leaves the class unchanged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "agent/classfile/bytes.h"

namespace iprof::classfile {

class Arena {
 public:
  explicit Arena(size_t first_block_bytes = 64 * 1024) : next_block_bytes_(first_block_bytes) {}
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <typename T>
  T* Allocate(size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 8);
    return reinterpret_cast<T*>(AllocateBytes(count * sizeof(T)));
  }
  template <typename T>
  T* AllocateZeroed(size_t count) {
    T* p = Allocate<T>(count);
    std::memset(static_cast<void*>(p), 0, count * sizeof(T));
    return p;
  }
  // Frees the unused end of the newest allocation.
  template <typename T>
  void Shrink(T* newest, size_t used_count) {
    at_ = reinterpret_cast<uint8_t*>(newest) + ((used_count * sizeof(T) + 7) & ~size_t{7});
  }

  struct Mark {
    void* block;
    uint8_t* at;
  };
  Mark GetMark() const { return {block_, at_}; }
  void Rewind(const Mark& mark);
  void Reset();

  // The most bytes in use at any one time since the last Reset().
  size_t peak_bytes() const;
  // The bytes that the arena has allocated from the system.
  size_t reserved_bytes() const { return reserved_; }

 private:
  struct Block {
    Block* previous;
    size_t size;         // of the payload
    size_t used_before;  // bytes used in all earlier blocks when this one was allocated
  };

  uint8_t* AllocateBytes(size_t bytes) {
    bytes = (bytes + 7) & ~size_t{7};
    if (bytes > static_cast<size_t>(end_ - at_)) return AllocateSlow(bytes);
    uint8_t* p = at_;
    at_ += bytes;
    return p;
  }
  uint8_t* AllocateSlow(size_t bytes);
  size_t UsedNow() const;
  void NotePeak();

  Block* block_ = nullptr;
  uint8_t* at_ = nullptr;
  uint8_t* end_ = nullptr;
  size_t next_block_bytes_;
  size_t reserved_ = 0;
  mutable size_t peak_ = 0;
};

// A growing array in an arena. Growing copies it; the old storage is freed with the arena.
template <typename T>
class ArenaVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  void Push(Arena& arena, const T& value) {
    if (size_ == capacity_) Grow(arena);
    data_[size_++] = value;
  }
  uint32_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  void Truncate(uint32_t size) { size_ = size; }

 private:
  void Grow(Arena& arena) {
    const uint32_t capacity = capacity_ == 0 ? 16 : capacity_ * 2;
    T* data = arena.Allocate<T>(capacity);
    if (size_ != 0) std::memcpy(static_cast<void*>(data), data_, size_ * sizeof(T));
    data_ = data;
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

// A growing byte buffer in an arena, for writing.
class ByteBuffer {
 public:
  explicit ByteBuffer(Arena& arena, size_t capacity = 256)
      : arena_(&arena), data_(arena.Allocate<uint8_t>(capacity)), capacity_(capacity) {}

  size_t size() const { return size_; }
  uint8_t* data() { return data_; }
  // Adds `count` bytes at the end and returns a pointer to them; the caller fills them.
  uint8_t* Extend(size_t count) {
    if (size_ + count > capacity_) Grow(count);
    uint8_t* p = data_ + size_;
    size_ += count;
    return p;
  }
  void U1(uint32_t v) { *Extend(1) = static_cast<uint8_t>(v); }
  void U2(uint32_t v) { StoreU2(Extend(2), v); }
  void U4(uint32_t v) { StoreU4(Extend(4), v); }
  void Append(const uint8_t* bytes, size_t count) {
    if (count != 0) std::memcpy(Extend(count), bytes, count);
  }
  void Truncate(size_t size) { size_ = size; }

 private:
  void Grow(size_t count) {
    const size_t capacity = capacity_ * 2 + count;
    auto* data = arena_->Allocate<uint8_t>(capacity);
    if (size_ != 0) std::memcpy(data, data_, size_);
    data_ = data;
    capacity_ = capacity;
  }

  Arena* arena_;
  uint8_t* data_;
  size_t capacity_;
  size_t size_ = 0;
};

// The two arenas of a rewriting thread. class_memory lives until the class's bytes have been handed
// over; method_memory lives only while one method is decoded, planned and rewritten.
struct Workspace {
  Arena class_memory;
  Arena method_memory;

  void Reset() {
    class_memory.Reset();
    method_memory.Reset();
  }
};

}  // namespace iprof::classfile
