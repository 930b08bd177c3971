#include "agent/hotspot/harvest/guessed_blocks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "agent/hotspot/harvest/block_counts.h"

namespace iprof::hotspot {
namespace {

constexpr int kHalvings = 40;
constexpr double kMostStay = 1 - 1e-9;

struct Edge {
  uint32_t to = 0;
  bool is_back = false;
  bool leaves = false;  // a loop in which another successor stays
};

// The blocks' successors, and which of them leave a loop. A loop is what lies between the target of a
// jump backwards and the jump.
class Graph {
 public:
  Graph(std::span<const uint8_t> code, std::span<const CodeInstruction> instructions,
        const BlockSplit& split)
      : edges_(split.count) {
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const CodeInstruction& insn = instructions[i];
      const bool is_last = i + 1 == instructions.size() || split.of[i + 1] != split.of[i];
      if (!is_last) continue;
      std::vector<Edge>& from = edges_[split.of[i]];
      const auto jump = [&](uint32_t bci) {
        from.push_back({split.BlockAt(bci), bci <= insn.bci, false});
      };
      ForEachSuccessor(code, insn, jump);
      if (!from.empty()) continue;
      if (const auto target = JumpTarget(code, insn)) {
        jump(*target);
      } else if (i + 1 < instructions.size() && !classfile::IsUnconditional(insn.op)) {
        from.push_back({split.of[i + 1], false, false});
      }
    }
    FindExits();
  }

  size_t size() const { return edges_.size(); }

  // How often each block is executed for one entry, if loops go on with this probability.
  std::vector<double> Flow(double stay) const {
    const auto blocks = static_cast<uint32_t>(size());
    std::vector<std::map<uint32_t, double>> shares = Shares(stay);
    std::vector<std::vector<uint32_t>> into(blocks);
    for (uint32_t b = 0; b < blocks; ++b) {
      for (const auto& [to, share] : shares[b]) into[to].push_back(b);
    }
    // Leaves out block after block, from the last: those before it pass on what went through it.
    for (uint32_t k = blocks; k-- > 1;) {
      const double rounds = Rounds(shares[k], k);
      for (size_t p = 0; p < into[k].size(); ++p) {
        const uint32_t before = into[k][p];
        if (before >= k) continue;
        const double through = shares[before][k] * rounds;
        for (const auto& [to, share] : shares[k]) {
          if (to >= k) break;
          const auto [known, is_new] = shares[before].try_emplace(to, 0);
          known->second += through * share;
          if (is_new) into[to].push_back(before);
        }
      }
    }
    std::vector<double> flow(blocks);
    for (uint32_t k = 0; k < blocks; ++k) {
      double in = k == 0 ? 1 : 0;
      for (const uint32_t before : into[k]) {
        if (before < k) in += flow[before] * shares[before][k];
      }
      flow[k] = in * Rounds(shares[k], k);
    }
    return flow;
  }

  double JumpsBack(std::span<const double> flow, double stay) const {
    double sum = 0;
    for (uint32_t b = 0; b < size(); ++b) {
      for (const Edge& edge : edges_[b]) {
        if (edge.is_back) sum += flow[b] * ShareOf(b, edge, stay);
      }
    }
    return sum;
  }

 private:
  void FindExits() {
    // The last block of the outermost loop that begins at each block, and how deep each block is.
    std::vector<std::pair<uint32_t, uint32_t>> loops;
    for (uint32_t b = 0; b < size(); ++b) {
      for (const Edge& edge : edges_[b]) {
        if (edge.is_back) loops.emplace_back(edge.to, b);
      }
    }
    for (uint32_t b = 0; b < size(); ++b) {
      for (const std::pair<uint32_t, uint32_t>& loop : loops) {
        const auto inside = [&](uint32_t block) {
          return loop.first <= block && block <= loop.second;
        };
        if (!inside(b)) continue;
        const auto stays = std::count_if(edges_[b].begin(), edges_[b].end(),
                                         [&](const Edge& edge) { return inside(edge.to); });
        if (stays == 0) continue;
        for (Edge& edge : edges_[b]) edge.leaves = edge.leaves || !inside(edge.to);
      }
    }
  }

  double ShareOf(uint32_t block, const Edge& edge, double stay) const {
    const auto all = static_cast<double>(edges_[block].size());
    const auto leaving = static_cast<double>(std::count_if(
        edges_[block].begin(), edges_[block].end(), [](const Edge& one) { return one.leaves; }));
    if (leaving == 0 || leaving == all) return 1 / all;
    return edge.leaves ? (1 - stay) / leaving : stay / (all - leaving);
  }

  std::vector<std::map<uint32_t, double>> Shares(double stay) const {
    std::vector<std::map<uint32_t, double>> shares(size());
    for (uint32_t b = 0; b < size(); ++b) {
      for (const Edge& edge : edges_[b]) shares[b][edge.to] += ShareOf(b, edge, stay);
    }
    return shares;
  }

  // How often a block is executed for each time that it is reached from elsewhere.
  static double Rounds(const std::map<uint32_t, double>& shares, uint32_t block) {
    const auto again = shares.find(block);
    return again == shares.end() ? 1 : 1 / (1 - std::min(again->second, kMostStay));
  }

  std::vector<std::vector<Edge>> edges_;
};

}  // namespace

std::vector<uint64_t> GuessBlocks(std::span<const uint8_t> code,
                                  std::span<const CodeInstruction> instructions, uint64_t entries,
                                  uint64_t back_edges) {
  std::vector<uint64_t> result(instructions.size());
  const BlockSplit split = SplitBlocks(code, instructions);
  if (split.count == 0 || split.count > kMostGuessedBlocks || entries == 0 || back_edges == 0)
    return result;
  const Graph graph(code, instructions, split);
  const double wanted = static_cast<double>(back_edges) / static_cast<double>(entries);
  double low = 0;
  double high = kMostStay;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (graph.JumpsBack(graph.Flow(middle), middle) < wanted ? low : high) = middle;
  }
  const std::vector<double> flow = graph.Flow(low);
  const double jumps = graph.JumpsBack(flow, low);
  if (jumps == 0) return result;
  // Where a loop has no exit, any probability gives too many jumps, and its blocks share those that
  // were counted. Blocks outside it are executed at most once for each entry.
  const double share = std::min(1.0, wanted / jumps);
  // What was counted bounds a guess that the halving did not reach.
  const double most = static_cast<double>(back_edges) + static_cast<double>(entries);
  for (size_t i = 0; i < result.size(); ++i) {
    const double of_entry = flow[split.of[i]];
    const double count =
        std::max(std::min(of_entry, 1.0), of_entry * share) * static_cast<double>(entries);
    result[i] = static_cast<uint64_t>(std::isfinite(count) ? std::min(count, most) : most);
  }
  return result;
}

}  // namespace iprof::hotspot
