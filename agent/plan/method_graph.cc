#include "agent/plan/method_graph.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "agent/classfile/constructor.h"
#include "agent/plan/branch_guesses.h"
#include "agent/plan/exception_sources.h"

namespace iprof::instrument {
namespace {

using classfile::Block;
using classfile::Insn;
using classfile::MethodCode;
using classfile::Op;
using classfile::Reason;
using classfile::Slot;

// Whether this entry catches nothing that instructions other than calls throw. Those throw
// exceptions of java.lang, so only a class of that package or a superclass of one catches them.
// (The loader or initialiser of a class that is used for the first time may throw anything, once.)
bool CatchesFromCallsOnly(const MethodCode& code, const classfile::ExceptionEntry& entry) {
  if (entry.catch_type == classfile::CpIndex::none) return false;
  constexpr std::string_view kPackage = "java/lang/";
  std::string_view name = code.file().pool().ClassName(entry.catch_type);
  if (!name.starts_with(kPackage)) return true;
  name.remove_prefix(kPackage.size());
  // Exceptions of java.lang that only code throws.
  constexpr std::string_view kThrownByCode[] = {"ClassNotFoundException",
                                                "CloneNotSupportedException",
                                                "EnumConstantNotPresentException",
                                                "IllegalAccessException",
                                                "IllegalArgumentException",
                                                "IllegalStateException",
                                                "IllegalThreadStateException",
                                                "InstantiationException",
                                                "InterruptedException",
                                                "NoSuchFieldException",
                                                "NoSuchMethodException",
                                                "NumberFormatException",
                                                "ReflectiveOperationException",
                                                "SecurityException",
                                                "TypeNotPresentException",
                                                "UnsupportedOperationException"};
  return std::find(std::begin(kThrownByCode), std::end(kThrownByCode), name) !=
         std::end(kThrownByCode);
}

}  // namespace

Reason MethodGraph::Build(const MethodCode& code, classfile::Arena& arena,
                          const MethodGraphOptions& options, CalleeNumbers* callees) {
  code_ = &code;
  graph_.Clear();
  branches_.clear();
  calls_.clear();
  unguarded_.clear();
  direct_only_ = code.has_jsr();
  can_count_unwinds_ = true;

  classfile::ControlFlowGraph flow;
  if (const Reason r = flow.Build(code, arena); r != Reason::kOk) return r;
  if (code.is_constructor() && !direct_only_) {
    classfile::BeforeSuper before;
    can_count_unwinds_ = before.Compute(code, arena) == Reason::kOk;
    unguarded_.assign(code.count(), 1);
    if (can_count_unwinds_) {
      for (Insn i = 0; i < code.count(); ++i) unguarded_[i] = before.At(i) ? 1 : 0;
    }
  }
  if (callees != nullptr && !direct_only_) FindCalls(code, flow, callees);
  AddNodes(code, flow);
  AddEdges(code, flow, options.branches);
  graph_.Finish();
  if (options.caught) caught_.Mark(graph_);

  for (Call& call : calls_) {
    call.edge = graph_.In(Index(call.node))[0];
    graph_.Require(EdgeId{call.edge});
  }
  return Reason::kOk;
}

void MethodGraph::FindCalls(const MethodCode& code, const classfile::ControlFlowGraph& flow,
                            CalleeNumbers* callees) {
  for (const Block& block : flow.blocks()) {
    if (!block.reachable) continue;
    for (Insn i = block.first; i < block.end; ++i) {
      const Op op = code.at(i).op;
      if (!classfile::IsInvoke(op) || op == Op::invokedynamic) continue;
      const uint32_t callee = callees->NumberOf(code, i);
      if (callee == CalleeNumbers::kNotWanted) continue;
      calls_.push_back({i, callee, kRoot, 0, true});
    }
  }
}

void MethodGraph::AddNodes(const MethodCode& code, const classfile::ControlFlowGraph& flow) {
  const auto blocks = flow.blocks();
  const ExceptionSources sources(code);
  in_.resize(blocks.size());
  out_.resize(blocks.size());
  auto call = calls_.begin();
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    const Block& block = blocks[b];
    const uint32_t ways_in = block.normal_in + (b == 0 ? 1 : 0) + (block.is_handler ? 1 : 0);
    NodeId part = in_[b] = graph_.AddNode(block.first);
    // A counted call is reached as often as its part of the block is entered if that has one way in
    // and nothing throws before the call.
    bool one_way_in = ways_in == 1;
    bool threw = false;
    for (Insn i = block.first; i < block.end; ++i) {
      if (call != calls_.end() && call->insn == i) {
        if (threw || !one_way_in) part = graph_.AddNode(threw ? i : block.first);
        one_way_in = true;
        threw = false;
        (call++)->node = part;
      }
      if (!sources.MayThrow(i)) continue;
      threw = true;
      MarkThrowing(i, part);
    }
    out_[b] = part;
    CountingNode& end = graph_.node(part);
    end.cold = code.at(block.last()).op == Op::athrow;
    // An athrow before super() also unwinds uncounted.
    if (end.cold && IsUnguarded(block.last())) end.unguarded = true;
  }
}

bool MethodGraph::IsUnguarded(Insn i) const { return !unguarded_.empty() && unguarded_[i] != 0; }

void MethodGraph::MarkThrowing(Insn i, NodeId id) {
  CountingNode& node = graph_.node(id);
  node.may_throw = true;
  if (classfile::IsInvoke(code_->at(i).op)) node.calls = true;
  if (IsUnguarded(i)) node.unguarded = true;
}

void MethodGraph::AddEdges(const MethodCode& code, const classfile::ControlFlowGraph& flow,
                           bool branches) {
  const auto blocks = flow.blocks();
  graph_.Require(graph_.AddEdge(EdgeKind::kEntry, kRoot, in_[0], blocks[0].first));
  for (uint32_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].is_handler) {
      graph_.AddEdge(EdgeKind::kHandler, kRoot, in_[b], blocks[b].first);
    }
    for (uint32_t part = Index(in_[b]); part < Index(out_[b]); ++part) {
      graph_.AddEdge(EdgeKind::kInside, NodeId{part}, NodeId{part + 1},
                     graph_.node(NodeId{part + 1}).first_insn);
    }
  }
  for (uint32_t b = 0; b < blocks.size(); ++b) AddWaysOut(code, flow, b, branches);
  for (const classfile::ExceptionEntry& e : code.exceptions()) {
    if (e.from >= e.to) continue;
    const uint32_t last = flow.BlockOf(e.to - 1);
    graph_.AddHandlerRange({in_[flow.BlockOf(e.from)], NodeId{Index(out_[last]) + 1},
                            in_[flow.BlockOf(e.handler)], CatchesFromCallsOnly(code, e)});
  }
}

void MethodGraph::AddWaysOut(const MethodCode& code, const classfile::ControlFlowGraph& flow,
                             uint32_t block, bool branches) {
  const Insn last = flow.blocks()[block].last();
  const Op op = code.at(last).op;
  const NodeId from = out_[block];
  auto add = [&](EdgeKind kind, Slot slot) {
    const Insn to = code.Successor(last, slot);
    return graph_.AddEdge(kind, from, in_[flow.BlockOf(to)], last, slot);
  };
  if (classfile::IsConditionalBranch(op)) {
    const EdgeId taken = add(EdgeKind::kTaken, classfile::kTaken);
    const EdgeId other = add(EdgeKind::kNotTaken, classfile::kFallThrough);
    graph_.edge(taken).odds = OddsOfTaking(code, last);
    if (!branches) return;
    graph_.Require(taken);
    graph_.Require(other);
    branches_.push_back({last, Index(taken), 2, true, false});
  } else if (classfile::IsSwitch(op)) {
    // The profile's order: keys in key order, then the default.
    const uint32_t first = graph_.edge_count();
    const uint32_t keys = code.SwitchKeyCount(last);
    for (uint32_t key = 1; key <= keys; ++key) add(EdgeKind::kSlot, key);
    add(EdgeKind::kSlot, classfile::kSwitchDefault);
    if (!branches) return;
    for (uint32_t e = first; e <= first + keys; ++e) graph_.Require(EdgeId{e});
    branches_.push_back({last, first, keys + 1, true, false});
  } else if (classfile::IsGoto(op)) {
    add(EdgeKind::kJump, classfile::kTaken);
  } else if (classfile::IsJsr(op)) {
    // Add the edge to where ret returns, too; otherwise positions there would look unshared.
    add(EdgeKind::kJump, classfile::kTaken);
    add(EdgeKind::kFallThrough, classfile::kFallThrough);
  } else if (op == Op::athrow) {
    graph_.AddEdge(EdgeKind::kThrow, from, kRoot, last);
  } else if (classfile::IsReturn(op) || op == Op::ret) {
    graph_.AddEdge(EdgeKind::kReturn, from, kRoot, last);
  } else {
    add(EdgeKind::kFallThrough, classfile::kFallThrough);
  }
}

std::vector<BranchEdges> MethodGraph::Branches() const {
  std::vector<BranchEdges> branches;
  branches.reserve(branches_.size());
  for (const Branch& b : branches_) {
    branches.push_back({BciOf(b.insn), b.first_edge, b.edge_count});
  }
  return branches;
}

MethodGraph::Recorded MethodGraph::recorded(uint32_t number) const {
  if (number < branches_.size()) {
    const Branch& b = branches_[number];
    return {b.insn, b.first_edge, b.edge_count, false};
  }
  const Call& c = calls_[number - branches_.size()];
  return {c.insn, c.edge, 1, true};
}

void MethodGraph::KeepOnly(std::span<const uint8_t> kept) {
  for (uint32_t e = 0; e < graph_.edge_count(); ++e) {
    graph_.edge(EdgeId{e}).required = EdgeId{e} == kEntryEdge;
  }
  size_t number = 0;
  for (Branch& branch : branches_) {
    branch.kept = kept[number++] != 0;
    for (uint32_t i = 0; i < branch.edge_count; ++i) {
      CountingEdge& edge = graph_.edge(EdgeId{branch.first_edge + i});
      edge.required = branch.kept;
      // A single slot may be required for the call after it; it then has its own probe.
      edge.by_key = branch.kept && branch.by_key;
    }
  }
  for (Call& call : calls_) {
    call.kept = kept[number++] != 0;
    if (call.kept) graph_.Require(EdgeId{call.edge});
  }
}

void MethodGraph::CountTablesByKey(uint32_t slots) {
  for (Branch& branch : branches_) {
    if (code_->at(branch.insn).op != Op::tableswitch) continue;
    branch.by_key = branch.edge_count > slots;
    for (uint32_t i = 0; i < branch.edge_count; ++i)
      graph_.edge(EdgeId{branch.first_edge + i}).by_key = branch.kept && branch.by_key;
  }
}

uint32_t MethodGraph::TargetOf(uint32_t branch_edge) const {
  const CountingEdge& edge = graph_.edge(EdgeId{branch_edge});
  return BciOf(code_->Successor(edge.insn, edge.slot));
}

NodeId MethodGraph::NodeOf(classfile::Insn insn) const {
  const auto nodes = graph_.nodes().subspan(1);
  const auto behind = std::upper_bound(
      nodes.begin(), nodes.end(), insn,
      [](classfile::Insn i, const CountingNode& node) { return i < node.first_insn; });
  return NodeId{static_cast<uint32_t>(behind - nodes.begin())};
}

void MethodGraph::FillRecord(const ProbePlan& plan, MethodRecord* record) const {
  record->Clear();
  record->derivation = plan.derivation;
  record->certificate = plan.certificate;
  record->entry = plan.value_of_edge[Index(kEntryEdge)];
  for (const Branch& branch : branches_) {
    if (!branch.kept || plan.value_of_edge[branch.first_edge] == kNoValue) continue;
    const bool is_if = graph_.edge(EdgeId{branch.first_edge}).kind == EdgeKind::kTaken;
    for (uint32_t e = branch.first_edge; e < branch.first_edge + branch.edge_count; ++e) {
      record->successors.push_back({TargetOf(e), plan.value_of_edge[e]});
    }
    record->branches.push_back({BciOf(branch.insn), is_if ? BranchKind::kIf : BranchKind::kSwitch,
                                static_cast<uint32_t>(record->successors.size())});
  }
  for (const Call& call : calls_) {
    if (!call.kept || plan.value_of_edge[call.edge] == kNoValue) continue;
    record->calls.push_back({BciOf(call.insn), call.callee, plan.value_of_edge[call.edge]});
  }
}

}  // namespace iprof::instrument
