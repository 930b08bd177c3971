#include "agent/plan/caught_exceptions.h"

namespace iprof::instrument {

void CaughtExceptions::Mark(CountingGraph& graph) {
  if (graph.ranges().empty()) return;
  FindNodesThatGoOn(graph);
  for (const HandlerRange& range : graph.ranges()) {
    if (goes_on_[Index(range.handler)] == 0) continue;
    for (uint32_t v = Index(range.first); v < Index(range.end); ++v) {
      CountingNode& node = graph.node(NodeId{v});
      if (range.MayCatch(node)) node.caught = true;
    }
  }
}

void CaughtExceptions::FindNodesThatGoOn(const CountingGraph& graph) {
  goes_on_.assign(graph.node_count(), 0);
  work_.clear();
  const auto reach = [&](uint32_t v) {
    if (v == Index(kRoot) || goes_on_[v] != 0) return;
    goes_on_[v] = 1;
    work_.push_back(v);
  };
  // Code that runs without any exception.
  reach(Index(graph.edge(kEntryEdge).dst));
  while (!work_.empty()) {
    const uint32_t v = work_.back();
    work_.pop_back();
    for (uint32_t e : graph.Out(v)) reach(Index(graph.edge(EdgeId{e}).dst));
  }
  // Code that leads there or returns.
  for (uint32_t v = 1; v < graph.node_count(); ++v) {
    if (goes_on_[v] != 0) work_.push_back(v);
  }
  for (uint32_t e : graph.In(Index(kRoot))) {
    const CountingEdge& edge = graph.edge(EdgeId{e});
    if (edge.kind == EdgeKind::kReturn) reach(Index(edge.src));
  }
  while (!work_.empty()) {
    const uint32_t v = work_.back();
    work_.pop_back();
    for (uint32_t e : graph.In(v)) reach(Index(graph.edge(EdgeId{e}).src));
  }
}

}  // namespace iprof::instrument
