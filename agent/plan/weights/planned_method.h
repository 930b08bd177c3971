// PlannedMethod: for tests, a class's only method, and what weights say about its first branch. Ask
// takes it for the method f(I)I of a class a/T.
//
// Guarantees: it keeps all that the graph refers to. Threads: one per object. Failure: fails the test.
#pragma once

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "agent/plan/branch_weights.h"

namespace iprof::instrument {

class PlannedMethod {
 public:
  explicit PlannedMethod(std::vector<uint8_t> class_file) : bytes_(std::move(class_file)) {
    REQUIRE(file_.Parse(bytes_, arena_) == classfile::Reason::kOk);
    REQUIRE(code_.Decode(file_, file_.methods()[0], arena_) == classfile::Reason::kOk);
    REQUIRE(graph_.Build(code_, arena_, {}, nullptr) == classfile::Reason::kOk);
  }

  const classfile::MethodCode& code() const { return code_; }
  const MethodGraph& graph() const { return graph_; }
  // Of the ways of its first branch.
  std::vector<double> Ask(const BranchWeights& source) const {
    std::vector<double> weights(graph_.graph().edge_count(), kUnknownWeight);
    source.Weigh({"a/T", "f", "(I)I"}, graph_, weights);
    const MethodGraph::Recorded branch = graph_.recorded(0);
    return {weights.begin() + branch.first_edge,
            weights.begin() + branch.first_edge + branch.edge_count};
  }

 private:
  classfile::Arena arena_;
  std::vector<uint8_t> bytes_;
  classfile::ClassFile file_;
  classfile::MethodCode code_;
  MethodGraph graph_;
};

inline const std::vector<double> kUnknownIf{kUnknownWeight, kUnknownWeight};

}  // namespace iprof::instrument
