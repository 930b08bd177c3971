#include "agent/instrument/method_plan.h"

#include <algorithm>
#include <utility>

#include "agent/plan/held_monitors.h"

namespace iprof::instrument {
namespace {

using classfile::MethodCode;
using classfile::Reason;
using Step = Effort::Step;

constexpr uint32_t kMostPadding = 3;  // of one switch

uint32_t PaddingOf(const MethodCode& code) {
  uint32_t padding = 0;
  for (const uint16_t jump : code.jumps()) {
    if (classfile::IsSwitch(code.at(jump).op)) padding += kMostPadding;
  }
  return padding;
}

uint32_t InlinableCalls(const MethodCode& code) {
  uint32_t calls = 0;
  for (classfile::Insn i = 0; i < code.count(); ++i) {
    const classfile::Op op = code.at(i).op;
    if (op == classfile::Op::invokevirtual || op == classfile::Op::invokespecial ||
        op == classfile::Op::invokestatic)
      ++calls;
  }
  return calls;
}

bool IsAboutLength(Reason reason) {
  return reason == Reason::kCrossesHugeMethodLimit || reason == Reason::kCodeTooLong ||
         reason == Reason::kBranchTooFar || reason == Reason::kFramesTooLarge ||
         reason == Reason::kTableTooLong;
}

// Reasons that a lighter plan may avoid: usually sites cause them.
bool IsAboutSites(Reason reason) {
  return reason == Reason::kUninitializedReceiver || reason == Reason::kNoReceiver ||
         reason == Reason::kBadStack || reason == Reason::kTooManyLocals ||
         reason == Reason::kStackTooDeep;
}

}  // namespace

Reason MethodPlanner::Plan(MethodCode& code, classfile::ClassRewriter& rewriter,
                           classfile::Arena& arena, const CountingWishes& wishes,
                           const Request& request) {
  const Reason reason = PlanAll(code, rewriter, arena, wishes, request);
  if (reason != Reason::kOk || request.effort.step == Step::kCallsOnly) return reason;
  return HeldMonitors(code).RefuseAny(probes_) ? Reason::kMonitorHeld : Reason::kOk;
}

Reason MethodPlanner::PlanAll(MethodCode& code, classfile::ClassRewriter& rewriter,
                              classfile::Arena& arena, const CountingWishes& wishes,
                              const Request& request) {
  const Step step = request.effort.step;
  const ProbeForm form = step == Step::kAsAsked ? ProbeForm::kInline : ProbeForm::kCompact;
  ChooseForms(request, form, form);
  register_budget_ = request.fits_in_c1 ? RegisterBudget(static_cast<uint32_t>(code.code().size()),
                                                         InlinableCalls(code))
                                        : UINT32_MAX;
  padding_ = PaddingOf(code);
  left_out_ = {};
  left_out_.everything = step == Step::kCallsOnly;
  ForgetCounters();
  reference_.reset();
  sites_.clear();
  site_lengths_.clear();
  if (request.sites && request.effort.sites && step != Step::kCallsOnly)
    FindSites(code, wishes.sites, arena, &sites_);
  const bool trimmed = step == Step::kTrimmed;
  if (request.counters || trimmed) {
    const Reason reason = PlanCounters(code, arena, wishes, request);
    if (reason != Reason::kOk) return reason;
  }
  if (!sites_.empty() && step != Step::kAsAsked) {
    classfile::MethodEditor scratch = rewriter.Edit(code);
    site_lengths_ = SiteProbeLengths(sites_, request.effort.inherited, scratch);
  }
  if (trimmed) return Trim(request);
  if (step == Step::kAsAsked && (C1MayInline(code, request) || !FitsC1()))
    ChooseForms(request, ProbeForm::kInline, ProbeForm::kCompact);
  return FitsC1() || step == Step::kCallsOnly ? Reason::kOk : Reason::kCodeTooLong;
}

void MethodPlanner::ChooseForms(const Request& request, ProbeForm counters, ProbeForm sites) {
  const bool inherited = request.effort.inherited;
  counter_form_ = CounterFormOf(counters, request.striped);
  site_form_ = sites;
  lengths_ = LengthsOf(counter_form_);
  register_costs_ = {RegisterCostsOf(counter_form_, inherited, request.striped).counter,
                     RegisterCostsOf(sites, inherited, request.striped).site};
}

bool MethodPlanner::FitsC1() const {
  return SizeOf(probes_, lengths_).increments * register_costs_.counter +
             sites_.size() * register_costs_.site <=
         register_budget_;
}

// Whether C1 may inline the method with its probes. Hundreds of methods may be inlined into one, and
// the registers of their sites' probes add up there.
bool MethodPlanner::C1MayInline(const MethodCode& code, const Request& request) const {
  constexpr size_t kMostInlined = 35;  // bytes; C1MaxInlineSize
  constexpr size_t kLeastSite = 7;     // bytes of a site's probe
  return request.force_inline ||
         code.code().size() + SizeOf(probes_, lengths_).least_bytes + sites_.size() * kLeastSite <=
             kMostInlined;
}

// Stores the plan in probes_, and for the self-check the plan to compare with in reference_.
Reason MethodPlanner::PlanCounters(const MethodCode& code, classfile::Arena& arena,
                                   const CountingWishes& wishes, const Request& request) {
  const Step step = request.effort.step;
  const bool everything = step != Step::kCallsOnly && request.counters;
  // Branches of methods that compilers replace need their calls, too.
  const bool counts_calls = wishes.calls || wishes.branches;
  const Reason reason = graph_.Build(code, arena, {.branches = wishes.branches && everything},
                                     counts_calls && everything ? request.callees : nullptr);
  if (reason != Reason::kOk) return reason;
  options_ = {};
  options_.policy = wishes.placement;
  options_.count_unwinds = graph_.can_count_unwinds();
  if (request.weights != nullptr) {
    weights_.assign(graph_.graph().edge_count(), kUnknownWeight);
    request.weights->Weigh(request.names, graph_, weights_);
    options_.weights = weights_;
  }
  // Direct placement needs most counters.
  if (step == Step::kTrimmed && wishes.placement == PlacementPolicy::kDirect)
    options_.policy = PlacementPolicy::kTree;
  if (graph_.direct_only()) options_.policy = PlacementPolicy::kDirect;
  if (step == Step::kTrimmed) return Reason::kOk;
  PlanCertified(graph_.graph(), options_, planner_, &probes_);
  if (wishes.self_check && step == Step::kAsAsked && !graph_.direct_only()) CountEveryEdge();
  return Reason::kOk;
}

void MethodPlanner::CountEveryEdge() {
  reference_.emplace();
  std::swap(probes_, *reference_);
  options_.policy = PlacementPolicy::kEveryEdge;
  planner_.Plan(graph_.graph(), options_, &probes_);
  if (reference_->unwind_counter != kNoCounter && probes_.unwind_counter == kNoCounter) {
    // Nothing is derived from direct counters, so they need no count of unwinds, but the reference
    // does.
    probes_.unwind_counter = probes_.derivation.counter_count++;
  }
}

Reason MethodPlanner::Trim(const Request& request) {
  if (request.fits_in_c1) {
    // If there is room in bytes, the reason is C1's registers, and inline increments need fewer.
    PlanCertified(graph_.graph(), options_, planner_, &probes_);
    uint32_t inline_bytes = SizeOf(probes_, LengthsOf(ProbeForm::kInline)).most_bytes;
    for (const uint32_t length : site_lengths_) inline_bytes += length;
    if (inline_bytes <= request.room) ChooseForms(request, ProbeForm::kInline, ProbeForm::kCompact);
  }
  Trimmer::Input input{.graph = graph_,
                       .planner = planner_,
                       .options = options_,
                       .site_lengths = site_lengths_,
                       .lengths = lengths_,
                       .budget = request.effort.budget,
                       .register_costs = register_costs_,
                       .register_budget = register_budget_};
  site_lengths_.clear();  // they were the lengths of all sites
  if (!trimmer_.Trim(input, &probes_, &sites_, &left_out_)) return Reason::kCodeTooLong;
  if (!request.counters) ForgetCounters();
  return Reason::kOk;
}

void MethodPlanner::ForgetCounters() {
  probes_.derivation.Clear();
  probes_.probes.clear();
  probes_.unwind_counter = kNoCounter;
}

uint32_t MethodPlanner::LeastBytes() const {
  uint32_t bytes = SizeOf(probes_, lengths_).least_bytes;
  for (const uint32_t length : site_lengths_) bytes += length;
  return bytes - std::min(bytes, padding_);
}

bool MakeLighter(Reason reason, uint32_t room, Effort* effort) {
  constexpr uint32_t kLeastBudget = 16;
  if (effort->step == Step::kCallsOnly) return false;
  if (IsAboutSites(reason) && effort->sites) {
    effort->sites = false;
    return true;
  }
  if (reason == Reason::kMonitorHeld) {
    effort->step = Step::kCallsOnly;
    return true;
  }
  if (!IsAboutSites(reason) && !IsAboutLength(reason)) return false;
  if (IsAboutLength(reason) && effort->step == Step::kAsAsked) {
    effort->step = Step::kCompact;
    return true;
  }
  // First what is sure to fit, then less, because a plan may fail for reasons that no estimate
  // foresees.
  const uint32_t budget = effort->step == Step::kTrimmed ? effort->budget / 4u * 3u : room;
  if (IsAboutLength(reason) && budget >= kLeastBudget) {
    effort->step = Step::kTrimmed;
    effort->budget = static_cast<uint16_t>(std::min<uint32_t>(budget, UINT16_MAX));
  } else {
    effort->step = Step::kCallsOnly;
  }
  return true;
}

}  // namespace iprof::instrument
