// EstimateCalls: how often each method of a harvested program was really called.
//
// Why: HotSpot stops counting a method when C2 has compiled it, and each method at another moment.
// What it counted inside a method keeps its shares, though. So how often a method calls another one
// per entry is known, and entries follow from the flow through the whole program:
//
//  1. One entry of a caller executes a call site as often as its block was counted, divided by the
//     caller's counted invocations.
//     A method without MethodData that loops has guessed counts (harvest/guessed_blocks.h). Few entries may be
//     untypical, so they are mixed with what the code suggests, as if that had been seen in 16 entries.
//  2. A call goes to the method that it names, or that its call site's handle leads to
//     (harvest/handle_reader.h), or, if it is virtual, to those of the receivers that were recorded.
//     The unlisted rest goes to the implementations of the classes without a row, by how often each
//     was called beyond what is listed elsewhere. Those that have less than a tenth of the largest
//     part get nothing, unless nothing is known of them. Classes of one name share a call of another loader's class.
//  3. FlowSolver (flow_solver.h) adds up, with the raw counts as floors. Where nothing can have escaped the
//     counters of a method (complete_counts.h), they are its ceiling, too: nothing flows in, and each
//     of its calls passes on what was counted there, plus what its entries before there was a MethodData can have done.
//
// Example: of the 2,512 entries of a method, two are in its MethodData, and both called sort. The code suggests one
// call in ten entries: (2 + 16 * 0.1) / (2 + 16) = 0.2 for the other 2,510, so sort was called 504 times. If sort was counted 7
// times, never compiled, and can be in no compiled code, it was called 7 times.
//
// Three corrections: what is called through other handles flows in from outside (unseen_calls.h); a
// method that mostly loops (counted in its loop, but hardly entered) is scaled by what its callees
// counted; and the body of an intrinsic, which compiled callers do not run, passes on what was
// counted in it and no more.
//
// What was counted in superseded copies of a lambda is no lower bound: they are called as often as the
// receivers of their callers say, with the shares of their own counts.
//
// Guarantees: pure; finite; never below what was counted, except for these copies. The order of methods makes no difference,
// but for rounding and for classes of the same name.
// Threads: any. Failure: none but std::bad_alloc. Calls that cannot be resolved pass on nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/harvest/harvest_profile.h"
#include "agent/harvest/harvested_program.h"

namespace iprof::hotspot {

// For the note in the profile; another name whenever the result changes.
inline constexpr char kEstimatorName[] = "flow-11";

// How far calls are passed on.
enum class Growth : uint8_t {
  kFull,
  // Callers of which few entries were counted, or none, call others as often as was counted and no more.
  kOfMany,
};

struct Estimate {
  // By method. Its calls are estimated from the fewest entries that were counted of all callers on the way on which most of
  // them come. If at least half of them were counted, in it or at its callers, they are bounded. If most of them come unseen, they are
  // guessed.
  std::vector<MethodScale> scales;
  uint32_t recursive_groups = 0;
};

Estimate EstimateCalls(const HarvestedProgram& program, Growth growth = Growth::kFull);

}  // namespace iprof::hotspot
