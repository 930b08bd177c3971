// MethodEditor: what to insert into one method, and where.
//
// Guarantees: recording an insertion changes nothing; ClassRewriter::Apply applies all or none.
// Several insertions at one place run in the order in which they were recorded. An insertion costs
// O(1); insertions in ascending code order need no sorting.
// Threads: one, the same as the rewriter's.
// Failure: if an insertion is impossible (no such edge, a call without a receiver, a damaged
// snippet), Apply returns the reason and the method stays as it was.
//
// The order of inserted code, from an instruction's predecessor to the instruction:
//
//        <predecessor>
//        <fall-through edge code>     only if control falls in from the predecessor
//     L: <handler code>               only if L is a handler that only exceptions reach
//        <before code>                always (all branches, switches and handlers go to L)
//        <edge code of a goto or jsr> a goto has one way out, so its edge code is before it
//        <instruction>
//
// Code on a taken edge or a switch key is placed in a trampoline `code; goto target`, which reuses
// the target's stack map frame. If a handler is also reached normally, its handler code is placed
// in a stub of the same form. Code at the method's entry runs once per invocation, before L of the
// first instruction, even if that is a loop head.
//
// A handler is often inside a range that it protects itself: javac ends the range of a finally or
// synchronized block after the first instructions of its handler. C1 refuses a method in which an
// instruction of a handler's first block can throw to that handler ("exception handler covers
// itself"), and C1 assumes that our array accesses can throw. So such a range leaves out the code
// that is inserted into that block. This is not possible in methods that lock something, because
// every instruction that can throw while a monitor is held must be in a range that releases it. In
// those methods the handler code is placed in a stub. The stub's own exceptions go to a landing,
// which only jumps to L:
//
//     S: <handler code>            ranges that were caught at L are now caught at S ...
//        goto L
//     T: goto L                    ... except S and T themselves, which are caught at T
//
// In such a method, every handler that catches exceptions of any class is treated this way, because
// it may be the one that releases the monitor, and then nothing else protects it.
//
// Exceptions: code before the first instruction of a protected range is inside the range; code
// before the range's exclusive end is outside. In a method that enters a monitor, trampolines and
// stubs are protected exactly like their target, by entries next to the original ones; handlers
// that protect themselves are the exception described above. (HotSpot does not compile a method in
// which an instruction that can throw holds a monitor outside every handler that would release it.)
// In other methods they are not protected: a trampoline on a handler's way back into its own range
// would make a loop of the handler, and C1 refuses some of those. Code at the method's entry, and
// code on a fall-through edge into the start of a range, is outside the range, unless the edge
// comes from a monitorenter. Code on the fall-through edge after a range's last instruction is
// inside only if that instruction is a conditional branch, because a branch changes no local that
// the handler's frame may name.
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

  // For Before() an instruction that takes a reference from the stack: the snippet can read that
  // reference.
  SnippetBuilder BuildForTop() { return SnippetBuilder(*pool_, *arena_, SnippetKind::kPeek); }
  // The same for an instruction that takes two ints or two references.
  SnippetBuilder BuildForTopTwo() { return SnippetBuilder(*pool_, *arena_, SnippetKind::kPeekTwo); }

  // A local for use within one insertion. After ReuseLocals(), another insertion may use the same
  // index.
  FreshLocal TakeLocal(int slots);
  void ReuseLocals() { next_local_ = code_->max_locals(); }

  void OnEntry(const Snippet& snippet);
  void Before(Insn i, const Snippet& snippet);
  // At most one per edge; to put two snippets on one edge, join them. If the edge is the target's
  // only way in, Before(target) is smaller.
  void OnEdge(Insn i, Slot slot, const Snippet& snippet);
  // One trampoline for several keys of a switch that have the same target.
  void OnEdges(Insn i, std::span<const Slot> slots, const Snippet& snippet);
  // Runs when an exception enters `handler` (the first instruction of a handler). The exception is
  // on the stack and stays there.
  void OnHandler(Insn handler, const Snippet& snippet);
  // Before the call at i, pushes a copy of the receiver, which the snippet (kReceiver) consumes.
  // One or two slots of arguments stay on the stack. If there are more, the last ones wait in fresh
  // locals, which are cleared before the call: the interpreter treats all of a frame's locals as
  // live and would keep the arguments reachable while the callee runs. Not for constructor calls
  // (kUninitializedReceiver), invokestatic and invokedynamic (kNoReceiver).
  void BeforeCall(Insn i, const Snippet& receiver_snippet);
  // Adds one handler of lowest priority for everything that is thrown in the ranges. It runs the
  // snippet and rethrows. Code of a constructor that may run before super() or this() is excluded.
  // At most one per method.
  void CatchAll(std::span<const InsnRange> ranges, const Snippet& snippet);
  void CatchAll(const Snippet& snippet);  // the whole method

  bool empty() const {
    return pieces_.empty() && routes_.empty() && handler_stubs_.empty() && !has_catch_all_;
  }
  // Why the first impossible insertion is impossible; kOk if there is none so far.
  Reason reason() const { return reason_; }

  // For the rewriter.
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
    bool landing = false;  // it is the landing of the stub before it
  };
  ArenaVector<Piece>& pieces() { return pieces_; }
  ArenaVector<Route>& routes() { return routes_; }
  ArenaVector<Stub>& trampolines() { return trampolines_; }
  ArenaVector<Stub>& handler_stubs() { return handler_stubs_; }
  bool has_catch_all() const { return has_catch_all_; }
  const Snippet& catch_all() const { return catch_all_; }
  void DropCatchAll() { has_catch_all_ = false; }
  ArenaVector<InsnRange>& catch_all_ranges() { return catch_all_ranges_; }
  uint32_t locals_used() const { return max_local_; }  // max_locals including the fresh locals
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
