// Branch outcomes: what a branch's triples (successor bci, index, count) mean, and how lists of them
// are added.
//
// An index is a number within one list only: writers number a branch's targets as they like, and
// the consumer adds counts up per index and then finds a successor by its bci alone. So lists are
// compared and added by outcome, not by index:
//  - The triples of one index are one outcome. Its name is its real bci; its triples with bci -5 are
//    further keys of a switch that lead there.
//  - Several indices of one list may have one bci (both sides of an `if` meet). The consumer takes
//    the last of them: rank 0. The ones before it are ranks 1, 2 ... backwards, and count for the
//    branch's total only.
//  - No writer gives one index several real bcis. Where it stands, the outcome is named by the first
//    of them at which the consumer takes this index (by the first of all where it takes it at none).
//    Lists of different shapes cannot be added for the others, whose share only one list knows: they
//    become further keys.
//  - Indices without a real bci are one outcome together, named -5, which counts for the total only.
//
// Guarantees of the sum:
//  - Lists of one shape (the same bcis and indices in the same order) are added triple by triple,
//    and the shape stays: the order of a switch's keys, the numbering of whoever wrote them.
//  - Otherwise the k-th triple of an outcome is added to the k-th (real bcis before -5), and the sum
//    has a shape that depends on the outcomes alone: by bci, rank 0 last within a bci, numbered from
//    0; of each outcome one triple with its bci, then its further keys with -5.
//  - So the sum does not depend on the order or the grouping of the lists, n times a list is the
//    list with n times its counts, and what the consumer gets for each bci is the sum of what it
//    gets from the lists: probabilities are weighted by the lists' totals.
//  - Counts saturate. Time is n log n. Pure; out of memory throws std::bad_alloc.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/model.h"

namespace iprof {

// "A further key of this index", in place of a successor's bci.
inline constexpr int64_t kRepeatedSuccessorBci = -5;

struct Outcome {
  int64_t bci = kRepeatedSuccessorBci;
  uint32_t rank = 0;
  auto operator<=>(const Outcome&) const = default;
};

// The outcome of each triple.
std::vector<Outcome> OutcomesOf(std::span<const Successor> list);

bool SameShape(std::span<const Successor> a, std::span<const Successor> b);

std::vector<Successor> SumOfSuccessors(std::span<const std::span<const Successor>> lists);

}  // namespace iprof
