// OutcomeFindings: branches with more outcomes than an `if` has, kept until it is known what that means.
//
// In code, it is an error: outcomes of different code were added. But image builds fold a cascade of `if` on one value into
// a switch, and inline, so the branches of their profiles are not those of one method's code. A method has a hash of its code
// (writer/profile/io/code_part.h) if its branches come from there. The hashes follow the tables. Example: a merge of an image's profile with
// one of the agent has both kinds.
//
// Guarantees: errors become branch-outcomes, others branch-folded. Memory is in proportion to the findings.
// Threads: one. Failure: a part that cannot be read, or that belongs to other methods, has no hashes; std::bad_alloc.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/ops/check.h"

namespace iprof {

class OutcomeFindings {
 public:
  // `finding` is of Rule::kBranchOutcomes.
  void Add(int64_t method, Finding finding) { found_.emplace_back(method, std::move(finding)); }
  bool empty() const { return found_.empty(); }
  // Reports all of them. `code_part`: its text, or empty. `recorded`: the ids of the methods for which it has a place, in
  // any order.
  void Report(std::string_view code_part, std::vector<int64_t> recorded,
              const FindingHandler& report);

 private:
  std::vector<std::pair<int64_t, Finding>> found_;  // with the methods' ids
};

}  // namespace iprof
