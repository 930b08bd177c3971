#include "cli/views/report/flame_tree.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

namespace iprof {
namespace {

uint64_t Key(uint32_t high, uint32_t low) { return uint64_t{high} << 32 | low; }

// Writes the kept frames below one another.
class Drawing {
 public:
  Drawing(const Profile& names, const Counts& total) : names_(names), total_(total) {}

  struct Child {
    uint32_t node;
    MethodIndex method;
    Counts weight;
    double share;
  };

  // Largest first; the order of equal ones does not depend on numbers.
  void Sort(std::vector<Child>& children) const {
    for (Child& child : children) child.share = LargestShare(child.weight, total_);
    std::sort(children.begin(), children.end(), [&](const Child& a, const Child& b) {
      if (a.share != b.share) return a.share > b.share;
      if (a.weight != b.weight) return a.weight > b.weight;
      return names_.DescribeMethod(a.method) < names_.DescribeMethod(b.method);
    });
  }

 private:
  const Profile& names_;
  const Counts& total_;
};

}  // namespace

void FlameTree::Add(size_t side, std::span<const Frame> frames, int64_t weight,
                    std::optional<uint32_t> period) {
  AddTo(total_, side, weight);
  uint32_t node = kRoot;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
    node = ChildOf(node, frame->method);
    AddTo(nodes_[node].weight, side, weight);
    AddTo(positions_[Key(node, static_cast<uint32_t>(frame->bci))], side, weight);
    if (!period) continue;
    int64_t& sum = periods_[Key(node, *period)];
    sum = SaturatingAdd(sum, weight);
  }
}

uint32_t FlameTree::ChildOf(uint32_t parent, MethodIndex method) {
  const auto [at, is_new] = child_of_.try_emplace(Key(parent, static_cast<uint32_t>(method)),
                                                  static_cast<uint32_t>(nodes_.size()));
  if (is_new) nodes_.push_back({method, parent, {}});
  return at->second;
}

// A frame is never heavier than its caller, and its number is larger. So the first of them, in this order, always
// include the callers of each.
std::vector<bool> FlameTree::ChooseKept(size_t most) const {
  std::vector<bool> kept(nodes_.size(), true);
  if (nodes_.size() <= most) return kept;
  std::vector<double> shares(nodes_.size());
  for (size_t n = 0; n < nodes_.size(); ++n) shares[n] = LargestShare(nodes_[n].weight, total_);
  std::vector<double> ordered = shares;
  std::nth_element(ordered.begin(), ordered.begin() + static_cast<std::ptrdiff_t>(most),
                   ordered.end(), std::greater<>());
  // Only what is heavier than the heaviest of the rest: which of several equal ones are kept must not depend on the
  // order of stacks.
  const double limit = ordered[most];
  for (size_t n = 0; n < nodes_.size(); ++n) kept[n] = shares[n] > limit;
  return kept;
}

std::vector<std::pair<Bci, Counts>> FlameTree::HottestPositions() const {
  std::vector<std::pair<Bci, Counts>> hottest(nodes_.size());
  std::vector<double> shares(nodes_.size(), -1);
  for (const auto& [key, counts] : positions_) {
    const auto node = static_cast<size_t>(key >> 32);
    const auto bci = static_cast<Bci>(key & UINT32_MAX);
    const double share = LargestShare(counts, total_);
    if (share < shares[node] || (share == shares[node] && bci > hottest[node].first)) continue;
    shares[node] = share;
    hottest[node] = {bci, counts};
  }
  return hottest;
}

std::vector<FlameTree::Times> FlameTree::TimesOf(const std::vector<bool>& kept) const {
  // Those of the rest below a node are behind those of all nodes; the last are of the root.
  std::vector<std::map<uint32_t, int64_t>> sums(periods_.empty() ? 0 : 2 * nodes_.size() + 1);
  for (const auto& [key, weight] : periods_) {
    auto at = static_cast<size_t>(key >> 32);
    if (!kept[at]) {
      const uint32_t above = nodes_[at].parent;
      if (above != kRoot && !kept[above]) continue;
      at = nodes_.size() + (above == kRoot ? nodes_.size() : size_t{above});
    }
    int64_t& sum = sums[at][static_cast<uint32_t>(key & UINT32_MAX)];
    sum = SaturatingAdd(sum, weight);
  }
  std::vector<Times> times(2 * nodes_.size() + 1);
  for (size_t at = 0; at < sums.size(); ++at) times[at].assign(sums[at].begin(), sums[at].end());
  return times;
}

std::vector<FlameFrame> FlameTree::Cut(size_t most, const Profile& names) const {
  const std::vector<bool> kept = ChooseKept(most);
  const std::vector<std::pair<Bci, Counts>> hottest = HottestPositions();
  std::vector<std::vector<Drawing::Child>> children(nodes_.size() + 1);  // the last: of the root
  std::vector<FlameFrame> cut(nodes_.size() + 1, {kNoMethod, 0, {}, 0, {}, 0, {}});
  std::vector<Times> times = TimesOf(kept);
  const auto place = [&](uint32_t node) { return node == kRoot ? nodes_.size() : size_t{node}; };
  for (uint32_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    if (kept[n]) {
      children[place(node.parent)].push_back({n, node.method, node.weight, 0});
      continue;
    }
    // The nearest kept caller.
    uint32_t above = node.parent;
    while (above != kRoot && !kept[above]) above = nodes_[above].parent;
    FlameFrame& rest = cut[place(above)];
    ++rest.frames;
    if (above != node.parent) continue;
    for (size_t side = 0; side < kMostSides; ++side) AddTo(rest.weight, side, node.weight[side]);
  }
  const Drawing drawing(names, total_);
  std::vector<FlameFrame> frames;
  struct Open {
    uint32_t node;
    uint32_t depth;  // of its callees
    size_t next = 0;
  };
  std::vector<Open> open = {{kRoot, 0}};
  while (!open.empty()) {
    Open& top = open.back();
    std::vector<Drawing::Child>& below = children[place(top.node)];
    if (top.next == 0) drawing.Sort(below);
    if (top.next == below.size()) {
      FlameFrame rest = cut[place(top.node)];
      rest.depth = top.depth;
      rest.times = std::move(times[nodes_.size() + place(top.node)]);
      if (rest.frames > 0) frames.push_back(rest);
      open.pop_back();
      continue;
    }
    const Drawing::Child child = below[top.next++];
    const auto& [bci, at_bci] = hottest[child.node];
    frames.push_back(
        {child.method, top.depth, child.weight, bci, at_bci, 1, std::move(times[child.node])});
    open.push_back({child.node, top.depth + 1});
  }
  return frames;
}

}  // namespace iprof
