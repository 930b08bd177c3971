#include "agent/harvest/guessed_blocks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "agent/harvest/block_counts.h"

namespace iprof::hotspot {
namespace {

constexpr int kHalvings = 40;
constexpr int kMostSteps =
    60;  // of the search for a probability; a few are enough for most methods
constexpr double kMostStay = 1 - 1e-9;
constexpr double kClose = 1e-6;  // relative difference of the jumps
// Of two ways, the one that compilers and people write for what seldom happens.
constexpr double kSeldom = 0.1;
constexpr double kThrows = 0.01;
constexpr double kRoundedUp = 1 + 1e-9;  // so that a block that is executed once never gets 0.999

struct Edge {
  uint32_t to = 0;
  bool is_back = false;
  bool leaves = false;  // a loop in which another successor stays
  double weight = 1;    // compared with that of the block's other edges
};

// Of a conditional branch, which way is seldom taken, as far as the instruction says: 0 the jump, 1 the way behind it.
// Two values are seldom equal, a reference is seldom null, and an index seldom is at the end of its array.
std::optional<size_t> SeldomWay(classfile::Op op, bool is_size) {
  using classfile::Op;
  switch (op) {
    case Op::ifnull:
    case Op::if_acmpeq:
    case Op::if_icmpeq:
      return 0;
    case Op::ifnonnull:
    case Op::if_acmpne:
    case Op::if_icmpne:
      return 1;
    case Op::if_icmpge:
    case Op::if_icmpgt:
      return is_size ? std::optional<size_t>(0) : std::nullopt;
    case Op::if_icmplt:
    case Op::if_icmple:
      return is_size ? std::optional<size_t>(1) : std::nullopt;
    default:
      return std::nullopt;
  }
}

// Where a block continues and with which share, ascending. Sorted in a vector, because there are two or three, and the
// flow is computed again for each step of the search.
class Shares {
 public:
  struct Share {
    uint32_t to;
    double share;
  };

  void Clear() { all_.clear(); }
  auto begin() const { return all_.begin(); }
  auto end() const { return all_.end(); }

  double Of(uint32_t to) const {
    const auto found = Place(to);
    return found == all_.end() || found->to != to ? 0 : found->share;
  }
  // Returns whether the block did not continue there before.
  bool Add(uint32_t to, double share) {
    const auto found = Place(to);
    const bool is_new = found == all_.end() || found->to != to;
    if (is_new) {
      all_.insert(found, {to, share});
    } else {
      all_[static_cast<size_t>(found - all_.begin())].share += share;
    }
    return is_new;
  }

 private:
  std::vector<Share>::const_iterator Place(uint32_t to) const {
    return std::lower_bound(all_.begin(), all_.end(), to,
                            [](const Share& one, uint32_t block) { return one.to < block; });
  }

  std::vector<Share> all_;
};

// The blocks' successors, and which of them leave a loop. A loop is what lies between the target of a
// jump backwards and the jump.
class Graph {
 public:
  Graph(std::span<const uint8_t> code, std::span<const CodeInstruction> instructions,
        const BlockSplit& split)
      : edges_(split.count), shares_(split.count), into_(split.count), flow_(split.count) {
    for (const uint32_t i : split.last) {
      const CodeInstruction& insn = instructions[i];
      std::vector<Edge>& from = edges_[split.of[i]];
      const auto jump = [&](uint32_t bci) {
        from.push_back({.to = split.BlockAt(bci), .is_back = bci <= insn.bci});
      };
      ForEachSuccessor(code, insn, jump);
      if (classfile::IsConditionalBranch(insn.op) && from.size() == 2) {
        const bool is_size = i > 0 && instructions[i - 1].op == classfile::Op::arraylength;
        if (const auto way = SeldomWay(insn.op, is_size)) from[*way].weight = kSeldom;
        for (Edge& edge : from) {
          if (instructions[split.last[edge.to]].op == classfile::Op::athrow) edge.weight = kThrows;
        }
      }
      if (!from.empty()) continue;
      if (const auto target = JumpTarget(code, insn)) {
        jump(*target);
      } else if (i + 1 < instructions.size() && !classfile::IsUnconditional(insn.op)) {
        from.push_back({.to = split.of[i + 1]});
      }
    }
    FindExits();
  }

  size_t size() const { return edges_.size(); }

  // How often each block is executed for one entry, if loops go on with this probability. Valid until the next call.
  const std::vector<double>& Flow(double stay) {
    const auto blocks = static_cast<uint32_t>(size());
    for (uint32_t b = 0; b < blocks; ++b) {
      shares_[b].Clear();
      into_[b].clear();
      for (const Edge& edge : edges_[b]) shares_[b].Add(edge.to, ShareOf(b, edge, stay));
    }
    for (uint32_t b = 0; b < blocks; ++b) {
      for (const auto& [to, share] : shares_[b]) into_[to].push_back(b);
    }
    // Leaves out block after block, from the last: those before it pass on what went through it.
    for (uint32_t k = blocks; k-- > 1;) {
      const double rounds = Rounds(k);
      for (size_t p = 0; p < into_[k].size(); ++p) {
        const uint32_t before = into_[k][p];
        if (before >= k) continue;
        const double through = shares_[before].Of(k) * rounds;
        for (const auto& [to, share] : shares_[k]) {
          if (to >= k) break;
          if (shares_[before].Add(to, through * share)) into_[to].push_back(before);
        }
      }
    }
    for (uint32_t k = 0; k < blocks; ++k) {
      double in = k == 0 ? 1 : 0;
      for (const uint32_t before : into_[k]) {
        if (before < k) in += flow_[before] * shares_[before].Of(k);
      }
      flow_[k] = in * Rounds(k);
    }
    return flow_;
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
    double leaving = 0;
    double staying = 0;
    for (const Edge& one : edges_[block]) (one.leaves ? leaving : staying) += one.weight;
    if (leaving == 0 || staying == 0) return edge.weight / (leaving + staying);
    return edge.leaves ? (1 - stay) * edge.weight / leaving : stay * edge.weight / staying;
  }

  // How often a block is executed for each time that it is reached from elsewhere.
  double Rounds(uint32_t block) const {
    return 1 / (1 - std::min(shares_[block].Of(block), kMostStay));
  }

  std::vector<std::vector<Edge>> edges_;
  std::vector<Shares> shares_;
  std::vector<std::vector<uint32_t>> into_;
  std::vector<double> flow_;
};

// How many jumps backwards there are for one entry if loops go on with this probability.
double JumpsAt(Graph& graph, double stay) { return graph.JumpsBack(graph.Flow(stay), stay); }

// A probability with which there are as many jumps as wanted, by halving from the middle on: so it ends in 0
// if there are always more, and in kMostStay if there are never enough.
double StayByHalving(Graph& graph, double wanted) {
  double low = 0;
  double high = kMostStay;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (JumpsAt(graph, middle) < wanted ? low : high) = middle;
  }
  return low;
}

// The same in fewer steps, if there are too few jumps at one end and enough at the other. (There may be too
// many at both: a loop that is left to the head of a loop around it has endless rounds whether it is always
// left or never.)
//
// The search is for x = log(stay / (1 - stay)), and compares logarithms of jumps. One loop has
// stay / (1 - stay) of them, so a straight line between two points meets what is wanted at once, and loops in
// loops are nearly as straight. Each third step halves the distance in any case.
double FindStay(Graph& graph, double wanted) {
  constexpr double kFar = 1e3;
  const double most = std::log(kMostStay / (1 - kMostStay));
  const auto stay_at = [](double x) { return 1 / (1 + std::exp(-x)); };
  const auto excess_at = [&](double x) {
    const double jumps = JumpsAt(graph, stay_at(x));
    if (std::isnan(jumps)) return kFar;  // too many for a number
    return std::clamp(std::log(jumps / wanted), -kFar, kFar);
  };
  double low = -most;
  double high = most;
  double below = excess_at(low);
  double above = excess_at(high);
  if (below >= 0 || above <= 0) return StayByHalving(graph, wanted);
  for (int step = 1; step < kMostSteps; ++step) {
    const double share = step % 3 == 0 ? 0.5 : below / (below - above);
    const double middle = low + (high - low) * share;
    const double excess = excess_at(middle);
    if (std::abs(excess) < kClose) return stay_at(middle);
    (excess < 0 ? low : high) = middle;
    (excess < 0 ? below : above) = excess;
  }
  return stay_at(low);
}

}  // namespace

std::vector<double> GuessFrequencies(std::span<const uint8_t> code,
                                     std::span<const CodeInstruction> instructions,
                                     uint64_t entries, uint64_t back_edges) {
  std::vector<double> result(instructions.size());
  const BlockSplit split = SplitBlocks(code, instructions);
  if (split.count == 0 || split.count > kMostGuessedBlocks || entries == 0) return result;
  Graph graph(code, instructions, split);
  const double wanted = static_cast<double>(back_edges) / static_cast<double>(entries);
  const double stay = back_edges == 0 ? 0 : FindStay(graph, wanted);
  const std::vector<double>& flow = graph.Flow(stay);
  const double jumps = graph.JumpsBack(flow, stay);
  if (jumps == 0 && back_edges > 0) return result;  // counts of other code
  // Where a loop has no exit, any probability gives too many jumps, and its blocks share those that
  // were counted. Blocks outside it are executed at most once for each entry.
  const double share = jumps > 0 ? std::min(1.0, wanted / jumps) : 1;
  // What was counted bounds a guess that the search did not reach.
  const double most = wanted + 1;
  for (size_t i = 0; i < result.size(); ++i) {
    const double of_entry = flow[split.of[i]];
    const double guess = std::max(std::min(of_entry, 1.0), of_entry * share);
    result[i] = std::isfinite(guess) ? std::min(guess, most) : most;
  }
  return result;
}

std::vector<uint64_t> GuessBlocks(std::span<const uint8_t> code,
                                  std::span<const CodeInstruction> instructions, uint64_t entries,
                                  uint64_t back_edges) {
  if (back_edges == 0) return std::vector<uint64_t>(instructions.size());
  const std::vector<double> frequencies = GuessFrequencies(code, instructions, entries, back_edges);
  const double most = static_cast<double>(back_edges) + static_cast<double>(entries);
  std::vector<uint64_t> result;
  result.reserve(frequencies.size());
  for (const double frequency : frequencies) {
    const double count = kRoundedUp * frequency * static_cast<double>(entries);
    result.push_back(static_cast<uint64_t>(std::min(count, most)));
  }
  return result;
}

}  // namespace iprof::hotspot
