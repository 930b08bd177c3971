// Branch outcomes: the meaning of a branch's triples (successor bci, index, count), and how lists
// of them are added.
//
// An index has a meaning only within its list: writers number a branch's targets as they like, and
// the consumer adds up counts per index and then finds a successor by its bci alone. So lists are
// compared and added by outcome, not by index, and an outcome is a bci:
//  - The triples of one index are one outcome, named by its real bci. Its triples with bci -5 are
//    further keys of a switch that lead there.
//  - Several indices of one list may have the same bci (both sides of an `if` meet). They are the
//    same outcome. The consumer takes the last of them and loses the others, so a list should have
//    one triple for each bci, with the sum. Files of other writers, and our older files, have more.
//  - No known writer gives one index several real bcis. If a file does so, the outcome's name is
//    the first of these bcis that the consumer maps to this index; if none is mapped to it, the
//    first bci.
//  - All indices without a real bci are one outcome, named -5, which only adds to the total.
//
// Guarantees of the sum:
//  - Lists of the same shape (the same bcis and indices in the same order) are added triple by
//    triple, and the sum has that shape: the order of a switch's keys and the writer's numbering
//    are kept.
//  - Otherwise the sum has one triple for each outcome, by bci, numbered from 0.
//  - So the sum does not depend on the order or the grouping of the lists, adding a list n times
//    gives n times its counts, and the total is kept. If no bci has two indices, the consumer
//    gets for each bci the sum of what it gets from the lists: probabilities are weighted by the
//    lists' totals.
//  - Counts saturate. Time is n log n.
// Threads: any; pure functions. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

// "A further key of this index", instead of a successor's bci.
inline constexpr int64_t kRepeatedSuccessorBci = -5;

// The bci of each triple's outcome.
std::vector<int64_t> OutcomesOf(std::span<const Successor> list);

bool SameShape(std::span<const Successor> a, std::span<const Successor> b);

std::vector<Successor> SumOfSuccessors(std::span<const std::span<const Successor>> lists);

// The same outcomes with one triple each, numbered from 0 in order of first appearance. The
// consumer reads such a list without loss.
std::vector<Successor> OneTripleEach(std::span<const Successor> list);
// The same, in place of what `made` has.
void OneTripleEach(std::span<const Successor> list, std::vector<Successor>* made);

}  // namespace iprof
