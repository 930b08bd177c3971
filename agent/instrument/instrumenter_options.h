// InstrumenterOptions: what is counted, and how, in all classes of a session.
//
// Guarantees: values only. Threads: any. Failure: none.
#pragma once

#include <cstdint>

#include "agent/classfile/rewriter.h"
#include "agent/instrument/probes/site_probes.h"
#include "agent/plan/branch_weights.h"
#include "agent/plan/placement.h"
#include "writer/base/lost_share.h"

namespace iprof::instrument {

struct InstrumenterOptions {
  bool calls = true;
  bool branches = true;
  SiteKinds sites;
  double receivers_max_lost =
      kMostLost;  // if a site lost a larger share of its objects, it is left out
  PlacementPolicy placement = PlacementPolicy::kAutomatic;
  bool self_check = false;
  uint32_t stripes = 1;
  // The longest method that HotSpot compiles, in bytes. No method may grow beyond it. 0: no limit.
  uint32_t huge_method_limit = classfile::kHugeMethodLimit;
  bool black_holes = false;  // some empty methods are black holes (kept_shapes.h)
  // Where the program is likely to be; must live as long as the instrumenter. Null: only guesses.
  const BranchWeights* weights = nullptr;
  // Whether class records name the callee of every call, and not only of those that compilers may
  // replace. FrozenCounts (writer/records) needs them.
  bool all_calls = false;
  bool call_edges = false;  // write calls by caller; needs all_calls
  // Whether class records have the source lines of recorded positions, and what virtual calls name.
  bool lines = true;
};

}  // namespace iprof::instrument
