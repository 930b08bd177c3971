// FlameTree: the stacks of samples as a tree with the outermost frames at the top, for one or two profiles, and the part of
// it that is worth drawing.
//
// A frame is a method below its caller's frame; positions in the caller make no difference. Each frame knows the position
// in its method where most of its samples are.
//
// Guarantees: a frame's weight is that of the samples whose stack goes through it. Cut keeps the frames with the largest
// shares, and with each frame its callers. The result does not depend on the order of stacks.
// Threads: one per object; const methods may run in parallel. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/views/report/sides.h"

namespace iprof {

// A frame of the drawn tree. They are in preorder: a frame's callees follow it, one level deeper, largest first.
struct FlameFrame {
  MethodIndex method;  // kNoMethod: the callees of the frame above that are too small to draw
  uint32_t depth;      // 0: outermost
  Counts weight{};
  Bci bci = 0;             // where most of its samples are
  Counts weight_at_bci{};  // how many of them
  uint32_t frames = 1;     // of kNoMethod: how many frames it stands for
  // Of the samples that know their period (writer/base/time_period.h): its number and how many; ascending.
  std::vector<std::pair<uint32_t, int64_t>> times = {};
};

class FlameTree {
 public:
  // `frames` are those of a stack, innermost first.
  void Add(size_t side, std::span<const Frame> frames, int64_t weight,
           std::optional<uint32_t> period = std::nullopt);

  Counts total() const { return total_; }
  size_t frame_count() const { return nodes_.size(); }
  // At most `most` frames, and one of kNoMethod for each frame that lost callees. `names` has the methods.
  std::vector<FlameFrame> Cut(size_t most, const Profile& names) const;

 private:
  static constexpr uint32_t kRoot = UINT32_MAX;
  struct Node {
    MethodIndex method;
    uint32_t parent;
    Counts weight{};
  };
  uint32_t ChildOf(uint32_t parent, MethodIndex method);
  std::vector<bool> ChooseKept(size_t most) const;
  // The heaviest position of each node.
  std::vector<std::pair<Bci, Counts>> HottestPositions() const;
  // The periods of each node, and, of those that are not drawn, of the rest below the node above.
  using Times = std::vector<std::pair<uint32_t, int64_t>>;
  std::vector<Times> TimesOf(const std::vector<bool>& kept) const;

  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> child_of_;  // by parent and method
  std::unordered_map<uint64_t, Counts> positions_;   // by node and bci
  std::unordered_map<uint64_t, int64_t> periods_;    // by node and period
  Counts total_{};
};

}  // namespace iprof
