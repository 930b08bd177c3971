// KnownWeights: all that a session knows of branches before it starts. An earlier profile has precedence,
// branch by branch, over what is shipped.
//
// Guarantees, threads: those of BranchWeights. Failure: none.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "agent/plan/branch_weights.h"
#include "agent/plan/weights/profile_weights.h"
#include "agent/plan/weights/shipped_weights.h"

namespace iprof::instrument {

class KnownWeights final : public BranchWeights {
 public:
  // `earlier` may be null.
  explicit KnownWeights(std::unique_ptr<const ProfileWeights> earlier = nullptr)
      : earlier_(std::move(earlier)) {}

  void Weigh(const MethodNames& names, const MethodGraph& method,
             std::span<double> weights) const override {
    if (earlier_ != nullptr) earlier_->Weigh(names, method, weights);
    shipped_.Weigh(names, method, weights);
  }

  const ProfileWeights* earlier() const { return earlier_.get(); }

 private:
  const std::unique_ptr<const ProfileWeights> earlier_;
  const ShippedWeights shipped_;
};

}  // namespace iprof::instrument
