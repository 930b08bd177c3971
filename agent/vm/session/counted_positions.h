// CountedPositions: tells sampling where a position of counted, rewritten code is in its class file.
//
// Why here: counting and sampling know nothing of each other. Threads as Counting::OriginalBci.
#pragma once

#include <optional>

#include "agent/vm/counting/counting.h"
#include "agent/vm/sampling/sampling_profile.h"

namespace iprof::vm {

class CountedPositions final : public BciMap {
 public:
  // `counting` outlives this.
  explicit CountedPositions(const Counting& counting) : counting_(counting) {}

  std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const override {
    return counting_.OriginalBci(method.class_descriptor, method.name, method.descriptor, running);
  }

 private:
  const Counting& counting_;
};

}  // namespace iprof::vm
