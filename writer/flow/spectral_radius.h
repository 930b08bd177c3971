// SpectralRadius: the largest factor by which going round a strongly connected graph once multiplies
// what flows in it, on average of each step.
//
// Power iteration on the matrix of gains plus the radius found so far. So it converges for cycles of
// any length, and soon, however far the gains are apart.
//
// Guarantees: pure; finite for gains that are at least 0 and at most 1e18; linear in the edges.
// Cycles of more than some 20 steps and unequal gains may be off by a few percent.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <span>

#include "writer/flow/flow_edge.h"

namespace iprof {

double SpectralRadius(size_t nodes, std::span<const FlowEdge> edges);

}  // namespace iprof
