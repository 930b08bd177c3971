// MethodGraph: a method's bytecode as a CountingGraph, and a plan for it as a method record.
//
//     MethodGraph method;                                  // one per thread, reused
//     ProbePlanner planner;  ProbePlan plan;  MethodRecord record;
//     if (method.Build(code, arena, {}, nullptr) != Reason::kOk) leave it;
//     PlanOptions options;
//     if (method.direct_only()) options.policy = PlacementPolicy::kDirect;
//     options.count_unwinds = method.can_count_unwinds();
//     planner.Plan(method.graph(), options, &plan);
//     for each plan.probes[i]: insert "counter base + i" at its place;     // table below
//     if (plan.unwind_counter != kNoCounter) editor.CatchAll(that counter's snippet);
//     method.FillRecord(plan, &record);                    // then klass, method, counter_base
//
// Places, as calls of agent/classfile's MethodEditor (a probe's slot is the editor's slot):
//     kMethodEntry        OnEntry
//     kHandlerEntry       OnHandler(insn)
//     kBlockHead, kBefore Before(insn)
//     kAfter              OnEdge(insn, kFallThrough)
//     kTaken, kSlot       OnEdge(insn, slot)
//
// Guarantees: every if and switch in reachable code (after KeepOnly: each one that is kept) has one
// successor per edge in the record, in the profile's order, at its original bcis. A call site's
// count is how often control reached the call (a block is split where an exception could happen in
// between). Code that a catch-any handler cannot protect (before super() returns) is marked
// unguarded. A block that exceptions may leave for code that continues normally is marked caught
// (caught_exceptions.h). A method with jsr or ret is direct_only() and reports no call sites,
// because the graph does not contain flow through ret.
// Threads: one per object. The code and arena must live until FillRecord.
// Failure: Build returns agent/classfile's reason.
#pragma once

#include <span>
#include <vector>

#include "agent/classfile/code.h"
#include "agent/classfile/control_flow_graph.h"
#include "agent/plan/branch_check.h"
#include "agent/plan/caught_exceptions.h"
#include "agent/plan/counting_graph.h"
#include "agent/plan/placement.h"
#include "writer/records/method_record.h"

namespace iprof::instrument {

// Decides which calls that name their callee are counted: those whose callee's entry counter may miss
// calls, because compilers replace the call (intrinsics), or all.
class CalleeNumbers {
 public:
  static constexpr uint32_t kNotWanted = UINT32_MAX;
  virtual ~CalleeNumbers() = default;
  // The caller's own number for the callee of the invoke instruction at `insn`, or kNotWanted.
  virtual uint32_t NumberOf(const classfile::MethodCode& code, classfile::Insn insn) = 0;
};

struct MethodGraphOptions {
  bool branches = true;
  bool caught = true;  // false, for comparison: no block is marked as caught
};

class MethodGraph {
 public:
  // `callees` may be null: no call sites.
  classfile::Reason Build(const classfile::MethodCode& code, classfile::Arena& arena,
                          const MethodGraphOptions& options, CalleeNumbers* callees);

  const CountingGraph& graph() const { return graph_; }
  bool direct_only() const { return direct_only_; }
  // False for a constructor whose code before super() cannot be told from the rest. The rewriter
  // would refuse a catch-any handler there, and with it the whole method.
  bool can_count_unwinds() const { return can_count_unwinds_; }

  // What the record will contain: an if or a switch, or how often a call was reached.
  struct Recorded {
    classfile::Insn insn;
    uint32_t first_edge;  // consecutive, in the profile's order
    uint32_t edge_count;
    bool is_call;
  };
  // Branches in code order, then calls in code order. Some may be in code that never runs.
  uint32_t recorded_count() const {
    return static_cast<uint32_t>(branches_.size() + calls_.size());
  }
  Recorded recorded(uint32_t number) const;
  // From now on only the branches and calls with 1 in `kept`, which is by number, are required and
  // recorded, besides the method's calls.
  void KeepOnly(std::span<const uint8_t> kept);
  // From now on one probe counts each tableswitch with more slots than this.
  void CountTablesByKey(uint32_t slots);
  // What a source of weights compares: the code, and the positions of branches and of their targets.
  const classfile::MethodCode& code() const { return *code_; }
  uint32_t BciOf(classfile::Insn insn) const { return code_->OffsetOf(insn); }
  uint32_t TargetOf(uint32_t branch_edge) const;
  // The graph's node for the block of an instruction.
  NodeId NodeOf(classfile::Insn insn) const;

  // Fills in derivation, certificate, branches and calls. The caller adds klass, method, context
  // and counter_base. Sites in code that never runs are left out.
  void FillRecord(const ProbePlan& plan, MethodRecord* record) const;

  // The edges of each if and switch, in the profile's order.
  std::vector<BranchEdges> Branches() const;

 private:
  struct Branch {
    classfile::Insn insn;
    uint32_t first_edge;  // consecutive, in the profile's order
    uint32_t edge_count;
    bool kept = true;
    bool by_key = false;
  };
  struct Call {
    classfile::Insn insn;
    uint32_t callee;
    NodeId node;    // it begins at the call, or earlier if no exception can happen in between
    uint32_t edge;  // its only incoming edge
    bool kept = true;
  };

  void FindCalls(const classfile::MethodCode& code, const classfile::ControlFlowGraph& flow,
                 CalleeNumbers* callees);
  void AddNodes(const classfile::MethodCode& code, const classfile::ControlFlowGraph& flow);
  bool IsUnguarded(classfile::Insn i) const;
  void MarkThrowing(classfile::Insn i, NodeId node);
  void AddEdges(const classfile::MethodCode& code, const classfile::ControlFlowGraph& flow,
                bool branches);
  void AddWaysOut(const classfile::MethodCode& code, const classfile::ControlFlowGraph& flow,
                  uint32_t block, bool branches);

  const classfile::MethodCode* code_ = nullptr;
  CountingGraph graph_;
  bool direct_only_ = false;
  bool can_count_unwinds_ = true;
  CaughtExceptions caught_;
  std::vector<NodeId> in_, out_;    // by block: where edges arrive and start
  std::vector<uint8_t> unguarded_;  // by instruction; only in constructors
  std::vector<Branch> branches_;
  std::vector<Call> calls_;
};

}  // namespace iprof::instrument
