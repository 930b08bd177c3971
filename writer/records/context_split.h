// SplitByCallers: divides the counts of one call or branch among its callers, as stacks of random executions show them, and
// only where the callers matter.
//
// The stacks are a tree with the innermost callers at the root. A context is written if some outcome's share in it differs
// from that in the next shorter context that is written by more than kLeastShift, and if that is no chance: the shorter
// context's share lies outside Wilson's interval of the longer one's at kDeviations standard deviations (one wrong
// context in a thousand). So 11 stacks of 11 are enough against a half, and 5 are not. A context may be written although those between
// it and the root are not: a method that only hands its calls on says nothing itself.
//
// Example: a branch went 600 times to 20 and 400 times to 30. Of 50 stacks that begin with caller A all went to 20, of 50 that
// begin with B 10 did. A differs from the whole (100 % and 60 %), and so does B. So A gets 500 and 0, B 100 and 400, and
// nothing is left without a caller.
//
// Guarantees: entries are disjoint: each stack counts in the longest written context that it begins with. For each
// outcome, the entries' counts add up to the exact count; an outcome without stacks is divided as all stacks are. The first
// entry has no callers. The same input gives the same entries. Stacks that are cut count for the shorter contexts.
// Threads: any; a pure function. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace iprof {

inline constexpr double kLeastShift = 0.1;
inline constexpr double kDeviations = 3.3;

using CallerNumber = uint64_t;  // of a position in a method

struct OutcomeStack {
  uint32_t outcome;  // a number below that of the exact counts
  uint32_t count;
  std::vector<CallerNumber> callers;  // innermost first
};

struct ContextCounts {
  std::vector<CallerNumber> callers;  // innermost first
  std::vector<int64_t> counts;        // by outcome
  bool operator==(const ContextCounts&) const = default;
};

std::vector<ContextCounts> SplitByCallers(std::span<const int64_t> exact,
                                          std::span<const OutcomeStack> stacks);

}  // namespace iprof
