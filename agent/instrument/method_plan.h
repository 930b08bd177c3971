// MethodPlanner: from a method's code to what is counted in it, for a given effort.
//
// Guarantees: the same code, wishes and effort give the same plan. It inserts nothing.
// agent/classfile finally decides whether a plan is possible; if not, the caller asks for a lighter
// effort. Keeps its memory between methods.
// Threads: one per planner. Failure: Plan returns the reason why this effort has no plan.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/classfile/rewriter.h"
#include "agent/instrument/probes/probe_emitter.h"
#include "agent/instrument/probes/site_probes.h"
#include "agent/instrument/trimming.h"
#include "agent/plan/branch_weights.h"
#include "agent/plan/method_graph.h"
#include "agent/plan/placement.h"
#include "writer/records/effort.h"

namespace iprof::instrument {

// What the user wants to be counted in every method.
struct CountingWishes {
  bool calls = true;
  bool branches = true;
  SiteKinds sites;
  PlacementPolicy placement = PlacementPolicy::kAutomatic;
  bool self_check = false;
};

class MethodPlanner {
 public:
  // Plans counters (if `counters`; `callees` may be null) and sites (if `sites`). The code must be
  // open in `rewriter`.
  struct Request {
    Effort effort;
    bool counters = true;
    bool sites = true;
    uint32_t room = UINT32_MAX;  // bytes that may be inserted
    bool striped = false;        // counters are in stripes
    bool fits_in_c1 = false;     // C1 must be able to compile the result (register_budget.h)
    bool force_inline = false;   // HotSpot inlines the method at any size
    CalleeNumbers* callees = nullptr;
    MethodNames names = {};                  // for `weights`
    const BranchWeights* weights = nullptr;  // null: none are known
  };
  classfile::Reason Plan(classfile::MethodCode& code, classfile::ClassRewriter& rewriter,
                         classfile::Arena& arena, const CountingWishes& wishes,
                         const Request& request);

  // The last plan.
  const ProbePlan& probes() const { return probes_; }  // without counters if none are wanted
  const std::vector<FoundSite>& sites() const { return sites_; }
  ProbeForm counter_form() const { return counter_form_; }
  ProbeForm site_form() const { return site_form_; }
  const LeftOut& left_out() const { return left_out_; }
  // For the self-check: the plan with which probes() is compared.
  const std::optional<ProbePlan>& reference() const { return reference_; }
  std::vector<BranchEdges> Branches() const { return graph_.Branches(); }
  void FillRecord(MethodRecord* record) const { graph_.FillRecord(probes_, record); }
  void DropSites() { sites_.clear(); }
  // A lower bound of the bytes that the plan inserts, including changes of switch padding.
  uint32_t LeastBytes() const;
  // How much the padding of all switches can change.
  uint32_t padding() const { return padding_; }

 private:
  classfile::Reason PlanAll(classfile::MethodCode& code, classfile::ClassRewriter& rewriter,
                            classfile::Arena& arena, const CountingWishes& wishes,
                            const Request& request);
  classfile::Reason PlanCounters(const classfile::MethodCode& code, classfile::Arena& arena,
                                 const CountingWishes& wishes, const Request& request);
  void CountEveryEdge();
  void ForgetCounters();
  void ChooseForms(const Request& request, ProbeForm counters, ProbeForm sites);
  bool FitsC1() const;
  bool C1MayInline(const classfile::MethodCode& code, const Request& request) const;
  classfile::Reason Trim(const Request& request);

  MethodGraph graph_;
  std::vector<double> weights_;  // of the graph's edges
  ProbePlanner planner_;
  Trimmer trimmer_;
  PlanOptions options_;
  ProbePlan probes_;
  std::optional<ProbePlan> reference_;
  std::vector<FoundSite> sites_;
  std::vector<uint32_t> site_lengths_;
  uint32_t padding_ = 0;
  ProbeForm counter_form_ = ProbeForm::kInline;
  ProbeForm site_form_ = ProbeForm::kInline;
  ProbeLengths lengths_{};
  RegisterCosts register_costs_{};
  uint32_t register_budget_ = 0;
  LeftOut left_out_;
};

// Chooses the lighter effort to try after `effort` failed for this reason; returns false if there
// is none. `room` is the number of bytes that may be inserted into the method.
bool MakeLighter(classfile::Reason reason, uint32_t room, Effort* effort);

}  // namespace iprof::instrument
