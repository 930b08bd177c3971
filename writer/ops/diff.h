// ProfileDiff: the differences of two profiles, the most important first.
//
// An item's weight is its entry's share of its table's total, the larger one of both profiles. Its
// movement is a number from 0 to 1: half the sum of the differences of probabilities (branches,
// receivers, monitors), the relative change of the share (calls, samples), or 1 if only one profile
// has it. Importance is weight times movement, so that a reversed branch in cold code comes after a
// slightly changed one in the hottest loop. Shares are compared, not counts, so that the length of
// a run makes no difference. Neither does the order or numbering of a branch's successors: outcomes
// are identified by bci, as in the consumer (branch_outcomes.h).
//
// Guarantees: a profile does not differ from itself; diff(B, A) has the items of diff(A, B) with
// sides swapped and equal importance; order is by importance, then table and names.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/model/model.h"

namespace iprof {

struct DiffOptions {
  double threshold = 0.05;  // smaller movements are left out
};

enum class DiffKind : uint8_t { kOnlyInA, kOnlyInB, kMoved };

// One outcome of a site in both profiles: a class, or a successor: "bci 53"; "bci 53, hidden" if
// a later one has the same bci; "no bci" if it has none. The consumer adds the last two only to
// the total.
struct DiffOutcome {
  std::string name;
  double share_a = 0;
  double share_b = 0;
};

struct DiffItem {
  Table table = Table::kCalls;
  DiffKind kind = DiffKind::kMoved;
  std::string context;  // DescribeContext's text; the monitors': empty
  double importance = 0;
  double weight = 0;
  double movement = 0;
  int64_t total_a = 0;
  int64_t total_b = 0;
  double share_a = 0;  // of the table's total
  double share_b = 0;
  std::vector<DiffOutcome> outcomes;  // of a changed site, the largest change first
};

struct ProfileDiff {
  std::vector<DiffItem> items;
  // Declared in one profile only; by number of calls, then by name.
  std::vector<std::string> methods_only_in_a;
  std::vector<std::string> methods_only_in_b;
  std::vector<std::string> types_only_in_a;  // by name
  std::vector<std::string> types_only_in_b;

  bool empty() const {
    return items.empty() && methods_only_in_a.empty() && methods_only_in_b.empty() &&
           types_only_in_a.empty() && types_only_in_b.empty();
  }
};

ProfileDiff DiffProfiles(const Profile& a, const Profile& b, const DiffOptions& options = {});

}  // namespace iprof
