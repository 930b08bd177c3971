// CodeAge: which methods run code that was compiled before sampling began, as far as the JVM reports it.
//
// A method is old if it was part of code that existed then, as a whole or inlined, and of none since.
//
// Guarantees: as above. Nothing is kept before Begin and after End. Threads: any.
// Failure: throws std::bad_alloc.
#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <unordered_map>

namespace iprof::vm {

class CodeAge {
 public:
  enum class Age : bool { kOld, kNew };

  void Begin() {
    const std::lock_guard lock(mutex_);
    ages_.clear();
    is_active_ = true;
  }
  void End() {
    const std::lock_guard lock(mutex_);
    ages_ = {};
    is_active_ = false;
  }
  bool is_active() const { return is_active_.load(std::memory_order_relaxed); }
  // The methods of one piece of code.
  void Note(std::span<const void* const> methods, Age age) {
    const std::lock_guard lock(mutex_);
    if (!is_active_) return;
    for (const void* method : methods) {
      const auto [known, is_first] = ages_.emplace(method, age);
      if (age == Age::kNew) known->second = age;
    }
  }
  bool IsOld(const void* method) const {
    const std::lock_guard lock(mutex_);
    const auto known = ages_.find(method);
    return known != ages_.end() && known->second == Age::kOld;
  }

 private:
  mutable std::mutex mutex_;
  std::atomic<bool> is_active_{false};
  std::unordered_map<const void*, Age> ages_;
};

}  // namespace iprof::vm
