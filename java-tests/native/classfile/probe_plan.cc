#include "java-tests/native/classfile/probe_plan.h"

namespace iprof::classfile {

bool IsEmptyFinalizer(const MethodCode& code) {
  return code.count() == 1 && code.file().NameOf(code.method()) == "finalize";
}

Snippet ProbePlan::Probe(MethodEditor& editor, CpIndex field) {
  const auto index = static_cast<int16_t>(next_++ % holder_->counters);
  SnippetBuilder builder = SnippetBuilder(editor.pool(), editor.arena());
  if (kind_ == PlanKind::kNops) return builder.Raw(Op::nop).Finish();
  return builder.GetStatic(field, 1)
      .Sipush(index)
      .Raw(Op::dup2)
      .Raw(Op::laload)
      .Raw(Op::lconst_1)
      .Raw(Op::ladd)
      .Raw(Op::lastore)
      .Finish();
}

void ProbePlan::RecordDense(const MethodCode& code, MethodEditor& editor, CpIndex field) {
  editor.OnEntry(Probe(editor, field));
  const uint32_t n = code.count();
  for (Insn i = 0; i < n; ++i) {
    const Op op = code.at(i).op;
    if ((code.at(i).flags & kIsHandler) != 0) editor.OnHandler(i, Probe(editor, field));
    editor.Before(i, Probe(editor, field));
    if (IsInvoke(op) && op != Op::invokestatic && op != Op::invokedynamic) {
      const std::optional<MemberRef> member = code.Member(i);
      if (member && member->name != "<init>") {
        const FreshLocal local = editor.TakeLocal(1);
        editor.BeforeCall(i, editor.BuildForReceiver().Store('A', local).Finish());
        editor.ReuseLocals();
      }
    }
    const Slot end = code.EndSlot(i);
    // The only edge of a plain instruction is equivalent to the place before the next one. Probe it
    // too, so that tests notice if the two are confused.
    for (Slot slot = code.FirstSlot(i); slot < end; ++slot) {
      editor.OnEdge(i, slot, Probe(editor, field));
    }
  }
  editor.CatchAll(Probe(editor, field));
}

void ProbePlan::Record(const MethodCode& code, MethodEditor& editor) {
  if (kind_ == PlanKind::kRoundTrip) return;
  if (IsEmptyFinalizer(code)) return;
  const CpIndex field = editor.pool().Field(holder_->owner, holder_->field, "[J");
  if (kind_ != PlanKind::kRealistic) {
    RecordDense(code, editor, field);
    return;
  }
  editor.OnEntry(Probe(editor, field));
  for (const Insn i : code.jumps()) {
    const Op op = code.at(i).op;
    if (!IsConditionalBranch(op) && !IsSwitch(op)) continue;
    const Slot end = code.EndSlot(i);
    for (Slot slot = 0; slot < end; ++slot) editor.OnEdge(i, slot, Probe(editor, field));
  }
}

ByteSpan RewriteClass(ByteSpan bytes, PlanKind kind, const ProbeHolder& holder,
                      const RewriteOptions& options, Workspace& memory, uint64_t* reasons,
                      Reason* class_reason, uint64_t* probes, LeftAlone left_alone) {
  ClassFile file;
  *class_reason = file.Parse(bytes, memory.class_memory);
  if (*class_reason != Reason::kOk) return bytes;
  RewriteOptions used = options;
  used.rewrite_untouched = kind == PlanKind::kRoundTrip;
  ClassRewriter rewriter(file, memory, used);
  const auto count = static_cast<uint32_t>(file.methods().size());
  for (uint32_t m = 0; m < count; ++m) {
    const auto attempt = [&](PlanKind with) {
      MethodCode code;
      if (const Reason r = rewriter.Open(m, &code); r != Reason::kOk) return r;
      MethodEditor editor = rewriter.Edit(code);
      ProbePlan plan(with, holder);
      plan.Record(code, editor);
      const Reason r = rewriter.Apply(editor);
      if (r == Reason::kOk) *probes += plan.probes();
      return r;
    };
    Reason r = attempt(kind);
    if (r == Reason::kCodeTooLong && kind == PlanKind::kDense) r = attempt(PlanKind::kNops);
    ++reasons[static_cast<int>(r)];
    if (r != Reason::kOk && left_alone != nullptr) left_alone(file, file.methods()[m], r);
  }
  return rewriter.Finish();
}

}  // namespace iprof::classfile
