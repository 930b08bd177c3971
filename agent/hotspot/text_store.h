// TextStore: keeps many short texts, in chunks.
//
// Guarantees: a text stays where it is as long as the store lives.
// Threads: one. Failure: none but std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

namespace iprof::hotspot {

class TextStore {
 public:
  std::string_view Keep(std::string_view text) {
    char* const to = Reserve(text.size());
    std::copy(text.begin(), text.end(), to);
    return Take(text.size());
  }

  // Room for a text, to be filled and then taken. What is not taken is given to the next one.
  char* Reserve(size_t size) {
    if (left_ < size || chunks_.empty()) {
      left_ = std::max(size, kChunkBytes);
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      next_ = chunks_.back().get();
    }
    return next_;
  }
  std::string_view Take(size_t size) {
    const std::string_view text(next_, size);
    next_ += size;
    left_ -= size;
    return text;
  }

 private:
  static constexpr size_t kChunkBytes = 64 << 10;

  std::vector<std::unique_ptr<char[]>> chunks_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace iprof::hotspot
