// SampleBaseline: the weights of stacks at a reset, so that a profile has only what came after it.
//
// Why: signal handlers add to the table at any time, so it cannot be emptied.
//
// Guarantees: the weight since the reset is never negative. A stack that is new since then has all of
// its weight. Threads: one at a time; the owner locks.
// Failure: throws std::bad_alloc; then the baseline is as before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "agent/sampling/core/trace_table.h"

namespace iprof::vm {

class SampleBaseline {
 public:
  void Take(const sampling::TraceTable& traces) {
    std::unordered_map<size_t, uint64_t> weights;
    traces.ForEach([&](const sampling::TraceView& trace) {
      if (trace.weight() > 0) weights.emplace(trace.place(), trace.weight());
    });
    weights_ = std::move(weights);
  }

  uint64_t WeightSince(const sampling::TraceView& trace) const {
    const auto known = weights_.find(trace.place());
    if (known == weights_.end()) return trace.weight();
    return trace.weight() > known->second ? trace.weight() - known->second : 0;
  }

 private:
  std::unordered_map<size_t, uint64_t> weights_;  // by place
};

}  // namespace iprof::vm
