// Snippet: a piece of straight-line code to insert, and the builder that makes it.
//
// Guarantees: a finished snippet leaves the operand stack as it found it, or exactly one slot lower
// if it was built to consume a receiver. It knows how much stack it needs, and changes no local
// except fresh ones. It contains no branches, so it can be inserted anywhere.
// Threads: one per builder.
// Failure: a misused builder (stack underflow, a constant that did not fit the pool, more than
// 65,535 bytes) makes a snippet that is not valid(), and the editor refuses it with the reason.
#pragma once

#include "agent/classfile/arena.h"
#include "agent/classfile/opcodes.h"
#include "agent/classfile/pool_additions.h"

namespace iprof::classfile {

// A local variable beyond the method's own ones.
struct FreshLocal {
  uint16_t index;
};

struct Snippet {
  const uint8_t* bytes = nullptr;
  uint32_t length = 0;
  uint16_t extra_stack = 0;  // on top of what is on the stack where it starts
  uint16_t consumed = 0;     // slots taken from what was on the stack
  Reason reason = Reason::kOk;

  bool valid() const { return reason == Reason::kOk; }
};

// kPlain leaves the stack as it was. kReceiver starts with a reference on the stack and consumes
// it. kPeek and kPeekTwo start with one or two slots on the stack, which they may duplicate but leave there.
enum class SnippetKind : uint8_t { kPlain, kReceiver, kPeek, kPeekTwo };

class SnippetBuilder {
 public:
  SnippetBuilder(PoolAdditions& pool, Arena& arena, SnippetKind kind = SnippetKind::kPlain)
      : pool_(&pool),
        arena_(&arena),
        consumed_(kind == SnippetKind::kReceiver ? 1 : 0),
        depth_(kind == SnippetKind::kPlain     ? 0
               : kind == SnippetKind::kPeekTwo ? 2
                                               : 1) {
    base_ = depth_;
    max_ = depth_;
  }

  SnippetBuilder(const SnippetBuilder&) = delete;
  SnippetBuilder& operator=(const SnippetBuilder&) = delete;

  // Pushes an int with the shortest of iconst, bipush, sipush, ldc, ldc_w.
  SnippetBuilder& PushInt(int32_t value);
  // Always sipush, so that all probes of a method have the same length.
  SnippetBuilder& Sipush(int16_t value);
  // An instruction without operands: dup2, laload, lconst_1, ladd, lastore …
  SnippetBuilder& Raw(Op op);
  // type: 'I','J','F','D','A'
  SnippetBuilder& Load(char type, FreshLocal local);
  SnippetBuilder& Store(char type, FreshLocal local);
  SnippetBuilder& Iinc(FreshLocal local, int16_t by);
  // Loads `this` (local 0) or another of the method's own locals. The caller must know that it is
  // initialised.
  SnippetBuilder& LoadOwn(char type, uint16_t local);
  SnippetBuilder& GetStatic(CpIndex field, int slots);
  SnippetBuilder& GetStatic(std::string_view owner, std::string_view name,
                            std::string_view descriptor);
  SnippetBuilder& InvokeStatic(CpIndex method, int argument_slots, int result_slots);
  SnippetBuilder& InvokeStatic(std::string_view owner, std::string_view name,
                               std::string_view descriptor);
  // invokedynamic or a call with a receiver. The constant and the slots are used as given.
  SnippetBuilder& Invoke(Op op, CpIndex constant, int popped_slots, int pushed_slots);
  SnippetBuilder& LoadConstant(CpIndex constant);  // ldc or ldc_w of a one-slot constant

  // Ends the snippet. The builder can then be used for a new snippet of the same kind.
  Snippet Finish();

 private:
  SnippetBuilder& Emit(const uint8_t* bytes, uint32_t count, int pops, int pushes);
  SnippetBuilder& LocalOp(Op op, uint16_t local, int pops, int pushes);
  void Fail(Reason reason) {
    if (reason_ == Reason::kOk) reason_ = reason;
  }

  PoolAdditions* pool_;
  Arena* arena_;
  Reason reason_ = Reason::kOk;
  int consumed_ = 0;
  int depth_ = 0;
  int base_ = 0;
  int max_ = 0;
  uint32_t length_ = 0;
  uint32_t capacity_ = 0;
  uint8_t* bytes_ = nullptr;
  uint8_t inline_bytes_[64];
};

}  // namespace iprof::classfile
