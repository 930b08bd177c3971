// ProfileDiff: what is different between two profiles, the most important first.
//
// An item's weight is its entry's share of its table's total, the larger of both profiles; its
// movement is from 0 to 1: half the sum of the differences of probabilities (branches, receivers,
// monitors), the relative change of the share (calls, samples), 1 for what only one profile has.
// Importance is weight times movement, so that a branch that turned round in cold code comes after
// one that shifted a little in the hottest loop. Shares, not counts, are compared: a run twice as
// long is no difference. Nor is another order or numbering of a branch's successors: its outcomes
// are told apart by bci, as the consumer does (branch_outcomes.h).
//
// Guarantees: a profile has no difference to itself; diff(B, A) has the items of diff(A, B) with
// sides swapped and equal importance; order is by importance, then table and names. Pure; never
// fails.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/model/model.h"

namespace iprof {

struct DiffOptions {
  double threshold = 0.05;  // movements below are left out
};

enum class DiffKind : uint8_t { kOnlyInA, kOnlyInB, kMoved };

// One outcome of a site in both profiles: a successor ("bci 53"; "bci 53, hidden" where a later one
// has the same bci, and "no bci" where it has none: the consumer adds those to the total only) or a
// class.
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
  std::vector<DiffOutcome> outcomes;  // of a moved site, the one that moved most first
};

struct ProfileDiff {
  std::vector<DiffItem> items;
  // Declared in one only; by number of calls, then by name.
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
