// CountingGraph: a method's control flow, reduced to what counting needs: nodes and edges without
// bytecode.
//
// Guarantees:
// - Node 0 is kRoot, which is outside the method: entry and handler-entry edges leave it, return
//   and throw edges reach it. All other nodes are basic blocks or parts of them, added in bytecode
//   order.
// - Ids are consecutive and never change. Clear() keeps the memory, so one graph per thread serves
//   every method without allocating.
// - An edge's count is how often control *reached the edge's end*: an if's two successors, each
//   slot of a switch, a jump, falling through to the next block, reaching a return or athrow
//   instruction. A block may be split into parts, joined by kInside edges, whose count is how often
//   the next part began.
// - Exceptions in the middle of a block are not edges: they leave a node uncounted (may_throw) and
//   come back through a kHandler edge from the root, or not at all.
//
// Why without bytecode: placement and derivation are proven on random graphs, without class files.
// Only the adapter from bytecode (method_graph.h) knows both sides.
//
// Threads: not synchronised. Failure: an id that did not come from this graph is a logic error
// (assert).
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

namespace iprof::instrument {

enum class NodeId : uint32_t {};
enum class EdgeId : uint32_t {};
inline constexpr NodeId kRoot{0};
inline constexpr EdgeId kEntryEdge{0};
constexpr uint32_t Index(NodeId id) { return static_cast<uint32_t>(id); }
constexpr uint32_t Index(EdgeId id) { return static_cast<uint32_t>(id); }

enum class EdgeKind : uint8_t {
  kEntry,        // root -> first block: the method was entered; exactly one, always edge 0
  kHandler,      // root -> handler block, by an exception
  kInside,       // a part of a split block -> its next part
  kFallThrough,  // end of a block that falls through to the next
  kNotTaken,     // an if's fall-through
  kTaken,        // an if's target
  kJump,         // goto
  kSlot,         // a switch's key (in key order) or default (last)
  kReturn,       // block -> root, at the return instruction
  kThrow,        // block -> root, at the athrow instruction
};

struct CountingEdge {
  NodeId src;
  NodeId dst;
  // The last instruction of the source (in the adapter's numbering). For kEntry, kHandler and
  // kInside: the first instruction of the destination.
  uint32_t insn;
  uint32_t slot;  // kSlot: which
  EdgeKind kind;
  // How likely the edge is compared with the other ways out of its source, as far as the
  // instructions show it (branch_guesses.h).
  float odds;
  bool required;        // an output: its count must be known after the run
  bool by_key = false;  // kSlot: one probe before the switch counts all of its slots by the key
};

struct CountingNode {
  uint32_t first_insn;
  bool may_throw;  // an exception may leave it before its outgoing edges are counted
  bool calls;      // … an exception of any class, because it calls something
  bool caught;     // … and continue in the method: see caught_exceptions.h
  bool unguarded;  // … at a place that a catch-any handler cannot protect (before super())
  bool cold;       // known to be rare: ends in athrow

  // Merges the other block into this one (coarse_graph.h): all that may happen in either may happen
  // in the merged one.
  void Absorb(const CountingNode& other) {
    may_throw = may_throw || other.may_throw;
    calls = calls || other.calls;
    caught = caught || other.caught;
    unguarded = unguarded || other.unguarded;
    cold = cold || other.cold;
  }
};

// One exception table entry: the nodes from first to end-1 are protected, and control continues at
// `handler`. If a range starts or ends inside a block, the block belongs to it.
struct HandlerRange {
  NodeId first;
  NodeId end;
  NodeId handler;
  bool calls_only = false;  // it catches nothing that instructions other than calls throw

  // Whether an exception from the middle of the node may reach the handler.
  bool MayCatch(const CountingNode& node) const { return calls_only ? node.calls : node.may_throw; }
};

class CountingGraph {
 public:
  CountingGraph() { Clear(); }

  // Clears the graph and keeps the memory. Afterwards only the root exists.
  void Clear();

  NodeId AddNode(uint32_t first_insn);
  EdgeId AddEdge(EdgeKind kind, NodeId src, NodeId dst, uint32_t insn = 0, uint32_t slot = 0);
  void AddHandlerRange(HandlerRange range) { ranges_.push_back(range); }

  CountingNode& node(NodeId id) { return nodes_[Index(id)]; }
  const CountingNode& node(NodeId id) const { return nodes_[Index(id)]; }
  CountingEdge& edge(EdgeId id) { return edges_[Index(id)]; }
  const CountingEdge& edge(EdgeId id) const { return edges_[Index(id)]; }
  void Require(EdgeId id) { edges_[Index(id)].required = true; }

  uint32_t node_count() const { return static_cast<uint32_t>(nodes_.size()); }
  uint32_t edge_count() const { return static_cast<uint32_t>(edges_.size()); }
  std::span<const CountingNode> nodes() const { return nodes_; }
  std::span<const CountingEdge> edges() const { return edges_; }
  std::span<const HandlerRange> ranges() const { return ranges_; }

  // Builds the lists for Out and In. Call it after the last AddNode and AddEdge. Linear.
  void Finish();
  // Edge numbers in ascending order.
  std::span<const uint32_t> Out(uint32_t node) const {
    assert(finished_);
    return {out_.data() + out_begin_[node], out_begin_[node + 1] - out_begin_[node]};
  }
  std::span<const uint32_t> In(uint32_t node) const {
    assert(finished_);
    return {in_.data() + in_begin_[node], in_begin_[node + 1] - in_begin_[node]};
  }

 private:
  std::vector<CountingNode> nodes_;
  std::vector<CountingEdge> edges_;
  std::vector<HandlerRange> ranges_;
  std::vector<uint32_t> out_begin_, out_, in_begin_, in_;
  bool finished_ = false;
};

}  // namespace iprof::instrument
