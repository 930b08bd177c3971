// BoundedMemory: reads another Memory, for a limited time and up to a limited number of bytes.
//
// Why: the agent harvests inside the user's JVM, also while it ends. However large the JVM is, this
// must neither delay it for long nor take much of its memory. What a harvest keeps grows with what
// it reads. What it keeps beyond that, it charges.
//
// Guarantees: once a limit is reached, or the harvest is not wanted any more, every read fails at once.
// Threads: one. Failure: reads return false; exceeded() says which limit was reached.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

class BoundedMemory final : public Memory {
 public:
  enum class Limit : uint8_t { kNone, kTime, kBytes, kUnwanted };

  // `is_unwanted`: whether the harvest can be given up; null: it never can.
  BoundedMemory(const Memory& memory, std::chrono::steady_clock::time_point end,
                uint64_t most_bytes, std::function<bool()> is_unwanted = {})
      : memory_(memory), end_(end), is_unwanted_(std::move(is_unwanted)), left_(most_bytes) {}

  bool Read(Address from, void* into, size_t size) const override {
    if (exceeded_ != Limit::kNone) return false;
    if (size > left_) {
      exceeded_ = Limit::kBytes;
    } else if (std::chrono::steady_clock::now() >= end_) {
      exceeded_ = Limit::kTime;
    } else if (is_unwanted_ && is_unwanted_()) {
      exceeded_ = Limit::kUnwanted;
    } else {
      left_ -= size;
      return memory_.Read(from, into, size);
    }
    return false;
  }

  Limit exceeded() const { return exceeded_; }

  // How many bytes can be read or charged yet.
  uint64_t left() const { return left_; }
  // No more than are left.
  void Charge(uint64_t bytes) const { left_ -= std::min(bytes, left_); }

 private:
  const Memory& memory_;
  const std::chrono::steady_clock::time_point end_;
  const std::function<bool()> is_unwanted_;
  mutable uint64_t left_;
  mutable Limit exceeded_ = Limit::kNone;
};

}  // namespace iprof::hotspot
