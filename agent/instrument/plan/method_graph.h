// MethodGraph: a method's bytecode as a FlowGraph, and a plan for it as a site record.
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
// Places, as calls of the class-file room's MethodEditor (a probe's slot is that room's slot):
//     kMethodEntry        OnEntry
//     kHandlerEntry       OnHandler(insn)
//     kBlockHead, kBefore Before(insn)
//     kAfter              OnEdge(insn, kFallThrough)
//     kTaken, kSlot       OnEdge(insn, slot)
//
// Guarantees: every if and switch of reachable code that is kept (all are, but for KeepOnly) has one
// successor per edge in the record, in the profile's order, at its original bcis; a call site's count is how often control got to it (a
// block is split where an exception could come in between). Code that a catch-any handler cannot
// protect (before super() returns) is marked unguarded, a block that exceptions may leave for code
// that goes on is marked caught (caught_exceptions.h). A method with
// jsr/ret is direct_only() and reports no call sites, because flow through ret is not in the graph.
//
// Not thread-safe; the code and arena must live until FillRecord. Failure: the class-file room's
// reason, and nothing is said about the method.
#pragma once

#include <span>
#include <vector>

#include "agent/classfile/code.h"
#include "agent/classfile/flow_graph.h"
#include "agent/instrument/plan/branch_check.h"
#include "agent/instrument/plan/caught_exceptions.h"
#include "agent/instrument/plan/flow_graph.h"
#include "agent/instrument/plan/placement.h"
#include "writer/methods/site_record.h"

namespace iprof::instrument {

// Decides which calls at invokestatic, invokespecial and invokevirtual sites are wanted: those
// whose callee's entry counter may miss calls, because the compiler replaces the call (intrinsics).
class CalleeNumbers {
 public:
  static constexpr uint32_t kNotWanted = UINT32_MAX;
  virtual ~CalleeNumbers() = default;
  // The caller's number for the callee of the invoke instruction at `insn`.
  virtual uint32_t NumberOf(const classfile::MethodCode& code, classfile::Insn insn) = 0;
};

struct MethodGraphOptions {
  bool branches = true;
  bool caught = true;  // false, for comparison: no block is marked caught
};

class MethodGraph {
 public:
  // `callees` may be null: no call sites.
  classfile::Reason Build(const classfile::MethodCode& code, classfile::Arena& arena,
                          const MethodGraphOptions& options, CalleeNumbers* callees);

  const FlowGraph& graph() const { return graph_; }
  bool direct_only() const { return direct_only_; }
  // False in a constructor whose code before super() cannot be told from the rest: the rewriter
  // would refuse a catch-any handler there, and the whole method with it.
  bool can_count_unwinds() const { return can_count_unwinds_; }

  // What the record will tell: an if or a switch, or how often a call was reached.
  struct Recorded {
    classfile::Insn insn;
    uint32_t first_edge;  // in the profile's order, consecutive
    uint32_t edge_count;
    bool is_call;
  };
  // Branches in code order, then calls in code order. Some may be in code that never runs.
  uint32_t recorded_count() const {
    return static_cast<uint32_t>(branches_.size() + calls_.size());
  }
  Recorded recorded(uint32_t number) const;
  // From now on only these (1; by number) are required and recorded, besides the method's calls.
  void KeepOnly(std::span<const uint8_t> kept);
  // From now on each tableswitch of more slots than this is counted by one probe.
  void CountTablesByKey(uint32_t slots);
  // The block that an instruction belongs to, as a node of the graph.
  NodeId NodeOf(classfile::Insn insn) const;

  // Derivation, certificate, branches and calls; the caller adds klass, method, context and
  // counter_base. Sites in code that never runs are left out.
  void FillRecord(const ProbePlan& plan, MethodRecord* record) const;

  // The edges of each if and switch, in the profile's order.
  std::vector<BranchEdges> Branches() const;

 private:
  struct Branch {
    classfile::Insn insn;
    uint32_t first_edge;  // in the profile's order, consecutive
    uint32_t edge_count;
    bool kept = true;
    bool by_key = false;
  };
  struct Call {
    classfile::Insn insn;
    uint32_t callee;
    NodeId node;    // that begins where the call does, as far as exceptions can tell
    uint32_t edge;  // its only way in
    bool kept = true;
  };

  void FindCalls(const classfile::MethodCode& code, const classfile::FlowGraph& flow,
                 CalleeNumbers* callees);
  void AddNodes(const classfile::MethodCode& code, const classfile::FlowGraph& flow);
  bool IsUnguarded(classfile::Insn i) const;
  void MarkThrowing(classfile::Insn i, NodeId node);
  void AddEdges(const classfile::MethodCode& code, const classfile::FlowGraph& flow, bool branches);
  void AddWaysOut(const classfile::MethodCode& code, const classfile::FlowGraph& flow,
                  uint32_t block, bool branches);

  const classfile::MethodCode* code_ = nullptr;
  FlowGraph graph_;
  bool direct_only_ = false;
  bool can_count_unwinds_ = true;
  CaughtExceptions caught_;
  std::vector<NodeId> in_, out_;    // by block: where edges arrive and start
  std::vector<uint8_t> unguarded_;  // by instruction; empty outside constructors
  std::vector<Branch> branches_;
  std::vector<Call> calls_;
};

}  // namespace iprof::instrument
