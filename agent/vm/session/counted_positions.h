// CountedPositions: tells sampling which position of the class file a position in rewritten code
// belongs to.
//
// Why here: counting and sampling do not know each other. Guarantees, threads and failure: as
// ClassFilePositions.
#pragma once

#include <optional>

#include "agent/vm/counting/counting.h"
#include "agent/vm/sampling/sampling_profile.h"

namespace iprof::vm {

class CountedPositions final : public BciMap {
 public:
  // `positions` must outlive this object.
  explicit CountedPositions(const ClassFilePositions& positions) : positions_(positions) {}

  std::optional<Bci> OriginalBci(const SampledMethod& method, Bci running) const override {
    return positions_.OriginalBci(method.class_descriptor, method.name, method.descriptor, running);
  }

 private:
  const ClassFilePositions& positions_;
};

}  // namespace iprof::vm
