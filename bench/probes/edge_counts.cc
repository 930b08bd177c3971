#include "bench/probes/edge_counts.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "writer/names/type_names.h"

namespace iprof::instrument {
namespace {

constexpr double kUnknown = -1;

// The only unknown edge of a node and its count, if there is exactly one.
std::optional<std::pair<uint32_t, double>> Solve(const CountingGraph& graph, uint32_t node,
                                                 const std::vector<double>& counts) {
  uint32_t open = 0;
  uint32_t last = 0;
  double last_sign = 1;
  double surplus = 0;  // of what comes in over what goes out, as far as it is known
  for (const double sign : {1.0, -1.0}) {
    for (const uint32_t e : sign > 0 ? graph.In(node) : graph.Out(node)) {
      if (counts[e] >= 0) {
        surplus += sign * counts[e];
      } else {
        ++open;
        last = e;
        last_sign = sign;
      }
    }
  }
  if (open != 1) return std::nullopt;
  return std::pair(last, std::max(0.0, -last_sign * surplus));
}

std::optional<MethodIndex> FindMethod(const Profile& profile, const MethodNames& names) {
  const auto klass = TypeNameOf(Descriptor("L" + std::string(names.klass) + ";"));
  auto types = SignatureOf(names.descriptor);
  if (!klass || !types) return std::nullopt;
  types->insert(types->begin(), *klass);
  std::vector<TypeIndex> signature;
  for (const auto& name : *types) {
    const auto type = profile.FindType(ToUtf8(name));
    if (!type) return std::nullopt;
    signature.push_back(*type);
  }
  return profile.FindMethod(ToUtf8(names.name), signature);
}

}  // namespace

void SpreadCounts(const CountingGraph& graph, double entry, std::vector<double>* counts) {
  std::vector<uint32_t> pending(graph.node_count() - 1);  // nodes with an edge that became known
  std::iota(pending.begin(), pending.end(), 1);           // not the root
  const auto set = [&](uint32_t e, double count) {
    (*counts)[e] = count;
    for (const NodeId end : {graph.edge(EdgeId{e}).src, graph.edge(EdgeId{e}).dst}) {
      if (end != kRoot) pending.push_back(Index(end));
    }
  };
  // What is taken as known when nothing follows any more: the entry, then that a handler never ran, and
  // then that any other edge never did.
  std::vector<uint32_t> guesses(graph.edge_count());
  std::iota(guesses.begin(), guesses.end(), 0);
  std::stable_partition(guesses.begin() + 1, guesses.end(), [&](uint32_t e) {
    return graph.edge(EdgeId{e}).kind == EdgeKind::kHandler;
  });
  for (const uint32_t guess : guesses) {
    while (!pending.empty()) {
      const uint32_t node = pending.back();
      pending.pop_back();
      if (const auto solved = Solve(graph, node, *counts)) set(solved->first, solved->second);
    }
    if ((*counts)[guess] < 0) set(guess, guess == Index(kEntryEdge) ? entry : 0);
  }
}

EdgeCounts EdgeCountsOf(const Profile& profile, const MethodNames& names, const MethodGraph& method,
                        bool replaced) {
  const auto index = FindMethod(profile, names);
  if (!index) return {};
  const auto entry_of = [&](Table table, uint32_t bci) -> std::optional<EntryIndex> {
    const auto context = profile.FindContext(kNoContext, *index, static_cast<Bci>(bci));
    if (!context) return std::nullopt;
    return profile.FindEntry(table, *context);
  };
  const auto called = entry_of(Table::kCalls, 0);
  const double calls = called ? static_cast<double>(profile.EntryCount(Table::kCalls, *called)) : 0;
  if (calls == 0) return {};
  EdgeCounts counts{calls, std::vector<double>(method.graph().edge_count(), kUnknown)};
  if (!replaced) counts.edges[Index(kEntryEdge)] = calls;
  for (uint32_t n = 0; n < method.recorded_count(); ++n) {
    const MethodGraph::Recorded recorded = method.recorded(n);
    if (recorded.is_call) continue;
    const auto ways = counts.edges.begin() + recorded.first_edge;
    std::fill_n(ways, recorded.edge_count, 0);
    const auto branch = entry_of(Table::kConditionals, method.BciOf(recorded.insn));
    if (!branch) continue;
    const auto successors = profile.EntrySuccessors(*branch);
    for (uint32_t i = 0; i < recorded.edge_count && i < successors.size(); ++i)
      ways[i] = static_cast<double>(successors[i].count);
  }
  SpreadCounts(method.graph(), calls, &counts.edges);
  return counts;
}

}  // namespace iprof::instrument
