// BranchCheck: do derived counts keep the direction of branches? It is for the same-run oracle
// (self_check.h), which knows what a branch did and what the profile would say.
//
// A branch is inverted if one of its ways really took 70 % or more of the executions and is written
// with less than half. It is off if the written share of any way differs by more than one
// percentage point. Branches with fewer than 1,000 executions are ignored.
//
// Guarantees: pure arithmetic. Threads: one per object. Failure: none.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iprof::instrument {

// The edges of one if or switch are consecutive.
struct BranchEdges {
  uint32_t bci;
  uint32_t first_edge;
  uint32_t edge_count;
};

struct BranchCheck {
  static constexpr uint64_t kFewestExecutions = 1000;

  uint64_t compared = 0;
  uint64_t left_out = 0;  // not written, because exceptions may have changed its counts
  uint64_t inverted = 0;
  uint64_t off = 0;  // including the inverted ones
  double largest_points = 0;
  std::vector<std::string> examples;  // the first few that are off

  // Both spans are by way: what happened, and what is written. `where` names the branch.
  void Compare(std::string_view where, std::span<const uint64_t> truth,
               std::span<const uint64_t> written);
};

}  // namespace iprof::instrument
