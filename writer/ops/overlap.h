// Overlap: how similar the distributions of counts in two profiles are: the sum over all keys of
// the smaller of both shares.
//
// Guarantees: 1 for identical distributions (with any totals), 0 for disjoint ones,
// symmetric. A key is (context, outcome) for branches, where the outcome is the successor's bci,
// not its index (branch_outcomes.h); (context, class) for receivers, monitors and instanceof; and
// the context for calls and samples. A table that is empty in both profiles has no overlap; if it
// is empty in one, the overlap is 0.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct TableOverlap {
  Table table = Table::kCalls;
  std::optional<double> overlap;  // empty: the table is empty in both
  int64_t total_a = 0;
  int64_t total_b = 0;
  size_t keys_in_both = 0;
  size_t keys_only_in_a = 0;
  size_t keys_only_in_b = 0;
};

struct MethodOverlap {
  std::string method;                // DescribeMethod's text
  std::vector<TableOverlap> tables;  // those with counts in either profile
};

// The part of the tables that belongs to methods that are so sure.
struct SurenessOverlap {
  Sureness::Kind sureness = Sureness::Kind::kUnknown;  // the less sure of both profiles
  std::vector<TableOverlap> tables;                    // those with counts in either profile
};

struct ProfileOverlap {
  std::vector<TableOverlap> tables;    // all of them, in the format's order
  std::vector<MethodOverlap> methods;  // those that match the pattern, by name
  // The surest first; empty if no profile says how sure its methods are. Without samples and monitors.
  std::vector<SurenessOverlap> by_sureness;
};

// If method_pattern is empty, there is no per-method part. Patterns are as in summary.h. Shares
// within a method are relative to that method's total, so its overlap can be 1 even if its
// weight changed. So are those of methods that are equally sure.
ProfileOverlap ComputeOverlap(const Profile& a, const Profile& b,
                              std::string_view method_pattern = {});

}  // namespace iprof
