#include "agent/vm/counting/class_file_positions.h"

#include <algorithm>
#include <vector>

namespace iprof::vm {

void ClassFilePositions::Translate(std::span<Position> positions) const {
  std::vector<Position*> by_class;
  for (Position& position : positions) by_class.push_back(&position);
  const auto less = [](const Position* a, const Position* b) {
    return a->class_descriptor < b->class_descriptor;
  };
  std::sort(by_class.begin(), by_class.end(), less);
  for (auto at = by_class.begin(); at != by_class.end();) {
    const auto end = std::upper_bound(at, by_class.end(), *at, less);
    TranslateOneClass({at, end});
    at = end;
  }
}

void ClassFilePositions::TranslateOneClass(std::span<Position*> positions) const {
  const Descriptor owner(positions.front()->class_descriptor);
  std::vector<instrument::ClassInstrumenter::RunningPosition> running;
  for (const Position* position : positions)
    running.push_back({position->name, position->descriptor,
                       static_cast<uint32_t>(std::max(position->running, Bci{0})), position->code});
  if (owner.IsClass())
    instrumenter_.OriginalBcis(names_.InternalName(owner.ClassName().text()), running, origin_of_);
  for (size_t i = 0; i < running.size(); ++i) {
    Position& position = *positions[i];
    position.original_length = running[i].original_length;
    position.is_recorded = running[i].is_recorded;
    // Each method begins at 0.
    if (position.running <= 0 || !owner.IsClass()) {
      position.original = position.running;
    } else if (running[i].original) {
      position.original = static_cast<Bci>(*running[i].original);
    }
  }
}

bool ClassFilePositions::MayHaveForgotten() const {
  const instrument::ClassTable::Statistics classes = instrumenter_.classes();
  return classes.dropped + classes.forgotten > 0;
}

}  // namespace iprof::vm
