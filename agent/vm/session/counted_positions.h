// CountedPositions: gives sampling, and a harvest, the position of the class file that a position in
// rewritten code belongs to.
//
// Why here: counting, sampling and harvests do not know each other. Guarantees, threads and failure: as
// ClassFilePositions.
#pragma once

#include <span>
#include <vector>

#include "agent/harvest/exact_counts.h"
#include "agent/vm/counting/counting.h"
#include "agent/vm/sampling/stack_translation.h"

namespace iprof::vm {

class CountedPositions final : public BciMap {
 public:
  // The counting must outlive this object.
  explicit CountedPositions(const Counting& counting) : positions_(counting.positions()) {}

  void Translate(std::span<RunningBci> bcis) const override {
    std::vector<ClassFilePositions::Position> positions;
    for (const RunningBci& bci : bcis)
      positions.push_back({bci.method.class_descriptor, bci.method.name, bci.method.descriptor,
                           bci.running, bci.code});
    positions_.Translate(positions);
    for (size_t i = 0; i < bcis.size(); ++i) {
      bcis[i].original = positions[i].original;
      bcis[i].original_length = positions[i].original_length;
      bcis[i].is_recorded = positions[i].is_recorded;
    }
  }
  bool MayHaveForgotten() const override { return positions_.MayHaveForgotten(); }

 private:
  const ClassFilePositions positions_;
};

// The counting must outlive the result.
inline ToClassFile ToClassFileBy(const Counting& counting) {
  return [&counting](std::span<RunningSite> sites) {
    std::vector<ClassFilePositions::Position> translated;
    for (const RunningSite& site : sites)
      translated.push_back(
          {site.class_descriptor, site.name, site.descriptor, site.running, site.code});
    counting.positions().Translate(translated);
    for (size_t i = 0; i < sites.size(); ++i) sites[i].original = translated[i].original;
  };
}

}  // namespace iprof::vm
