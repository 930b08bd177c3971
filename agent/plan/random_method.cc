#include "agent/plan/random_method.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

uint32_t Below(std::mt19937& random, uint32_t limit) {
  return std::uniform_int_distribution<uint32_t>(0, limit - 1)(random);
}

bool Chance(std::mt19937& random, double share) {
  return std::uniform_real_distribution<double>(0, 1)(random) < share;
}

// A block of the method before it is written as nodes and edges.
struct Block {
  enum Kind { kFallThrough, kJump, kIf, kSwitch, kReturn, kThrow } kind;
  std::vector<uint32_t> targets;
  bool wanted;  // its own count is required
  uint32_t ways_in = 0;
};

}  // namespace

void MakeRandomMethod(std::mt19937& random, const RandomShape& shape, CountingGraph* graph) {
  const uint32_t blocks = 1 + Below(random, shape.max_blocks);
  std::vector<Block> method(blocks);
  // Some methods have few exits, so that endless loops occur. Some jump only short distances, so
  // that loops nest.
  const bool near = Chance(random, 0.5);
  const double exits = Chance(random, 0.3) ? 0.05 : 0.25;
  for (uint32_t b = 0; b < blocks; ++b) {
    Block& block = method[b];
    auto target = [&] {
      if (!near || Chance(random, 0.1)) return Below(random, blocks);
      const uint32_t low = b < 3 ? 0 : b - 3;
      return low + Below(random, std::min(blocks, b + 5) - low);
    };
    block.wanted = Chance(random, shape.required_blocks);
    if (Chance(random, exits)) {
      block.kind = Chance(random, 0.7) ? Block::kReturn : Block::kThrow;
    } else if (b + 1 < blocks && Chance(random, 0.25)) {
      block.kind = Block::kFallThrough;
      block.targets = {b + 1};
    } else if (b + 1 < blocks && Chance(random, 0.7)) {
      block.kind = Block::kIf;
      block.targets = {target(), b + 1};
    } else if (Chance(random, 0.5)) {
      block.kind = Block::kSwitch;
      for (uint32_t slots = 1 + Below(random, 6); slots > 0; --slots) {
        block.targets.push_back(target());
      }
    } else {
      block.kind = Block::kJump;
      block.targets = {target()};
    }
  }
  struct Range {
    uint32_t first, end, handler;
    bool calls_only;
  };
  std::vector<Range> ranges;
  if (shape.handlers && Chance(random, 0.5)) {
    for (uint32_t n = 1 + Below(random, 4); n > 0; --n) {
      const uint32_t first = Below(random, blocks);
      const uint32_t end = first + 1 + Below(random, blocks - first);
      ranges.push_back({first, end, Below(random, blocks), Chance(random, 0.3)});
    }
  }
  std::vector<uint8_t> is_handler(blocks, 0);
  for (const Range& r : ranges) is_handler[r.handler] = 1;

  method[0].ways_in = 1;
  for (uint32_t b = 0; b < blocks; ++b) {
    method[b].ways_in += is_handler[b];
    for (uint32_t t : method[b].targets) ++method[t].ways_in;
  }

  graph->Clear();
  std::vector<NodeId> in(blocks), out(blocks);
  for (uint32_t b = 0; b < blocks; ++b) {
    in[b] = out[b] = graph->AddNode(2 * b);
    if (method[b].wanted && method[b].ways_in > 1) out[b] = graph->AddNode(2 * b);
    CountingNode& node = graph->node(out[b]);
    node.may_throw = Chance(random, shape.throwing_blocks);
    node.calls = node.may_throw && Chance(random, 0.5);
    node.caught = node.may_throw && Chance(random, shape.caught_blocks);
    graph->node(out[b]).cold = method[b].kind == Block::kThrow;
  }
  auto end_of = [&](uint32_t b) { return b < blocks ? in[b] : NodeId{graph->node_count()}; };

  const EdgeId entry = graph->AddEdge(EdgeKind::kEntry, kRoot, in[0]);
  graph->Require(entry);
  for (uint32_t b = 0; b < blocks; ++b) {
    if (is_handler[b] != 0) graph->AddEdge(EdgeKind::kHandler, kRoot, in[b], 2 * b);
    if (in[b] != out[b]) {
      graph->Require(graph->AddEdge(EdgeKind::kInside, in[b], out[b], 2 * b));
    }
  }
  for (uint32_t b = 0; b < blocks; ++b) {
    const Block& block = method[b];
    const uint32_t last = 2 * b + 1;
    const bool ask = Chance(random, shape.required_branches);
    for (uint32_t i = 0; i < block.targets.size(); ++i) {
      EdgeKind kind = EdgeKind::kJump;
      if (block.kind == Block::kFallThrough) kind = EdgeKind::kFallThrough;
      if (block.kind == Block::kIf) kind = i == 0 ? EdgeKind::kTaken : EdgeKind::kNotTaken;
      if (block.kind == Block::kSwitch) kind = EdgeKind::kSlot;
      const EdgeId e = graph->AddEdge(kind, out[b], in[block.targets[i]], last, i);
      if (ask && (block.kind == Block::kIf || block.kind == Block::kSwitch)) graph->Require(e);
    }
    if (block.kind == Block::kReturn) graph->AddEdge(EdgeKind::kReturn, out[b], kRoot, last);
    if (block.kind == Block::kThrow) graph->AddEdge(EdgeKind::kThrow, out[b], kRoot, last);
  }
  for (uint32_t e = 0; e < graph->edge_count(); ++e) {
    const CountingEdge& edge = graph->edge(EdgeId{e});
    const uint32_t b = edge.dst == kRoot ? 0 : graph->node(edge.dst).first_insn / 2;
    if (edge.dst != kRoot && method[b].wanted && method[b].ways_in == 1) graph->Require(EdgeId{e});
  }
  for (const Range& r : ranges) {
    graph->AddHandlerRange({end_of(r.first), end_of(r.end), in[r.handler], r.calls_only});
  }
  graph->Finish();
}

RandomRun RunRandomly(std::mt19937& random, const CountingGraph& graph, uint32_t calls,
                      uint32_t max_steps, double throw_chance) {
  RandomRun run;
  run.edge_count.assign(graph.edge_count(), 0);
  std::vector<uint32_t> handler_edge(graph.node_count(), UINT32_MAX);
  for (uint32_t e : graph.Out(Index(kRoot))) {
    if (graph.edge(EdgeId{e}).kind == EdgeKind::kHandler) {
      handler_edge[Index(graph.edge(EdgeId{e}).dst)] = e;
    }
  }
  // The handler that catches what leaves `node`, or the root. Types are not modelled: each range
  // that may catch it does so with probability 2/3, and the first one that does is used.
  auto thrown_from = [&](NodeId node, bool by_athrow) {
    for (const HandlerRange& r : graph.ranges()) {
      if (node < r.first || node >= r.end || Chance(random, 1.0 / 3)) continue;
      if (!by_athrow && !r.MayCatch(graph.node(node))) continue;
      ++run.edge_count[handler_edge[Index(r.handler)]];
      return r.handler;
    }
    ++run.unwinds;
    return kRoot;
  };
  for (uint32_t call = 0; call < calls; ++call) {
    ++run.edge_count[0];
    NodeId at = graph.edge(EdgeId{0}).dst;
    for (uint32_t step = 0; at != kRoot; ++step) {
      if (step == max_steps) {
        ++run.live;
        ++run.imbalances;
        break;
      }
      if (graph.node(at).may_throw && Chance(random, throw_chance)) {
        // What leaves a caught block disturbs nothing.
        if (!graph.node(at).caught) ++run.imbalances;
        at = thrown_from(at, false);
        continue;
      }
      const auto out = graph.Out(Index(at));
      const uint32_t e = out[Below(random, static_cast<uint32_t>(out.size()))];
      ++run.edge_count[e];
      const CountingEdge& edge = graph.edge(EdgeId{e});
      at = edge.kind == EdgeKind::kThrow ? thrown_from(at, true) : edge.dst;
    }
  }
  return run;
}

}  // namespace iprof::instrument
