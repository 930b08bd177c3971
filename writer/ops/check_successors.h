// CheckSuccessors: the rules about one branch's or switch's triples (bci, index, count), for
// CheckProfile.
//
// Why they matter: the consumer adds up counts by index, finds a successor by its bci alone, takes
// bci -5 for "a further key of this index", and uses the index as an array index without a check.
// Counts are checked elsewhere.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "writer/ops/check_rules.h"

namespace iprof {

// `at`: position of the wrong integer in `values`, whose length is a positive multiple of 3.
using SuccessorReport =
    std::function<void(Rule rule, size_t at, std::string found, std::string expected)>;
void CheckSuccessors(std::span<const int64_t> values, const SuccessorReport& report);

}  // namespace iprof
