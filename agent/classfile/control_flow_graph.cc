#include "agent/classfile/control_flow_graph.h"

namespace iprof::classfile {

namespace {

EdgeKind KindOf(Op op, Slot slot) {
  if (IsSwitch(op)) return slot == kSwitchDefault ? EdgeKind::kSwitchDefault : EdgeKind::kSwitchKey;
  return slot == kFallThrough ? EdgeKind::kFallThrough : EdgeKind::kJump;
}

}  // namespace

Reason ControlFlowGraph::Build(const MethodCode& code, Arena& arena) {
  const uint32_t n = code.count();
  block_of_ = arena.Allocate<uint32_t>(n);
  uint32_t blocks = 0;
  for (Insn i = 0; i < n; ++i) {
    if (code.StartsBlock(i)) ++blocks;
    block_of_[i] = blocks - 1;
  }
  blocks_ = arena.AllocateZeroed<Block>(blocks);
  block_count_ = blocks;
  uint64_t edge_bound = 0;
  for (Insn i = 0; i < n; ++i) {
    Block& b = blocks_[block_of_[i]];
    if (i == 0 || block_of_[i - 1] != block_of_[i]) b.first = i;
    b.end = i + 1;
  }
  for (uint32_t b = 0; b < blocks; ++b) {
    const Insn last = blocks_[b].last();
    edge_bound += code.EndSlot(last);
  }
  const uint64_t exception_limit = uint64_t{n} * 8 + 65536;
  uint64_t exception_edges = 0;
  for (const ExceptionEntry& e : code.exceptions()) {
    exception_edges += block_of_[e.to - 1] - block_of_[e.from] + 1;
    blocks_[block_of_[e.handler]].is_handler = true;
  }
  if (exception_edges > exception_limit) return Reason::kTooComplex;

  // Exceptions by block, in table order: count, then fill.
  uint32_t* exception_start = arena.AllocateZeroed<uint32_t>(size_t{blocks} + 1);
  uint32_t* exception_of = arena.Allocate<uint32_t>(exception_edges);
  if (exception_edges != 0) {
    for (const ExceptionEntry& e : code.exceptions()) {
      for (uint32_t b = block_of_[e.from]; b <= block_of_[e.to - 1]; ++b) ++exception_start[b + 1];
    }
    for (uint32_t b = 0; b < blocks; ++b) exception_start[b + 1] += exception_start[b];
    uint32_t* cursor = arena.Allocate<uint32_t>(blocks);
    std::memcpy(cursor, exception_start, blocks * sizeof(uint32_t));
    uint32_t entry = 0;
    for (const ExceptionEntry& e : code.exceptions()) {
      for (uint32_t b = block_of_[e.from]; b <= block_of_[e.to - 1]; ++b) {
        exception_of[cursor[b]++] = entry;
      }
      ++entry;
    }
  }

  edges_ = arena.Allocate<Edge>(edge_bound + exception_edges);
  uint32_t count = 0;
  for (uint32_t b = 0; b < blocks; ++b) {
    Block& block = blocks_[b];
    block.first_edge = count;
    const Insn last = block.last();
    const Op op = code.at(last).op;
    block.is_exit = IsReturn(op) || op == Op::athrow || op == Op::ret;
    const Slot first = IsJsr(op) ? kTaken : code.FirstSlot(last);
    const Slot end = code.EndSlot(last);
    for (Slot slot = first; slot < end; ++slot) {
      const uint32_t to = block_of_[code.Successor(last, slot)];
      edges_[count++] = {b, to, slot, KindOf(op, slot)};
      ++blocks_[to].normal_in;
    }
    for (uint32_t k = exception_start[b]; k < exception_start[b + 1]; ++k) {
      const uint32_t entry = exception_of[k];
      const uint32_t to = block_of_[code.exceptions()[entry].handler];
      edges_[count++] = {b, to, entry, EdgeKind::kException};
    }
    block.edge_count = count - block.first_edge;
  }
  edge_count_ = count;
  MarkReachable(code, arena);
  return Reason::kOk;
}

void ControlFlowGraph::MarkReachable(const MethodCode& code, Arena& arena) {
  uint32_t* stack = arena.Allocate<uint32_t>(block_count_);
  uint32_t depth = 0;
  stack[depth++] = 0;
  blocks_[0].reachable = true;
  while (depth != 0) {
    const Block& b = blocks_[stack[--depth]];
    for (const Edge& e : EdgesOf(b)) {
      Block& to = blocks_[e.to];
      if (to.reachable) continue;
      to.reachable = true;
      stack[depth++] = e.to;
    }
    // The code after a jsr runs when its subroutine returns.
    if (IsJsr(code.at(b.last()).op) && b.end < code.count()) {
      const uint32_t next = block_of_[b.end];
      if (!blocks_[next].reachable) {
        blocks_[next].reachable = true;
        stack[depth++] = next;
      }
    }
  }
}

}  // namespace iprof::classfile
