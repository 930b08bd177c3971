// CountedPositions: tells sampling which position of the class file a position in rewritten code
// belongs to.
//
// Why here: counting and sampling do not know each other. Guarantees, threads and failure: as
// ClassFilePositions.
#pragma once

#include <span>
#include <vector>

#include "agent/vm/counting/counting.h"
#include "agent/vm/sampling/sampling_profile.h"

namespace iprof::vm {

class CountedPositions final : public BciMap {
 public:
  // `positions` must outlive this object.
  explicit CountedPositions(const ClassFilePositions& positions) : positions_(positions) {}

  void Translate(std::span<RunningBci> bcis) const override {
    std::vector<ClassFilePositions::Position> positions;
    for (const RunningBci& bci : bcis)
      positions.push_back(
          {bci.method.class_descriptor, bci.method.name, bci.method.descriptor, bci.running});
    positions_.Translate(positions);
    for (size_t i = 0; i < bcis.size(); ++i) bcis[i].original = positions[i].original;
  }

 private:
  const ClassFilePositions& positions_;
};

}  // namespace iprof::vm
