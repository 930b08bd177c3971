// Which blocks an exception may leave without leaving the method: a call in a try block whose catch
// goes on. Programs use such exceptions as results (a look-up that ends in "not found", each time),
// so that they can be as frequent as anything else. A block that they leave has an edge that nobody
// counts; counts derived across it would be wrong by all of them. So such blocks are marked
// (FlowNode::caught), and the planner derives nothing across them.
//
// A handler that only throws (finally, synchronized, a catch that wraps the exception) does not go
// on: what it catches ends the call, is rarely frequent, and is bounded by the certificate.
//
// Linear but for nested ranges; keeps its memory between methods. One a thread.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/instrument/plan/flow_graph.h"

namespace iprof::instrument {

class CaughtExceptions {
 public:
  // The graph must be finished.
  void Mark(FlowGraph& graph);

 private:
  void FindNodesThatGoOn(const FlowGraph& graph);

  std::vector<uint8_t> goes_on_;  // by node: leads to a return, or into code that runs normally
  std::vector<uint32_t> work_;
};

}  // namespace iprof::instrument
