#include "bench/probes/edge_counts.h"

#include <algorithm>
#include <string>

#include "writer/names/type_names.h"

namespace iprof::instrument {
namespace {

constexpr double kUnknown = -1;

// Derives the only unknown edge of a node, and returns it; graph.edge_count() if there is not exactly one.
uint32_t Solve(const CountingGraph& graph, uint32_t node, std::vector<double>& counts) {
  uint32_t open = 0;
  uint32_t last = 0;
  double surplus = 0;  // of what comes in over what goes out, as far as it is known
  bool is_in = false;
  for (const bool incoming : {true, false}) {
    for (const uint32_t e : incoming ? graph.In(node) : graph.Out(node)) {
      if (counts[e] >= 0) {
        surplus += incoming ? counts[e] : -counts[e];
      } else {
        ++open;
        last = e;
        is_in = incoming;
      }
    }
  }
  if (open != 1) return graph.edge_count();
  counts[last] = std::max(0.0, is_in ? -surplus : surplus);
  return last;
}

// What is taken as never run when nothing follows any more: the first unknown entry of a handler, or else the
// first unknown edge.
uint32_t FirstUnknown(const CountingGraph& graph, const std::vector<double>& counts) {
  for (const bool any : {false, true}) {
    for (uint32_t e = 0; e < graph.edge_count(); ++e) {
      if (counts[e] < 0 && (any || graph.edge(EdgeId{e}).kind == EdgeKind::kHandler)) return e;
    }
  }
  return graph.edge_count();
}

}  // namespace

void SpreadCounts(const CountingGraph& graph, double entry, std::vector<double>* counts) {
  std::vector<uint32_t> changed;  // nodes with an edge that became known
  const auto note = [&](uint32_t e) {
    changed.push_back(Index(graph.edge(EdgeId{e}).src));
    changed.push_back(Index(graph.edge(EdgeId{e}).dst));
  };
  for (uint32_t v = 1; v < graph.node_count(); ++v) changed.push_back(v);
  while (true) {
    while (!changed.empty()) {
      const uint32_t node = changed.back();
      changed.pop_back();
      if (node == Index(kRoot)) continue;
      const uint32_t solved = Solve(graph, node, *counts);
      if (solved < graph.edge_count()) note(solved);
    }
    const bool has_entry = (*counts)[Index(kEntryEdge)] >= 0;
    const uint32_t unknown = has_entry ? FirstUnknown(graph, *counts) : Index(kEntryEdge);
    if (unknown == graph.edge_count()) return;
    (*counts)[unknown] = has_entry ? 0 : entry;
    note(unknown);
  }
}

std::optional<MethodIndex> FindMethod(const Profile& profile, const MethodNames& names) {
  const auto klass = TypeNameOf(Descriptor("L" + std::string(names.klass) + ";"));
  const auto types = SignatureOf(names.descriptor);
  if (!klass || !types) return std::nullopt;
  std::vector<TypeIndex> signature;
  for (size_t i = 0; i <= types->size(); ++i) {
    const auto type = profile.FindType(ToUtf8(i == 0 ? *klass : (*types)[i - 1]));
    if (!type) return std::nullopt;
    signature.push_back(*type);
  }
  return profile.FindMethod(ToUtf8(names.name), signature);
}

void EdgeCounts::Find(const Profile& profile, MethodIndex index, const MethodGraph& method,
                      bool replaced) {
  const auto entry_of = [&](Table table, uint32_t bci) -> std::optional<EntryIndex> {
    const auto context = profile.FindContext(kNoContext, index, static_cast<Bci>(bci));
    if (!context) return std::nullopt;
    return profile.FindEntry(table, *context);
  };
  count_.assign(method.graph().edge_count(), kUnknown);
  const auto calls = entry_of(Table::kCalls, 0);
  calls_ = calls ? static_cast<double>(profile.EntryCount(Table::kCalls, *calls)) : 0;
  if (calls_ == 0) return;
  if (!replaced) count_[Index(kEntryEdge)] = calls_;
  for (uint32_t n = 0; n < method.recorded_count(); ++n) {
    const MethodGraph::Recorded recorded = method.recorded(n);
    if (recorded.is_call) continue;
    const auto branch = entry_of(Table::kConditionals, method.BciOf(recorded.insn));
    for (uint32_t i = 0; i < recorded.edge_count; ++i) {
      double count = 0;
      if (branch && i < profile.EntrySuccessors(*branch).size())
        count = static_cast<double>(profile.EntrySuccessors(*branch)[i].count);
      count_[recorded.first_edge + i] = count;
    }
  }
  SpreadCounts(method.graph(), calls_, &count_);
}

}  // namespace iprof::instrument
