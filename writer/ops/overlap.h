// Overlap: how alike two profiles distribute their counts: the sum over all keys of the smaller of
// both shares.
//
// Guarantees: 1 for identical distributions (whatever their totals), 0 for disjoint ones,
// symmetric. A key is (context, outcome) for branches, which go by the successor's bci and not by
// its index (branch_outcomes.h), (context, class) for receivers, monitors and instanceof, the
// context alone for calls and samples. A table that is empty in both profiles has no overlap; empty
// in one, 0. Pure functions; never fail.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/model/model.h"

namespace iprof {

struct TableOverlap {
  Table table = Table::kCalls;
  std::optional<double> overlap;  // none: nothing in either
  int64_t total_a = 0;
  int64_t total_b = 0;
  size_t keys_in_both = 0;
  size_t keys_only_in_a = 0;
  size_t keys_only_in_b = 0;
};

struct MethodOverlap {
  std::string method;                // DescribeMethod's text
  std::vector<TableOverlap> tables;  // those with counts in either
};

struct ProfileOverlap {
  std::vector<TableOverlap> tables;    // all of them, in the format's order
  std::vector<MethodOverlap> methods;  // those that the pattern means, by name
};

// method_pattern empty: no per-method part. Patterns as in summary.h. Shares within a method are of
// that method's total, so that it can overlap fully though its weight changed.
ProfileOverlap ComputeOverlap(const Profile& a, const Profile& b,
                              std::string_view method_pattern = {});

}  // namespace iprof
