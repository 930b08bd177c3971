// ProfileDiff: the differences of two profiles, the most important first.
//
// An item's weight is its entry's share of its table's total, the larger one of both profiles. Its
// movement is a number from 0 to 1: half the sum of the differences of probabilities (branches,
// receivers, type checks), 1 if only one profile has it, or for calls and samples the relative
// change of its count beyond what the length of the run explains. Importance is weight times
// movement, so that a reversed branch in cold code comes after a slightly changed one in the
// hottest loop. The order or numbering of a branch's successors makes no difference: outcomes are
// identified by bci, as in the consumer (branch_outcomes.h).
//
// The length of a run: if B has R times the calls of A, an entry's count may have grown R times (it
// is in the loop that ran longer), or not at all (it is in the start-up), or anything in between.
// Only what is outside is a movement. The classes of locked objects are compared in the same way.
// If the profiles say that one recording is a later state of the other, or that it was clearly
// longer, loops may have grown more than all counts together (run_length.h); and the same holds for
// each outcome of a branch, call site or type check, because the start-up may go other ways than
// the loops.
//
// Chance: counts are taken for the outcome of a random process. The standard error of a count n is
// the root of n, that of a share p of n executions the root of p(1-p)/n. A movement is left out if
// it is within so many of them that chance alone would go beyond, at any entry of the table, with
// the probability `chance` only. Samples have weights, so that a count is one of fewer events: the
// profile's statistics of sampling say how many (docs/format.md). Where there is no sample, one is
// as likely.
//
// Code: where a method's code differs, by the hashes in the profiles, its positions mean other
// things. What has one of them is left out: its branches, call sites and type checks, and stacks
// and contexts that go through it. Its calls are compared, and so are its samples by method.
//
// Samples are compared three times: by whole stack, by the innermost method (leaf), and by method
// anywhere on the stack. There are so many different stacks that each has few samples; the other
// two find what changed all the same.
//
// Guarantees: a profile does not differ from itself, nor from its multiples; diff(B, A) has the
// items of diff(A, B) with sides swapped and equal importance; order is by importance, then table,
// scope and names.
// Threads: any; a pure function. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct DiffOptions {
  double threshold = 0.05;    // smaller movements are left out
  double min_weight = 0.001;  // entries with smaller weights are left out
  double chance = 0.01;       // 0: nothing is taken for chance
};

enum class DiffKind : uint8_t { kOnlyInA, kOnlyInB, kMoved };
// What is compared: an entry, or of samples also what is gathered by method.
enum class DiffScope : uint8_t { kEntry, kLeaf, kMethod };

// One outcome of a site in both profiles: a class, or a successor: "bci 53"; "bci 53, hidden" if
// a later one has the same bci; "no bci" if it has none. The consumer adds the last two only to
// the total.
struct DiffOutcome {
  std::string name;
  std::optional<Bci> bci = {};         // of a successor that has one
  std::optional<TypeIndex> type = {};  // of a class, in the united profile
  double share_a = 0;
  double share_b = 0;
};

struct DiffItem {
  Table table = Table::kCalls;
  DiffKind kind = DiffKind::kMoved;
  DiffScope scope = DiffScope::kEntry;
  std::string context;              // DescribeContext's text, or the method's; the monitors': empty
  ContextIndex place = kNoContext;  // of an entry, in the united profile
  MethodIndex method = kNoMethod;   // of what is gathered by method
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
  Profile united;  // types, methods and contexts of both
  std::vector<DiffItem> items;
  // Declared in one profile only; by number of calls, then by name.
  std::vector<std::string> methods_only_in_a;
  std::vector<std::string> methods_only_in_b;
  std::vector<std::string> types_only_in_a;  // by name
  std::vector<std::string> types_only_in_b;
};

ProfileDiff DiffProfiles(const Profile& a, const Profile& b, const DiffOptions& options = {});

}  // namespace iprof
