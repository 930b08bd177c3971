// ProfileWeights: the branches of an earlier profile as weights (weights=).
//
// The profile need not be of this program's code. A branch's counts are used if the code has a branch at
// that position, and each successor in the profile is one of its successors. What does not fit, for
// example because the class was changed since, is ignored.
//
// Guarantees: some ten bytes per branch and way; nothing refers to the profile any more. Methods are
// found by a hash of their names; two methods with one hash would only cost time.
// Threads: const methods run in parallel. Failure: none but std::bad_alloc.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "agent/plan/branch_weights.h"
#include "agent/plan/weights/context_sites.h"
#include "writer/profile/model.h"

namespace iprof::instrument {

class ProfileWeights final : public BranchWeights {
 public:
  explicit ProfileWeights(const Profile& profile);

  void Weigh(const MethodNames& names, const MethodGraph& method,
             std::span<double> weights) const override;

  // What contexts=all looks at.
  const ContextSites& contexts() const { return contexts_; }

  size_t branches() const { return branches_.size(); }
  size_t bytes() const;
  // Of all branches that were asked for and that the profile has.
  uint64_t fitting() const { return fitting_.load(std::memory_order_relaxed); }
  uint64_t unfitting() const { return unfitting_.load(std::memory_order_relaxed); }

 private:
  struct Branch {
    uint64_t method;  // hash of its names
    Bci bci;
    uint32_t first;  // of its ways
    uint32_t count;
  };
  struct Way {
    Bci bci;  // negative: the same target as an earlier way
    float count;
  };

  void Add(uint64_t method, Bci bci, std::span<const Successor> successors);
  bool Fit(const Branch& branch, const MethodGraph& method, const MethodGraph::Recorded& recorded,
           std::span<double> weights) const;

  const ContextSites contexts_;
  std::vector<Branch> branches_;  // ascending method and bci
  std::vector<Way> ways_;
  mutable std::atomic<uint64_t> fitting_{0};
  mutable std::atomic<uint64_t> unfitting_{0};
};

}  // namespace iprof::instrument
