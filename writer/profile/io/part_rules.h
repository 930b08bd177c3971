// PartRule: how the same part (agent_section.h) of two profiles becomes that of their merge.
//
// A source that records something new has its part's rule in the table of part_rules.cc, and merges know it. Parts whose
// union needs more than both texts are united in writer/ops/merge_extras.cc: samples, estimates, runs, images, and what belongs
// to positions. A part without any rule is kept only if it is the same in all profiles.
//
// Example: snapshots {"files":1,"generation":12, …} and {"files":2,"generation":7, …} become {"files":3,"generation":12, …}.
//
// Guarantees: unite is commutative and associative. Threads: any; pure functions. Failure: std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

namespace iprof {

struct PartRule {
  std::string_view part;
  // Whether this JSON object is such a part.
  bool (*is_valid)(std::string_view json);
  // Of two valid ones.
  std::string (*unite)(std::string_view left, std::string_view right);
};

// Null: the table has no rule for this part.
const PartRule* RuleOf(std::string_view part);

}  // namespace iprof
