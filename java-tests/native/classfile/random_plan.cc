#include "java-tests/native/classfile/random_plan.h"

namespace iprof::classfile {

Snippet RandomPlan::Any(MethodEditor& editor) {
  SnippetBuilder builder(editor.pool(), editor.arena());
  if (style_ != RandomStyle::kNops && random_.Next(2) == 0) {
    const FreshLocal number = editor.TakeLocal(1 + static_cast<int>(random_.Next(2)));
    builder.PushInt(static_cast<int32_t>(random_.Next(1u << 20))).Store('I', number);
    builder.Iinc(number, static_cast<int16_t>(random_.Next(400)));
    builder.GetStatic("java/lang/$Iprof", "rows", "[J").Raw(Op::pop);
    builder.Load('I', number).InvokeStatic("java/lang/$Iprof", "hit", "(I)V");
    if (random_.Next(2) == 0) editor.ReuseLocals();
    return builder.Finish();
  }
  uint32_t nops = random_.Next(4);
  if (long_snippets_ > 0 && random_.Next(24) == 0) {
    --long_snippets_;
    nops = random_.Next(30000);
  }
  if (nops > 16) {
    auto* bytes = editor.arena().AllocateZeroed<uint8_t>(nops);
    Snippet snippet;
    snippet.bytes = bytes;
    snippet.length = nops;
    return snippet;
  }
  for (uint32_t k = 0; k < nops; ++k) builder.Raw(Op::nop);
  return builder.Finish();
}

void RandomPlan::RecordSwitch(const MethodCode& code, MethodEditor& editor, Insn i) {
  const Slot end = code.EndSlot(i);
  Slot slots[8];
  uint32_t shared = 0;
  const Insn target = code.Successor(i, 0);
  for (Slot slot = 0; slot < end; ++slot) {
    if (shared < 8 && code.Successor(i, slot) == target) {
      slots[shared++] = slot;
    } else if (random_.Next(3) == 0) {
      editor.OnEdge(i, slot, Any(editor));
    }
  }
  if (random_.Next(2) == 0) editor.OnEdges(i, std::span<const Slot>(slots, shared), Any(editor));
}

void RandomPlan::RecordCarelessly(const MethodCode& code, MethodEditor& editor, Insn i) {
  const Slot slots[] = {random_.Next(3), random_.Next(3)};
  const InsnRange range[] = {{i, i + random_.Next(code.count())}};
  switch (random_.Next(8)) {
    case 0:
      editor.OnEdge(i, slots[0], Any(editor));
      break;
    case 1:
      editor.OnEdges(i, slots, Any(editor));
      break;
    case 2:
      editor.OnHandler(i, Any(editor));
      break;
    case 3:
      editor.Before(i + random_.Next(code.count()), Any(editor));
      break;
    case 4:
      editor.BeforeCall(i, Any(editor));
      break;
    case 5:
      editor.BeforeCall(i, editor.BuildForReceiver().Raw(Op::pop).Finish());
      break;
    case 6:
      editor.Before(i, editor.Build().Raw(Op::pop).Finish());
      break;
    default:
      editor.CatchAll(range, Any(editor));
      break;
  }
}

void RandomPlan::Record(const MethodCode& code, MethodEditor& editor) {
  if (IsEmptyFinalizer(code)) return;
  long_snippets_ = random_.Next(8) == 0 ? 3 : 0;
  const uint32_t one_in = 1 + random_.Next(12);
  if (random_.Next(2) == 0) editor.OnEntry(Any(editor));
  for (Insn i = 0; i < code.count(); ++i) {
    const Op op = code.at(i).op;
    if ((code.at(i).flags & kIsHandler) != 0 && random_.Next(2) == 0)
      editor.OnHandler(i, Any(editor));
    if (random_.Next(one_in) == 0) editor.Before(i, Any(editor));
    if (style_ == RandomStyle::kCareless && random_.OneIn(64)) RecordCarelessly(code, editor, i);
    if (style_ != RandomStyle::kNops && IsInvoke(op) && op != Op::invokestatic &&
        op != Op::invokedynamic && random_.Next(2) == 0) {
      const std::optional<MemberRef> member = code.Member(i);
      if (member && member->name != "<init>") {
        editor.BeforeCall(i, editor.BuildForReceiver()
                                 .InvokeStatic("java/lang/$Iprof", "see", "(Ljava/lang/Object;)V")
                                 .Finish());
      }
    }
    if (IsSwitch(op)) {
      RecordSwitch(code, editor, i);
      continue;
    }
    const Slot end = code.EndSlot(i);
    for (Slot slot = code.FirstSlot(i); slot < end; ++slot) {
      if (random_.Next(one_in) == 0) editor.OnEdge(i, slot, Any(editor));
    }
  }
  if (random_.Next(3) == 0) {
    const Insn from = random_.Next(code.count());
    const InsnRange range[] = {{from, from + 1 + random_.Next(code.count() - from)}};
    if (random_.Next(2) == 0) {
      editor.CatchAll(Any(editor));
    } else {
      editor.CatchAll(range, Any(editor));
    }
  }
}

ByteSpan RewriteRandomly(ByteSpan bytes, uint64_t seed, RandomStyle style,
                         const RewriteOptions& options, Workspace& memory, uint64_t* reasons) {
  ClassFile file;
  if (file.Parse(bytes, memory.class_memory) != Reason::kOk) return bytes;
  ClassRewriter rewriter(file, memory, options);
  RandomPlan plan(seed, style);
  const auto count = static_cast<uint32_t>(file.methods().size());
  for (uint32_t m = 0; m < count; ++m) {
    MethodCode code;
    Reason r = rewriter.Open(m, &code);
    if (r == Reason::kOk) {
      MethodEditor editor = rewriter.Edit(code);
      plan.Record(code, editor);
      r = rewriter.Apply(editor);
    }
    ++reasons[static_cast<int>(r)];
  }
  return rewriter.Finish();
}

}  // namespace iprof::classfile
