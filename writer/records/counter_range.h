// CounterRange: consecutive counters, or class-counting sites, by their process-wide numbers.
//
// Guarantees: plain data. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof {

enum class CounterIndex : uint32_t {};

struct CounterRange {
  CounterIndex first{};
  uint32_t count = 0;
  bool operator==(const CounterRange&) const = default;
};

}  // namespace iprof
