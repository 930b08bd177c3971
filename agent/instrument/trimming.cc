#include "agent/instrument/trimming.h"

#include <algorithm>

namespace iprof::instrument {
namespace {

// The worth of a record relative to an if with the same frequency. A switch determines the layout
// of much code and is often the main part of a long method. A receiver determines inlining.
// Monitors give only one sum for the whole program.
constexpr double kSwitchWorth = 8;
constexpr double kReceiverWorth = 2;
constexpr double kMonitorWorth = 16;
constexpr double kTypeCheckWorth = 0.5;
constexpr double kCallWorth = 0.5;

// How many items that do not fit may be skipped.
constexpr int kMostSkips = 4;

constexpr uint32_t kGotoLength = 3;
constexpr uint32_t kFirstKey = 1;
constexpr uint32_t kByKeyIncrements = 3;
constexpr uint32_t kLeastByKey = 2;  // slots; a switch with more may be counted by its key

double WorthOf(SiteKind kind) {
  return kind == SiteKind::kReceiver  ? kReceiverWorth
         : kind == SiteKind::kMonitor ? kMonitorWorth
                                      : kTypeCheckWorth;
}

}  // namespace

void PlanCertified(const CountingGraph& graph, PlanOptions options, ProbePlanner& planner,
                   ProbePlan* plan) {
  planner.Plan(graph, options, plan);
  if (plan->certificate.kind != Exactness::kUnknown) return;
  options.policy = PlacementPolicy::kDirect;
  planner.Plan(graph, options, plan);
}

PlanSize SizeOf(const ProbePlan& plan, const ProbeLengths& lengths) {
  uint32_t bytes = 0;
  uint32_t handlers = 0;
  uint32_t increments = 0;
  for (const Probe& probe : plan.probes) {
    if (probe.at == ProbeAt::kByKey) {
      if (probe.slot != kFirstKey) continue;
      bytes += lengths.by_key;
      increments += kByKeyIncrements;
      continue;
    }
    ++increments;
    const bool trampoline = probe.at == ProbeAt::kTaken || probe.at == ProbeAt::kSlot;
    bytes += lengths.probe + (trampoline ? kGotoLength : 0);
    if (probe.at == ProbeAt::kHandlerEntry) ++handlers;
  }
  if (plan.unwind_counter != kNoCounter) {
    bytes += lengths.probe + 1;  // and athrow
    ++increments;
  }
  // A handler that is also reached normally needs a stub.
  return {bytes, bytes + handlers * kGotoLength, increments};
}

void Trimmer::SortItems(const Input& input, const std::vector<FoundSite>& sites) {
  const std::span<const double> frequency = input.planner.frequency().node_frequency();
  const uint32_t recorded = input.graph.recorded_count();
  items_.clear();
  const auto add = [&](uint32_t number, double times, double worth, uint32_t bytes) {
    never_[number] = times == 0 ? 1 : 0;
    if (times > 0) items_.push_back({times * worth / bytes, number});
  };
  for (uint32_t i = 0; i < recorded; ++i) {
    const MethodGraph::Recorded r = input.graph.recorded(i);
    const double times = frequency[Index(input.graph.NodeOf(r.insn))];
    if (r.is_call) {
      add(i, times, kCallWorth, input.lengths.probe);
    } else if (input.graph.graph().edge(EdgeId{r.first_edge}).kind == EdgeKind::kSlot) {
      const bool by_key = input.graph.graph().edge(EdgeId{r.first_edge}).by_key;
      add(i, times, kSwitchWorth * r.edge_count,
          by_key ? input.lengths.by_key : input.lengths.probe * r.edge_count);
    } else {
      add(i, times, 1, input.lengths.probe);
    }
  }
  for (uint32_t i = 0; i < sites.size(); ++i) {
    const bool entry = sites[i].insn == FoundSite::kEntry;
    const double times = entry ? 1 : frequency[Index(input.graph.NodeOf(sites[i].insn))];
    add(recorded + i, times, WorthOf(sites[i].kind), input.site_lengths[i]);
  }
  std::sort(items_.begin(), items_.end(), [](const Item& a, const Item& b) {
    return a.worth != b.worth ? a.worth > b.worth : a.number < b.number;
  });
}

bool Trimmer::Fits(Input& input, ProbePlan* plan) {
  const uint32_t recorded = input.graph.recorded_count();
  input.graph.KeepOnly(std::span(kept_).first(recorded));
  PlanCertified(input.graph.graph(), input.options, input.planner, plan);
  const PlanSize size = SizeOf(*plan, input.lengths);
  uint32_t bytes = size.most_bytes;
  uint32_t registers = size.increments * input.register_costs.counter;
  for (size_t i = 0; i < input.site_lengths.size(); ++i) {
    if (kept_[recorded + i] == 0) continue;
    bytes += input.site_lengths[i];
    registers += input.register_costs.site;
  }
  return bytes <= input.budget && registers <= input.register_budget;
}

bool Trimmer::Trim(Input& input, ProbePlan* plan, std::vector<FoundSite>* sites,
                   LeftOut* left_out) {
  const uint32_t recorded = input.graph.recorded_count();
  *left_out = {};
  input.options.close_unrequired = true;
  kept_.assign(recorded + sites->size(), 1);
  never_.assign(kept_.size(), 0);
  bool fits = Fits(input, plan);
  if (!fits) {
    input.options.short_first = true;
    input.graph.CountTablesByKey(std::max(kLeastByKey, input.lengths.by_key / input.lengths.probe));
    fits = Fits(input, plan);
  }
  SortItems(input, *sites);  // by the frequencies of the last plan
  if (!fits) {
    // Records of code that never runs cost nothing; sites do.
    kept_ = never_;
    std::fill(kept_.begin() + recorded, kept_.end(), uint8_t{0});
    if (!Fits(input, plan)) return false;
    // Items before `next` are decided.
    size_t next = 0;
    for (int skips = 0; next < items_.size() && skips <= kMostSkips; ++skips) {
      size_t fit = next;
      size_t end = items_.size();
      while (fit < end) {
        const size_t middle = (fit + end + 1) / 2;
        for (size_t i = next; i < items_.size(); ++i) kept_[items_[i].number] = i < middle;
        if (Fits(input, plan)) {
          fit = middle;
        } else {
          end = middle - 1;
        }
      }
      for (size_t i = next; i < items_.size(); ++i) kept_[items_[i].number] = i < fit;
      next = fit + 1;
    }
    fits = Fits(input, plan);
  }
  for (uint32_t i = 0; i < recorded; ++i) {
    if (never_[i] != 0 || input.graph.recorded(i).is_call) continue;
    ++left_out->all_branches;
    if (kept_[i] == 0) ++left_out->branches;
  }
  size_t end = 0;
  for (size_t i = 0; i < sites->size(); ++i) {
    const bool runs = never_[recorded + i] == 0;
    if (runs) ++left_out->all_sites;
    if (kept_[recorded + i] != 0) {
      (*sites)[end++] = (*sites)[i];
    } else if (runs) {
      ++left_out->sites;
    }
  }
  sites->resize(end);
  return fits;
}

}  // namespace iprof::instrument
