#include "cli/views/report/call_edges.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace iprof {
namespace {

// "a.B.name(int)void" -> "name(int)void"; "a.B.name" -> "name".
std::string_view WithoutClass(std::string_view method) {
  const size_t dot = method.rfind('.', method.find('('));
  return dot == std::string_view::npos ? method : method.substr(dot + 1);
}

bool CallsOneMethod(const ListedInstruction& instruction) {
  return instruction.mnemonic == "invokestatic" || instruction.mnemonic == "invokespecial";
}

std::map<Bci, const ListedInstruction*> CallsByBci(const MethodListing* listing) {
  std::map<Bci, const ListedInstruction*> calls;
  if (listing == nullptr) return calls;
  for (const ListedInstruction& instruction : listing->instructions) {
    if (!instruction.callee.empty()) calls[instruction.bci] = &instruction;
  }
  return calls;
}

}  // namespace

std::vector<BlockExecutions> BlocksOf(const ReportMethod& method, const MethodListing& listing,
                                      size_t side) {
  BranchCounts branches;
  for (const ReportSite& site : method.sites) {
    if (site.table != Table::kConditionals || site.total[side] == 0) continue;
    for (const ReportSite::Outcome& outcome : site.outcomes)
      branches[site.bci][outcome.key] = outcome.count[side];
  }
  return CountBlocks(listing.instructions, method.calls[side], branches);
}

CallEdges::CallEdges(const Profile& names, std::span<const ReportMethod* const> methods,
                     size_t sides)
    : names_(names), sides_(sides) {
  for (const ReportMethod* method : methods) {
    const MethodIndex index = method->method;
    by_text_.emplace(names.DescribeMethod(index), index);
    std::string name(names.TypeName(names.DeclaringType(index)));
    name += '.';
    name += names.MethodName(index);
    const auto [known, is_new] = by_name_.emplace(std::move(name), index);
    if (!is_new) known->second = kNoMethod;
  }
}

size_t CallEdges::AddSites(const ReportMethod& method, const MethodListing* listing) {
  const auto calls = CallsByBci(listing);
  for (const ReportSite& site : method.sites) {
    if (site.table != Table::kVirtualInvokes) continue;
    const auto call = calls.find(site.bci);
    AddReceivers(method, site, call == calls.end() ? nullptr : call->second);
  }
  if (listing == nullptr) return 0;
  size_t added = 0;
  std::map<Bci, Counts> callees;  // executions by the bci of the call
  for (size_t side = 0; side < sides_; ++side) {
    const std::vector<BlockExecutions> blocks = BlocksOf(method, *listing, side);
    auto next = blocks.begin();
    std::optional<int64_t> executions;
    for (const ListedInstruction& instruction : listing->instructions) {
      if (next != blocks.end() && next->bci == instruction.bci) executions = (next++)->count;
      if (CallsOneMethod(instruction) && executions.value_or(0) > 0)
        callees[instruction.bci][side] = *executions;
    }
  }
  for (const auto& [bci, counts] : callees) {
    const auto callee = by_text_.find(calls.at(bci)->callee);
    if (callee == by_text_.end()) continue;
    Add(method.method, callee->second, counts);
    ++added;
  }
  return added;
}

void CallEdges::AddReceivers(const ReportMethod& method, const ReportSite& site,
                             const ListedInstruction* call) {
  const std::string_view named =
      call != nullptr ? call->callee : names_.notes().CalleeOf(method.method, site.bci);
  if (named.empty()) return;
  const auto& known = call != nullptr ? by_text_ : by_name_;
  for (const ReportSite::Outcome& outcome : site.outcomes) {
    std::string text(names_.TypeName(TypeIndex{static_cast<uint32_t>(outcome.key)}));
    text += '.';
    text += WithoutClass(named);
    const auto callee = known.find(text);
    if (callee != known.end() && callee->second != kNoMethod)
      Add(method.method, callee->second, outcome.count);
  }
}

void CallEdges::Add(MethodIndex caller, MethodIndex callee, const Counts& counts) {
  for (size_t side = 0; side < kMostSides; ++side) {
    AddTo(callers_[callee][caller], side, counts[side]);
    AddTo(callees_[caller][callee], side, counts[side]);
  }
}

std::vector<ReportEdge> CallEdges::CallersOf(const ReportMethod& method) const {
  return Together(method.callers, callers_, method.method);
}

std::vector<ReportEdge> CallEdges::CalleesOf(const ReportMethod& method) const {
  return Together(method.callees, callees_, method.method);
}

std::vector<ReportEdge> CallEdges::Together(const std::vector<ReportEdge>& known,
                                            const Calls& calls, MethodIndex method) const {
  const auto found = calls.find(method);
  if (found == calls.end()) return known;
  std::map<MethodIndex, Counts> missing = found->second;
  std::vector<ReportEdge> edges = known;
  for (ReportEdge& edge : edges) {
    const auto at_sites = missing.find(edge.other);
    if (at_sites == missing.end()) continue;
    // Contexts may be cut, and call sites may be left out: the larger count is the more complete one.
    for (size_t side = 0; side < kMostSides; ++side)
      edge.calls[side] = std::max(edge.calls[side], at_sites->second[side]);
    missing.erase(at_sites);
  }
  for (const auto& [other, counts] : missing) edges.push_back({other, {}, counts});
  OrderEdges(edges, names_);
  return edges;
}

}  // namespace iprof
