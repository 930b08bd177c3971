// FlowEdge: how often one entry of a method enters another, on average.
//
// Guarantees: a plain value. Threads: any. Failure: none.
#pragma once

#include <cstdint>

namespace iprof {

struct FlowEdge {
  uint32_t from = 0;
  uint32_t to = 0;
  double gain = 0;
};

}  // namespace iprof
