// ShortList: a list that mostly has a few items, and keeps these in itself.
//
// Why: a harvest makes tens of thousands of lists, of the two ways of a branch or of the classes that a
// site saw. Each would be a piece of memory of its own, taken and given back.
//
// Guarantees: as std::vector, but moving a list copies its few items, and no pointer to an item
// stays valid when the list is moved. Memory is taken only beyond `kFew` items.
// Threads: one at a time; const methods may run in parallel.
// Failure: throws std::bad_alloc, or std::length_error for 2^32 items, and leaves the list as it was.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace iprof {

template <typename T, uint32_t kFew>
class ShortList {
  static_assert(kFew > 0 && std::is_trivially_destructible_v<T> &&
                std::is_nothrow_copy_constructible_v<T>);

 public:
  using value_type = T;

  ShortList() noexcept {}
  ShortList(std::initializer_list<T> items) { Append(items.begin(), items.size()); }
  explicit ShortList(size_t size) { resize(size); }
  ShortList(const ShortList& other) { Append(other.data(), other.size()); }
  ShortList(ShortList&& other) noexcept { Take(other); }
  ShortList& operator=(const ShortList& other) {
    if (this == &other) return *this;
    reserve(other.size());
    size_ = 0;
    Append(other.data(), other.size());
    return *this;
  }
  ShortList& operator=(ShortList&& other) noexcept {
    if (this == &other) return *this;
    Free();
    Take(other);
    return *this;
  }
  ~ShortList() { Free(); }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // What the list takes beyond itself.
  size_t memory_bytes() const { return IsShort() ? 0 : room_ * sizeof(T); }
  T* data() { return IsShort() ? reinterpret_cast<T*>(few_) : many_; }
  const T* data() const { return IsShort() ? reinterpret_cast<const T*>(few_) : many_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t at) { return data()[at]; }
  const T& operator[](size_t at) const { return data()[at]; }

  void clear() { size_ = 0; }
  void reserve(size_t room) {
    if (room > room_) Grow(room);
  }
  // New items have the value T().
  void resize(size_t size) {
    reserve(size);
    for (size_t at = size_; at < size; ++at) std::construct_at(data() + at);
    size_ = static_cast<uint32_t>(size);
  }
  void push_back(T item) {
    if (size_ == room_) Grow(size_t{2} * room_);
    std::construct_at(data() + size_, std::move(item));
    ++size_;
  }
  template <typename... Parts>
  void emplace_back(Parts&&... parts) {
    push_back(T(std::forward<Parts>(parts)...));
  }
  void insert(const T* before, T item) {
    const auto at = before - data();
    push_back(std::move(item));
    std::rotate(begin() + at, end() - 1, end());
  }

  bool operator==(const ShortList& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  bool IsShort() const { return room_ <= kFew; }

  void Append(const T* items, size_t count) {
    reserve(size_ + count);
    std::uninitialized_copy_n(items, count, data() + size_);
    size_ += static_cast<uint32_t>(count);
  }

  void Grow(size_t room) {
    if (room > UINT32_MAX) throw std::length_error("ShortList");
    T* const many = std::allocator<T>().allocate(room);
    std::uninitialized_copy_n(data(), size_, many);
    Free();
    many_ = many;
    room_ = static_cast<uint32_t>(room);
  }

  // For a list without memory of its own.
  void Take(ShortList& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    room_ = std::exchange(other.room_, kFew);
    if (IsShort()) {
      std::uninitialized_copy_n(reinterpret_cast<const T*>(other.few_), size_,
                                reinterpret_cast<T*>(few_));
    } else {
      many_ = other.many_;
    }
  }

  void Free() noexcept {
    if (!IsShort()) std::allocator<T>().deallocate(many_, room_);
    room_ = kFew;
  }

  uint32_t size_ = 0;
  uint32_t room_ = kFew;
  union {
    alignas(T) std::byte few_[kFew * sizeof(T)];
    T* many_;
  };
};

// As for std::vector. Returns how many items were removed.
template <typename T, uint32_t kFew, typename Unwanted>
size_t EraseIf(ShortList<T, kFew>& list, Unwanted is_unwanted) {
  const auto kept = std::remove_if(list.begin(), list.end(), is_unwanted);
  const auto removed = static_cast<size_t>(list.end() - kept);
  list.resize(list.size() - removed);
  return removed;
}

}  // namespace iprof
