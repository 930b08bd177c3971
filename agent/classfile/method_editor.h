// MethodEditor: what shall be inserted into one method, and where.
//
// Guarantees: recording an insertion changes nothing; ClassRewriter::Apply does all or nothing. An
// insertion that cannot be (no such edge, a receiver that is none, a damaged snippet) makes Apply
// give its reason and leaves the method as it was. Several insertions at one place run in the order
// in which they were recorded. Insertions cost O(1) each; in ascending code order they are not even
// sorted.
//
// Where inserted code runs, from an instruction's predecessor to the instruction:
//
//        <predecessor>
//        <fall-through edge code>     only when control falls in from the predecessor
//     L: <handler code>               only when L is a handler that is entered by exceptions alone
//        <before code>                always (all branches, switches, handlers go to L)
//        <edge code of a goto or jsr> a goto has one way out: its edge code stands before it
//        <instruction>
//
// Code on a taken edge or a switch key goes to a trampoline `code; goto target`, which reuses the
// target's stack map frame. Handler code of a handler that is also reached normally goes to a stub
// of the same shape. Code at the method's entry runs once per invocation, before L of the first
// instruction even when that is a loop head.
//
// A handler often stands in a range that it catches for itself: javac ends the range of a finally
// or synchronized block behind the first instructions of its handler. C1 refuses a method in which
// an instruction of a handler's first block can throw to that handler ("exception handler covers
// itself"), and our array accesses look as if they could. So such a range leaves out the code that
// is inserted into that block. Where the method locks something, that would not do, since every
// instruction that can throw while a monitor is held must be in a range that releases it: there
// the handler code stands in a stub, whose own exceptions go to a landing that only jumps to L:
//
//     S: <handler code>            ranges that caught at L now catch at S ...
//        goto L
//     T: goto L                    ... except for S and T themselves: they catch at T
//
// So it is, too, with every handler of such a method that catches exceptions of any class: it may be
// the one that releases the monitor, and then nothing else covers it.
//
// Exceptions: code before the first instruction of a protected range is inside the range, code
// before its exclusive end is outside; trampolines and stubs are protected exactly like their
// target, by entries that stand beside the original ones. Handlers that catch for themselves are
// the exception, see above. (HotSpot declines to compile a method in
// which an instruction that can throw holds a monitor outside any handler that would release it.)
// Code at the method's entry and on a fall-through edge into the start of a range is outside it,
// unless the edge comes from a monitorenter; on the fall-through edge behind a range's last instruction it is inside only when that is a
// conditional branch, which changes no local that the handler's frame may name.
#pragma once

#include "agent/classfile/code.h"
#include "agent/classfile/snippet.h"

namespace iprof::classfile {

struct InsnRange {
  Insn from;
  Insn to;  // exclusive
};

class MethodEditor {
 public:
  // Made by ClassRewriter::Edit.
  MethodEditor(MethodCode& code, PoolAdditions& pool, Arena& arena)
      : code_(&code), pool_(&pool), arena_(&arena), next_local_(code.max_locals()) {}

  const MethodCode& code() const { return *code_; }
  PoolAdditions& pool() { return *pool_; }
  SnippetBuilder Build() { return SnippetBuilder(*pool_, *arena_); }
  SnippetBuilder BuildForReceiver() {
    return SnippetBuilder(*pool_, *arena_, SnippetKind::kReceiver);
  }

  // For Before() an instruction that takes a reference from the stack: the snippet looks at it.
  SnippetBuilder BuildForTop() { return SnippetBuilder(*pool_, *arena_, SnippetKind::kPeek); }

  // A local for use within one insertion; locals of different insertions may share an index when
  // taken after ReuseLocals().
  FreshLocal TakeLocal(int slots);
  void ReuseLocals() { next_local_ = code_->max_locals(); }

  void OnEntry(const Snippet& snippet);
  void Before(Insn i, const Snippet& snippet);
  // Every edge at most once (join snippets to put two on one edge). When the edge is the target's
  // only way in, Before(target) is smaller.
  void OnEdge(Insn i, Slot slot, const Snippet& snippet);
  // One trampoline for several keys of a switch that share their target.
  void OnEdges(Insn i, std::span<const Slot> slots, const Snippet& snippet);
  // Runs when `handler` (the first instruction of a handler) is entered by an exception; the
  // exception is on the stack and stays there.
  void OnHandler(Insn handler, const Snippet& snippet);
  // Before the call at i: a copy of the receiver comes to the top of the stack and the snippet
  // (kReceiver) consumes it. Arguments of one or two slots stay on the stack; of more, the last
  // ones wait in fresh locals, which hold no reference when the call is made: the interpreter takes
  // a frame's locals for alive whether or not they are read again, and would keep the arguments for
  // as long as the callee runs. Not for constructor calls (kUninitializedReceiver), invokestatic
  // and invokedynamic (kNoReceiver).
  void BeforeCall(Insn i, const Snippet& receiver_snippet);
  // One handler of lowest priority for everything thrown out of the ranges: runs the snippet and
  // throws again. Code of a constructor that may run before super() or this() is taken out of the
  // ranges. At most one per method.
  void CatchAll(std::span<const InsnRange> ranges, const Snippet& snippet);
  void CatchAll(const Snippet& snippet);  // the whole method

  bool empty() const {
    return pieces_.empty() && routes_.empty() && handler_stubs_.empty() && !has_catch_all_;
  }
  // The first insertion that cannot be; kOk when all can so far.
  Reason reason() const { return reason_; }

  // What the rewriter reads.
  enum class Place : uint8_t { kFallEdge, kHandler, kBefore, kJumpEdge };
  struct Piece {
    Insn insn;
    Place place;
    uint16_t extra_stack;
    uint32_t length;
    const uint8_t* bytes;
    uint32_t order;
  };
  struct Route {  // an edge that goes through a trampoline
    Insn insn;
    Slot slot;
    uint32_t trampoline;
  };
  struct Stub {  // a trampoline or handler stub
    Insn source;
    Insn target;
    uint32_t length;
    const uint8_t* bytes;
    uint16_t extra_stack;
    bool landing = false;  // of the handler stub before it
  };
  ArenaVector<Piece>& pieces() { return pieces_; }
  ArenaVector<Route>& routes() { return routes_; }
  ArenaVector<Stub>& trampolines() { return trampolines_; }
  ArenaVector<Stub>& handler_stubs() { return handler_stubs_; }
  bool has_catch_all() const { return has_catch_all_; }
  const Snippet& catch_all() const { return catch_all_; }
  void DropCatchAll() { has_catch_all_ = false; }
  ArenaVector<InsnRange>& catch_all_ranges() { return catch_all_ranges_; }
  uint32_t locals_used() const { return max_local_; }  // max_locals with the fresh ones
  MethodCode& mutable_code() { return *code_; }
  Arena& arena() { return *arena_; }

 private:
  bool Accept(Insn i, const Snippet& snippet, uint16_t consumed);
  void AddPiece(Insn i, Place place, const Snippet& snippet);
  void Fail(Reason reason) {
    if (reason_ == Reason::kOk) reason_ = reason;
  }

  MethodCode* code_;
  PoolAdditions* pool_;
  Arena* arena_;
  Reason reason_ = Reason::kOk;
  uint32_t next_local_;
  uint32_t max_local_ = 0;
  ArenaVector<Piece> pieces_;
  ArenaVector<Route> routes_;
  ArenaVector<Stub> trampolines_;
  ArenaVector<Stub> handler_stubs_;
  ArenaVector<InsnRange> catch_all_ranges_;
  Snippet catch_all_;
  bool has_catch_all_ = false;
};

}  // namespace iprof::classfile
