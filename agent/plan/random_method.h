// Random methods and random runs of them, for tests and benchmarks: graphs of every shape that
// bytecode allows, and walks that know the truth.
//
// RandomMethod makes graphs with loops (also irreducible ones), self loops, parallel edges,
// switches with shared targets, unreachable blocks, endless loops, several exits, nested and
// overlapping handlers, and split blocks. RunRandomly walks through a graph as threads would: it
// throws in the middle of blocks, unwinds, is caught, and stays inside at the end.
//
// Guarantees: the same seed gives the same method and run. Threads: one per generator. Failure:
// none.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "agent/plan/counting_graph.h"

namespace iprof::instrument {

struct RandomShape {
  uint32_t max_blocks = 12;
  double throwing_blocks = 0.5;  // share of blocks that may throw in the middle
  double caught_blocks = 0.2;    // share of blocks across which nothing may be derived
  double required_branches = 1;  // share of branches whose edges are required
  double required_blocks = 0.2;  // share of blocks whose count is required (split if necessary)
  bool handlers = true;
};

// Fills *graph and finishes it.
void MakeRandomMethod(std::mt19937& random, const RandomShape& shape, CountingGraph* graph);

struct RandomRun {
  std::vector<uint64_t> edge_count;  // the truth, by edge number
  uint64_t unwinds = 0;              // frames that an exception ended
  uint64_t live = 0;                 // frames that had not ended
  uint64_t imbalances = 0;  // exits from the middle of a block that is not caught, and live frames
};

// `calls` activations of at most `max_steps` edges each. An activation that reaches the limit is a
// live frame.
RandomRun RunRandomly(std::mt19937& random, const CountingGraph& graph, uint32_t calls,
                      uint32_t max_steps, double throw_chance);

}  // namespace iprof::instrument
