#include "writer/records/replaced_methods.h"

#include <algorithm>
#include <cmath>

#include "writer/flow/flow_solver.h"
#include "writer/names/intrinsic_names.h"

namespace iprof {
namespace {

constexpr double kMost = 9e18;

}  // namespace

// Finds the methods whose entry counters may miss calls.
ReplacedMethods::ReplacedMethods(const ClassSource& classes, bool names_all_callees)
    : names_all_callees_(names_all_callees), targets_(std::in_place) {
  for (size_t number = 0; number < classes.size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& c = classes.Get(number, scratch);
    for (const CountedMethod& m : c.methods) {
      if (m.intrinsic_candidate) site_calls_[c.KeyOf(m)].is_candidate = true;
    }
    const std::string_view name = classes.NameOf(number);
    if (number == 0 || classes.NameOf(number - 1) != name)
      targets_->Add(name, c, [](const CountedMethod&) { return true; });
  }
  targets_->Settle();
}

void ReplacedMethods::AddCalls(const ClassRecord& c, const CountedMethod& method,
                               const MethodRecord& record, const CountedValues& values) {
  SiteCalls* const from = method.intrinsic_candidate ? &site_calls_[c.KeyOf(method)] : nullptr;
  if (from != nullptr) from->entries += values.Of(record.entry);
  for (const CallSite& site : record.calls) {
    const uint64_t count = values.Of(site.value);
    if (count == 0 || site.callee >= c.callees.size()) continue;
    SiteCalls* const sum = SumOf(c.callees[site.callee], from != nullptr);
    if (sum == nullptr) continue;
    // A method that calls itself would feed itself.
    if (from != nullptr && from != sum) inner_.push_back({from, sum, count});
    if (!sum->is_candidate) continue;
    sum->count += count;
    const uint64_t error = values.IsTouched(site.value) ? values.abrupt().k : 0;
    if (values.abrupt().kind != Exactness::kUnknown) sum->sure += count - std::min(count, error);
  }
}

double ReplacedMethods::SiteCalls::Calls(uint64_t counted_entries) const {
  const auto at_sites = static_cast<double>(is_candidate ? sure : counted_entries) + missing;
  const auto counted = static_cast<double>(counted_entries);
  if (at_sites <= counted) return counted;
  return std::min(kMost, static_cast<double>(is_candidate ? count : counted_entries) + missing);
}

void ReplacedMethods::Settle() {
  targets_.reset();
  FlowProblem problem;
  std::vector<SiteCalls*> methods;
  std::unordered_map<const SiteCalls*, uint32_t> numbers;
  const auto number_of = [&](SiteCalls* method) {
    const auto [known, is_new] = numbers.emplace(method, static_cast<uint32_t>(methods.size()));
    if (is_new) {
      methods.push_back(method);
      problem.floor.push_back(static_cast<double>(method->entries));
      problem.external.push_back(
          static_cast<double>(method->sure > method->entries ? method->count : method->sure));
    }
    return known->second;
  };
  for (const InnerCall& call : inner_) {
    if (call.from->entries < kLeastEntries) continue;
    const auto count = static_cast<double>(call.count);
    const FlowEdge edge{number_of(call.from), number_of(call.to),
                        count / static_cast<double>(call.from->entries)};
    problem.edges.push_back(edge);
    problem.external[edge.to] -= count;  // flows in along the edge
  }
  const std::vector<double> total = SolveFlow(problem).total;
  constexpr double kRounding = 1e-6;  // of what was counted; the solver is no more exact than that
  for (const FlowEdge& edge : problem.edges) {
    const double more = total[edge.from] - problem.floor[edge.from];
    if (more < kRounding * problem.floor[edge.from]) continue;
    double& missing = methods[edge.to]->missing;
    missing = std::min(missing + more * edge.gain, kMost);
  }
}

ReplacedMethods::Calls ReplacedMethods::CallsOf(const ClassRecord& c, const CountedMethod& method,
                                                uint64_t entries) const {
  const auto sum = site_calls_.find(c.KeyOf(method));
  if (sum == site_calls_.end()) return {entries};
  const SiteCalls& calls = sum->second;
  // Without rounding, as far as a double is exact.
  if (calls.missing == 0)
    return {calls.is_candidate && calls.sure > entries ? calls.count : entries};
  const double all = calls.Calls(entries);
  return {std::max(entries, static_cast<uint64_t>(std::llround(all))), 2 * calls.missing <= all};
}

// The sum of the candidate that a call names, or of any method. Null if an overriding method may run instead.
ReplacedMethods::SiteCalls* ReplacedMethods::SumOf(const Callee& callee, bool any) {
  std::string key = MethodKey(InternalName(callee.owner), callee.name, callee.descriptor).text();
  key += callee.virtual_call ? 'v' : 's';
  key += any ? 'a' : 'c';
  const auto [known, is_new] = sums_.try_emplace(std::move(key), nullptr);
  if (is_new) known->second = FindSum(callee, any);
  return known->second;
}

ReplacedMethods::SiteCalls* ReplacedMethods::FindSum(const Callee& callee, bool any) {
  if (!any && names_all_callees_ && !MayBeIntrinsic(callee.owner, callee.name)) return nullptr;
  const CallTargets::Method* const found = targets_->Named(callee);
  if (found == nullptr || (!any && !found->is_candidate)) return nullptr;
  if (callee.virtual_call && !found->is_final) return nullptr;
  // Of a native method only some call sites are known, those in replaced methods.
  if (any && !found->is_counted && !MayBeIntrinsic(callee.owner, callee.name)) return nullptr;
  return &site_calls_[MethodKey(InternalName(targets_->ClassOf(*found)), callee.name,
                                callee.descriptor)];
}

}  // namespace iprof
