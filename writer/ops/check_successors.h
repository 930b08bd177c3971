// CheckSuccessors: the rules about one branch's or switch's triples (bci, index, count), for
// CheckProfile.
//
// Why they matter: the consumer adds up counts by index, finds a successor by its bci alone, takes
// bci -5 for "a further key of this index", and uses the index as an array index without a check.
// Counts are checked elsewhere.
//
// The table does not say whether a position has an `if` or a switch. But a switch with several
// targets is long, and no target lies inside it, whereas the fall-through of an `if` is three bytes
// after its position. So a site with more than two outcomes, one of which is inside the switch that
// it would need, has the outcomes of different code.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "writer/ops/check_rules.h"

namespace iprof {

// The bytes that a switch at `bci` with so many targets has at least.
int64_t LeastSwitchBytes(int64_t bci, size_t targets);

// `branch_bci`: the position of the branch; less than 0 if it is not known. `at`: position of the wrong integer in `values`, whose length is a positive multiple of 3.
using SuccessorReport =
    std::function<void(Rule rule, size_t at, std::string found, std::string expected)>;
void CheckSuccessors(std::span<const int64_t> values, int64_t branch_bci,
                     const SuccessorReport& report);

}  // namespace iprof
