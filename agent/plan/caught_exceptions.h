// CaughtExceptions: which blocks an exception may leave without leaving the method: a call in a try
// block whose catch continues normally.
//
// Why: programs use such exceptions as results (a lookup that always ends in "not found"), so they
// can be as frequent as anything else. A block that they leave has an edge that is not counted.
// Counts that are derived across the block would be wrong by all of them. So such blocks are marked
// (CountingNode::caught), and the planner derives nothing across them. A handler that only throws
// (finally, synchronized, a catch that wraps the exception) does not continue normally: such an
// exception ends the call, is rarely frequent, and is covered by the certificate.
//
// Guarantees: linear time except for nested ranges; keeps its memory between methods. Threads: one
// per object. Failure: none.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/plan/counting_graph.h"

namespace iprof::instrument {

class CaughtExceptions {
 public:
  // The graph must be finished.
  void Mark(CountingGraph& graph);

 private:
  void FindNodesThatGoOn(const CountingGraph& graph);

  std::vector<uint8_t> goes_on_;  // by node: it leads to a return, or to code that runs normally
  std::vector<uint32_t> work_;
};

}  // namespace iprof::instrument
