// PartRule: the shape of a part (agent_section.h), and how merges unite it.
//
// A source that records something new has a line for its part in the table of part_rules.cc; then `iprof check` knows its shape,
// and merges unite it. Parts whose union needs more than both texts (samples, estimates, runs, images, and what belongs to
// positions) are united in writer/ops/merge_extras.cc. A part without any rule is kept only if it is the same in all profiles.
//
// Example: snapshots {"files":1,"generation":12, …} and {"files":2,"generation":7, …} become {"files":3,"generation":12, …}.
//
// Guarantees: unite is commutative and associative. Threads: any; pure functions. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace iprof {

struct PartRule {
  std::string_view part;
  std::string_view shape;  // what a valid one is, for messages: "a list of runs"
  bool (*is_valid)(std::string_view json);
  // Of two valid ones. Null: merge_extras.cc unites them, or they are not united.
  std::string (*unite)(std::string_view left, std::string_view right) = nullptr;
  // Of a profile whose counts are multiplied by `weight` in a merge. Null: the part stays as it is.
  std::string (*multiply)(std::string_view json, int64_t weight) = nullptr;
};

// All, in the order in which their shapes are checked.
std::span<const PartRule> PartRules();
// Null: the table has no rule for this part.
const PartRule* RuleOf(std::string_view part);

}  // namespace iprof
