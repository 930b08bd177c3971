#include "cli/views/report/block_executions.h"

#include <algorithm>
#include <unordered_map>

namespace iprof {
namespace {

struct Block {
  size_t first;  // instructions [first, end)
  size_t end;
  std::vector<uint32_t> in;   // edges
  std::vector<uint32_t> out;  // edges
  bool is_closed = true;      // all that flows in comes through `in` and the entry
  std::optional<int64_t> count;
};

// The blocks and edges of a method, and what is known of them.
class Flow {
 public:
  Flow(std::span<const ListedInstruction> code, int64_t calls, const BranchCounts& branches)
      : code_(code), calls_(calls) {
    FindBlocks();
    for (uint32_t b = 0; b < blocks_.size(); ++b) AddEdges(b, branches);
  }

  void Solve() {
    std::vector<uint32_t> changed(blocks_.size());
    for (uint32_t b = 0; b < blocks_.size(); ++b) changed[b] = b;
    // Each round fills in at least one number, or is the last. `changed` has the blocks with a neighbour that has changed.
    while (!changed.empty()) {
      std::vector<uint32_t> next;
      for (const uint32_t b : changed) Visit(b, next);
      std::sort(next.begin(), next.end());
      next.erase(std::unique(next.begin(), next.end()), next.end());
      changed = std::move(next);
    }
  }

  // Handlers of which nothing is known become what is seen in them. Solve again afterwards.
  void AssumeHandlers(const std::map<Bci, int64_t>& seen) {
    for (Block& block : blocks_) {
      if (block.is_closed || block.count) continue;
      block.count = SeenIn(block, seen);
    }
  }
  // The most that was seen of an instruction of the block.
  int64_t SeenIn(const Block& block, const std::map<Bci, int64_t>& seen) const {
    int64_t most = 0;
    for (auto at = seen.lower_bound(code_[block.first].bci);
         at != seen.end() && at->first <= code_[block.end - 1].bci; ++at)
      most = std::max(most, at->second);
    return most;
  }

  const std::vector<Block>& blocks() const { return blocks_; }
  const std::vector<BlockEdge>& edges() const { return edges_; }
  Bci BciOf(const Block& block) const { return code_[block.first].bci; }

 private:
  void FindBlocks() {
    std::unordered_map<Bci, size_t> at;
    for (size_t i = 0; i < code_.size(); ++i) at[code_[i].bci] = i;
    std::vector<bool> starts(code_.size() + 1, false);
    if (!code_.empty()) starts[0] = true;
    for (size_t i = 0; i < code_.size(); ++i) {
      if (code_[i].is_handler) starts[i] = has_handlers_ = true;
      if (!code_[i].targets.empty() || !code_[i].falls_through) starts[i + 1] = true;
      for (const Bci target : code_[i].targets) starts[at.at(target)] = true;
    }
    for (size_t i = 0; i < code_.size(); ++i) {
      if (starts[i]) blocks_.push_back({i, i, {}, {}, !code_[i].is_handler, {}});
      blocks_.back().end = i + 1;
      block_at_[code_[i].bci] = static_cast<uint32_t>(blocks_.size() - 1);
    }
  }

  void AddEdges(uint32_t b, const BranchCounts& branches) {
    const ListedInstruction& last = code_[blocks_[b].end - 1];
    std::vector<Bci> targets = last.targets;
    if (last.falls_through && blocks_[b].end < code_.size())
      targets.push_back(code_[blocks_[b].end].bci);
    std::sort(targets.begin(), targets.end());
    targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
    const auto counted = branches.find(last.bci);
    int64_t elsewhere = 0;  // what the profile says of other positions, as images' own profiles do
    size_t missing = 0;
    int64_t all = 0;
    if (counted != branches.end()) {
      for (const auto& [bci, count] : counted->second) {
        all = SaturatingAdd(all, count);
        if (!std::binary_search(targets.begin(), targets.end(), static_cast<Bci>(bci)))
          elsewhere = SaturatingAdd(elsewhere, count);
      }
      missing = static_cast<size_t>(std::count_if(targets.begin(), targets.end(), [&](Bci target) {
        return counted->second.find(target) == counted->second.end();
      }));
    }
    // An image build folded this branch and later ones into a switch. Which way leads there is not known.
    const bool is_folded = elsewhere > 0 && missing == 0;
    // With handlers, what flows in is more than what ran, because an exception's way counts twice: to the end of the block that it
    // left, and from the handler. So the branch's own count is nearer.
    const bool tells_all = b != 0 && has_handlers_ && counted != branches.end() && elsewhere == 0;
    if (is_folded || tells_all) blocks_[b].count = all;
    for (const Bci target : targets) {
      std::optional<int64_t> count;
      if (counted != branches.end() && !is_folded) {
        const auto outcome = counted->second.find(target);
        if (outcome != counted->second.end()) {
          count = outcome->second;
        } else if (elsewhere == 0 || missing == 1) {
          count = elsewhere;
        }
      }
      const auto edge = static_cast<uint32_t>(edges_.size());
      const uint32_t to = block_at_.at(target);
      edges_.push_back({b, to, count, 0});
      blocks_[b].out.push_back(edge);
      blocks_[to].in.push_back(edge);
    }
  }

  // The sum of the known ones; the others are added to `unknown`.
  int64_t SumOfKnown(const std::vector<uint32_t>& edges, std::vector<uint32_t>& unknown) const {
    int64_t sum = 0;
    for (const uint32_t e : edges) {
      if (edges_[e].count) {
        sum = SaturatingAdd(sum, *edges_[e].count);
      } else {
        unknown.push_back(e);
      }
    }
    return sum;
  }

  void Visit(uint32_t b, std::vector<uint32_t>& next) {
    Block& block = blocks_[b];
    std::vector<uint32_t> unknown_in;
    std::vector<uint32_t> unknown_out;
    const int64_t in = SaturatingAdd(SumOfKnown(block.in, unknown_in), b == 0 ? calls_ : 0);
    const int64_t out = SumOfKnown(block.out, unknown_out);
    if (!block.count) {
      if (block.is_closed && unknown_in.empty()) {
        block.count = in;
      } else if (!block.out.empty() && unknown_out.empty()) {
        block.count = out;
      } else {
        return;
      }
    }
    const auto settle = [&](uint32_t e, int64_t count) {
      edges_[e].count = std::max<int64_t>(count, 0);
      next.push_back(edges_[e].from);
      next.push_back(edges_[e].to);
    };
    if (*block.count == 0) {
      for (const uint32_t e : unknown_in) settle(e, 0);
      for (const uint32_t e : unknown_out) settle(e, 0);
      return;
    }
    if (unknown_out.size() == 1) settle(unknown_out[0], *block.count - out);
    if (block.is_closed && unknown_in.size() == 1 && edges_[unknown_in[0]].from != b)
      settle(unknown_in[0], *block.count - in);
  }

  std::span<const ListedInstruction> code_;
  int64_t calls_;
  bool has_handlers_ = false;
  std::vector<Block> blocks_;
  std::vector<BlockEdge> edges_;
  std::unordered_map<Bci, uint32_t> block_at_;
};

}  // namespace

std::vector<BlockExecutions> CountBlocks(std::span<const ListedInstruction> instructions,
                                         int64_t calls, const BranchCounts& branches) {
  Flow flow(instructions, calls, branches);
  flow.Solve();
  std::vector<BlockExecutions> result;
  for (const Block& block : flow.blocks()) result.push_back({flow.BciOf(block), block.count});
  return result;
}

MethodFlow CountFlow(std::span<const ListedInstruction> instructions, int64_t calls,
                     const BranchCounts& branches, const std::map<Bci, int64_t>& seen) {
  Flow flow(instructions, calls, branches);
  flow.Solve();
  MethodFlow result;
  for (const Block& block : flow.blocks())
    result.blocks.push_back({block.first, block.end, block.count, 0});
  result.edges = flow.edges();
  flow.AssumeHandlers(seen);
  flow.Solve();
  for (size_t b = 0; b < result.blocks.size(); ++b) {
    const Block& assumed = flow.blocks()[b];
    result.blocks[b].assumed = assumed.count.value_or(flow.SeenIn(assumed, seen));
  }
  for (size_t e = 0; e < result.edges.size(); ++e)
    result.edges[e].assumed = flow.edges()[e].count.value_or(0);
  return result;
}

}  // namespace iprof
