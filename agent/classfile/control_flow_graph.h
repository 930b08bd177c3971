// ControlFlowGraph: the basic blocks of a method and the edges between them.
//
// Guarantees: blocks are in code order and cover every instruction; block 0 is the entry. The edges
// out of a block are consecutive: first the normal ones in slot order, then one per exception-table
// entry whose range overlaps the block, in table order (several may lead to one handler). A switch
// has one edge per key and one for the default, even if they share targets. A jsr has only the edge
// to its subroutine, and ret has none, so do not use the graph for methods with has_jsr(). Memory
// is linear in code and edges.
// Threads: const methods may run in parallel after Build.
// Failure: Build returns kTooComplex if the exception table would make the graph too large.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::classfile {

enum class EdgeKind : uint8_t { kFallThrough, kJump, kSwitchKey, kSwitchDefault, kException };

struct Edge {
  uint32_t from;  // block
  uint32_t to;    // block
  uint32_t slot;  // slot of the block's last instruction; for kException: number of the table entry
  EdgeKind kind;
};

struct Block {
  Insn first;
  Insn end;             // exclusive
  uint32_t first_edge;  // into edges()
  uint32_t edge_count;
  uint32_t normal_in;  // incoming edges, without exceptions and without the method's entry
  bool is_handler;
  bool is_exit;    // ends with return, athrow or ret
  bool reachable;  // from the entry, also through exceptions

  Insn last() const { return end - 1; }
};

class ControlFlowGraph {
 public:
  Reason Build(const MethodCode& code, Arena& arena);

  std::span<const Block> blocks() const { return {blocks_, block_count_}; }
  std::span<const Edge> edges() const { return {edges_, edge_count_}; }
  std::span<const Edge> EdgesOf(const Block& b) const {
    return {edges_ + b.first_edge, b.edge_count};
  }
  uint32_t BlockOf(Insn i) const { return block_of_[i]; }

 private:
  void MarkReachable(const MethodCode& code, Arena& arena);

  Block* blocks_ = nullptr;
  Edge* edges_ = nullptr;
  uint32_t* block_of_ = nullptr;
  uint32_t block_count_ = 0;
  uint32_t edge_count_ = 0;
};

}  // namespace iprof::classfile
