#include "writer/flow/call_cycles.h"

#include <algorithm>
#include <utility>

namespace iprof {
namespace {

// The strongly connected components of nodes with edges, callees before callers (Tarjan's algorithm without recursion).
class Components {
 public:
  Components(uint32_t nodes, std::span<const FlowEdge> edges, std::span<const uint32_t> first)
      : edges_(edges), first_(first), index_(nodes, kNew), low_(nodes), of_(nodes, kNew) {
    nodes_.reserve(nodes);
    for (uint32_t n = 0; n < nodes; ++n) {
      const bool has_edges =
          first[n] < first[n + 1];  // or else it is found where an edge leads to it
      if (has_edges && index_[n] == kNew) Visit(n);
    }
    starts_.push_back(static_cast<uint32_t>(nodes_.size()));
  }

  size_t size() const { return starts_.size() - 1; }
  std::span<const uint32_t> NodesOf(size_t component) const {
    return std::span(nodes_).subspan(starts_[component],
                                     starts_[component + 1] - starts_[component]);
  }
  const std::vector<uint32_t>& of() const { return of_; }  // by node

 private:
  static constexpr uint32_t kNew = UINT32_MAX;
  struct Step {
    uint32_t node;
    uint32_t next_edge;
  };

  void Visit(uint32_t root) {
    steps_.assign(1, {root, first_[root]});
    Enter(root);
    while (!steps_.empty()) {
      Step& step = steps_.back();
      const uint32_t node = step.node;
      if (step.next_edge < first_[node + 1]) {
        const uint32_t to = edges_[step.next_edge++].to;
        if (index_[to] == kNew) {
          Enter(to);
          steps_.push_back({to, first_[to]});
        } else if (of_[to] == kNew) {
          low_[node] = std::min(low_[node], index_[to]);
        }
        continue;
      }
      steps_.pop_back();
      if (!steps_.empty())
        low_[steps_.back().node] = std::min(low_[steps_.back().node], low_[node]);
      if (low_[node] == index_[node]) Close(node);
    }
  }

  void Enter(uint32_t node) {
    index_[node] = low_[node] = count_++;
    open_.push_back(node);
  }

  void Close(uint32_t node) {
    const auto component = static_cast<uint32_t>(starts_.size());
    starts_.push_back(static_cast<uint32_t>(nodes_.size()));
    uint32_t member;
    do {
      member = open_.back();
      open_.pop_back();
      of_[member] = component;
      nodes_.push_back(member);
    } while (member != node);
    std::sort(nodes_.begin() + starts_.back(), nodes_.end());
  }

  std::span<const FlowEdge> edges_;
  std::span<const uint32_t> first_;
  std::vector<uint32_t> index_, low_, of_, open_;
  std::vector<Step> steps_;
  std::vector<uint32_t> nodes_, starts_;  // of the components
  uint32_t count_ = 0;
};

// By from; of each node the first one's place, and the end.
std::vector<uint32_t> FirstOfEach(uint32_t nodes, std::span<const FlowEdge> edges) {
  std::vector<uint32_t> first(nodes + 1);
  for (const FlowEdge& edge : edges) ++first[edge.from + 1];
  for (uint32_t n = 0; n < nodes; ++n) first[n + 1] += first[n];
  return first;
}

// The edges by from, then by to, then by gain. Most methods have few edges, so grouping these by method
// does most of the sorting.
std::vector<FlowEdge> Sorted(std::span<const FlowEdge> edges, std::span<const uint32_t> first) {
  std::vector<FlowEdge> sorted(edges.size());
  std::vector<uint32_t> next(first.begin(), first.end());
  for (const FlowEdge& edge : edges) sorted[next[edge.from]++] = edge;
  for (size_t n = 0; n + 1 < first.size(); ++n) {
    std::sort(sorted.begin() + first[n], sorted.begin() + first[n + 1],
              [](const FlowEdge& a, const FlowEdge& b) {
                return a.to != b.to ? a.to < b.to : a.gain < b.gain;
              });
  }
  return sorted;
}

}  // namespace

CallCycles::CallCycles(uint32_t nodes, const std::vector<FlowEdge>& unsorted) {
  const std::vector<uint32_t> first = FirstOfEach(nodes, unsorted);
  std::vector<FlowEdge> edges = Sorted(unsorted, first);
  const Components components(nodes, edges, first);
  groups_.reserve(components.size());
  nodes_.reserve(nodes);
  for (size_t c = components.size(); c-- > 0;)
    AddGroup(components.NodesOf(c), edges, first, components.of());
  std::erase_if(edges, [&](const FlowEdge& edge) {
    return components.of()[edge.from] == components.of()[edge.to];
  });
  outer_ = std::move(edges);
  first_outer_ = FirstOfEach(nodes, outer_);
}

void CallCycles::AddGroup(std::span<const uint32_t> nodes, std::span<const FlowEdge> edges,
                          std::span<const uint32_t> first, std::span<const uint32_t> group_of) {
  Group group{.first_node = static_cast<uint32_t>(nodes_.size()),
              .nodes = static_cast<uint32_t>(nodes.size()),
              .first_inner = static_cast<uint32_t>(inner_.size()),
              .inner = 0};
  const auto place = [&](uint32_t node) {
    return static_cast<uint32_t>(std::lower_bound(nodes.begin(), nodes.end(), node) -
                                 nodes.begin());
  };
  for (const uint32_t node : nodes) {
    for (uint32_t e = first[node]; e < first[node + 1]; ++e) {
      if (group_of[edges[e].to] == group_of[node])
        inner_.push_back({place(node), place(edges[e].to), edges[e].gain});
    }
  }
  group.inner = static_cast<uint32_t>(inner_.size()) - group.first_inner;
  nodes_.insert(nodes_.end(), nodes.begin(), nodes.end());
  groups_.push_back(group);
}

}  // namespace iprof
