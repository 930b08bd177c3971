// CountedPositions: tells sampling where a position of counted, rewritten code is in its class file.
//
// Why here: counting and sampling know nothing of each other. Threads as ClassFilePositions.
#pragma once

#include <optional>

#include "agent/vm/counting/counting.h"
#include "agent/vm/sampling/sampling_profile.h"

namespace iprof::vm {

class CountedPositions final : public BciMap {
 public:
  // `positions` outlive this.
  explicit CountedPositions(const ClassFilePositions& positions) : positions_(positions) {}

  std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const override {
    return positions_.OriginalBci(method.class_descriptor, method.name, method.descriptor, running);
  }

 private:
  const ClassFilePositions& positions_;
};

}  // namespace iprof::vm
