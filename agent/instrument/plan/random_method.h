// Random methods and random runs of them, for tests and benchmarks: graphs of every shape that
// bytecode allows, and walks that know the truth.
//
// RandomMethod makes graphs with loops (irreducible ones too), self loops, parallel edges, switches
// with shared targets, unreachable blocks, endless loops, several exits, nested and overlapping
// handlers, split blocks. RunRandomly walks through one as threads would, throwing in the middle of
// blocks, unwinding, being caught, and staying inside at the end. Deterministic for a seed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "agent/instrument/plan/flow_graph.h"

namespace iprof::instrument {

struct RandomShape {
  uint32_t max_blocks = 12;
  double throwing_blocks = 0.5;  // share of blocks that may throw in the middle
  double caught_blocks = 0.2;    // share of those across which nothing is to be derived
  double required_branches = 1;  // share of branches whose edges are asked for
  double required_blocks = 0.2;  // share of blocks whose count is asked for (split where needed)
  bool handlers = true;
};

// Fills *graph (finished).
void MakeRandomMethod(std::mt19937& random, const RandomShape& shape, FlowGraph* graph);

struct RandomRun {
  std::vector<uint64_t> edge_count;  // the truth, by edge number
  uint64_t unwinds = 0;              // frames that an exception ended
  uint64_t live = 0;                 // frames that had not ended
  uint64_t imbalances = 0;  // leaves in the middle of a block that is not caught, and live frames
};

// `calls` activations of at most `max_steps` edges each; an activation that reaches the limit is a
// live frame.
RandomRun RunRandomly(std::mt19937& random, const FlowGraph& graph, uint32_t calls,
                      uint32_t max_steps, double throw_chance);

}  // namespace iprof::instrument
