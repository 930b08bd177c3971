#include "bench/probes/branch_list.h"

#include <fmt/format.h>

#include "agent/plan/weights/code_shape.h"

namespace iprof::instrument {

namespace {

std::string FlagsOf(const MethodGraph& method, const FrequencyEstimate& frequency, uint32_t e) {
  const CountingGraph& graph = method.graph();
  const CountingEdge& edge = graph.edge(EdgeId{e});
  const CountingNode& node = graph.node(edge.dst);
  std::string flags = "-";
  if (node.calls) flags += 'c';
  if (node.cold) flags += 'x';
  for (const uint32_t out : graph.Out(Index(edge.dst))) {
    if (graph.edge(EdgeId{out}).kind == EdgeKind::kReturn) flags += 'r';
  }
  if (frequency.LoopDepth(Index(edge.dst)) < frequency.LoopDepth(Index(edge.src))) flags += 'l';
  if (Index(edge.dst) <= Index(edge.src)) flags += 'b';
  return flags;
}

// The instruction before a branch, and the member that it names.
std::string Before(const classfile::MethodCode& code, classfile::Insn insn) {
  if (insn == 0) return "0 -";
  const classfile::Op op = code.at(insn - 1).op;
  const bool has_member = op >= classfile::Op::getstatic && op <= classfile::Op::invokeinterface;
  const auto member = has_member ? code.Member(insn - 1) : std::nullopt;
  return fmt::format("{} {}", static_cast<int>(op), member ? member->name : "-");
}

}  // namespace

void BranchList::Add(const MethodNames& names, const MethodGraph& method,
                     const FrequencyEstimate& frequency, std::span<const double> edges,
                     std::span<const double> increments) {
  out_ << fmt::format("M {} {}{} {:08x}", names.klass, names.name, names.descriptor,
                      HashOfShape(method.code()));
  for (const double cost : increments) out_ << fmt::format(" {:.0f}", cost);
  out_ << '\n';
  for (uint32_t n = 0; n < method.recorded_count(); ++n) {
    const MethodGraph::Recorded recorded = method.recorded(n);
    if (recorded.is_call) continue;
    out_ << fmt::format("B {} {} {}", method.BciOf(recorded.insn),
                        static_cast<int>(method.code().at(recorded.insn).op),
                        Before(method.code(), recorded.insn));
    for (uint32_t i = 0; i < recorded.edge_count; ++i)
      out_ << ' ' << FlagsOf(method, frequency, recorded.first_edge + i);
    out_ << " :";
    for (uint32_t i = 0; i < recorded.edge_count; ++i)
      out_ << fmt::format(" {:.0f}", edges[recorded.first_edge + i]);
    out_ << '\n';
  }
}

}  // namespace iprof::instrument
