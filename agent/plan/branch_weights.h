// BranchWeights: what earlier runs say about the branches of methods. The planner uses it to count
// where the program seldom is (frequency.h).
//
// Guarantees: the same method gets the same weights as long as the object lives, so that a class that
// is loaded again gets the same counters. Wrong weights cost time, never a count.
// Threads: const methods run in parallel. Failure: none; what is not known stays unknown.
#pragma once

#include <span>
#include <string_view>

#include "agent/plan/method_graph.h"

namespace iprof::instrument {

// Internal names. A lambda or proxy has its stable name.
struct MethodNames {
  std::string_view klass;
  std::string_view name;
  std::string_view descriptor;
};

inline constexpr double kUnknownWeight = -1;

class BranchWeights {
 public:
  virtual ~BranchWeights() = default;
  // Sets the weights of the edges of branches that it knows and that are not set yet. They are by
  // edge number, as in FrequencyEstimate::Compute.
  virtual void Weigh(const MethodNames& names, const MethodGraph& method,
                     std::span<double> weights) const = 0;
};

}  // namespace iprof::instrument
