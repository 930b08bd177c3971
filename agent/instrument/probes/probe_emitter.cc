#include "agent/instrument/probes/probe_emitter.h"

#include "agent/instrument/probes/inherited_members.h"

namespace iprof::instrument {
namespace {

using classfile::MethodEditor;
using classfile::Op;
using classfile::Snippet;

class Emitter {
 public:
  Emitter(const CounterHolder& holder, ProbeForm form, CounterIndex first, MethodEditor& editor)
      : editor_(editor),
        first_(first),
        form_(CounterFormOf(form, holder.striped)),
        chunk_(holder.inherited_chunk),
        class_name_(holder.class_name),
        member_(MemberOf(holder, form_, editor)),
        called_(IsCalled(holder)) {}

  // Before a tableswitch: its slots have consecutive counters; the default's is the last.
  Snippet IncrementByKey(classfile::Insn table, uint32_t counter) {
    const classfile::MethodCode& code = editor_.code();
    const classfile::CpIndex count =
        chunk_ ? InheritedMethodRef(code.file(), kInheritedCountKey, editor_.pool())
               : editor_.pool().Method(class_name_, "hitKey", "(IIII)V");
    auto build = editor_.BuildForTop();
    build.Raw(Op::dup)
        .PushInt(code.SwitchKey(table, 1))
        .Sipush(static_cast<int16_t>(code.SwitchKeyCount(table)));
    return PushNumber(counter, build).InvokeStatic(count, 4, 0).Finish();
  }

  Snippet Increment(uint32_t counter) {
    auto build = editor_.Build();
    if (form_ == ProbeForm::kCompact) {
      return PushNumber(counter, build).InvokeStatic(member_, 1, 0).Finish();
    }
    if (called_) {
      build.PushInt(static_cast<int32_t>(*chunk_)).InvokeStatic(member_, 1, 1);
    } else {
      build.GetStatic(member_, 1);
    }
    return build.Sipush(IndexOf(counter))
        .Raw(Op::dup2)
        .Raw(Op::laload)
        .Raw(Op::lconst_1)
        .Raw(Op::ladd)
        .Raw(Op::lastore)
        .Finish();
  }

 private:
  // Whether the array of an inline probe comes from a method.
  static bool IsCalled(const CounterHolder& holder) {
    return holder.inherited_chunk && *holder.inherited_chunk >= kInheritedFields;
  }

  int16_t IndexOf(uint32_t counter) const {
    return static_cast<int16_t>(IndexInChunk(first_) + counter);
  }

  // Pushes the number for a compact probe: with inherited members, the counter's number among all.
  classfile::SnippetBuilder& PushNumber(uint32_t counter, classfile::SnippetBuilder& build) const {
    if (!chunk_) return build.Sipush(IndexOf(counter));
    return build.PushInt(static_cast<int32_t>(static_cast<uint32_t>(first_) + counter));
  }

  // The member that a probe names: the array, the method that returns it, or the method that
  // increments.
  static classfile::CpIndex MemberOf(const CounterHolder& holder, ProbeForm form,
                                     MethodEditor& editor) {
    const classfile::ClassFile& file = editor.code().file();
    if (form == ProbeForm::kCompact) {
      return holder.inherited_chunk ? InheritedMethodRef(file, kInheritedCount, editor.pool())
                                    : editor.pool().Method(holder.class_name, "hit", "(I)V");
    }
    if (holder.inherited_chunk) {
      return IsCalled(holder) ? InheritedMethodRef(file, kInheritedRow, editor.pool())
                              : InheritedField(file, *holder.inherited_chunk, editor.pool());
    }
    return editor.pool().Field(holder.class_name, "c", "[J");
  }

  MethodEditor& editor_;
  const CounterIndex first_;
  const ProbeForm form_;
  const std::optional<uint32_t> chunk_;
  const std::string_view class_name_;
  const classfile::CpIndex member_;
  const bool called_;
};

}  // namespace

ProbeLengths LengthsOf(ProbeForm form) {
  return form == ProbeForm::kInline ? ProbeLengths{11, 13} : ProbeLengths{6, 13};
}

void EmitProbes(const ProbePlan& plan, const CounterHolder& holder, ProbeForm form,
                CounterIndex first, MethodEditor& editor) {
  Emitter emitter(holder, form, first, editor);
  for (uint32_t i = 0; i < plan.probes.size(); ++i) {
    const Probe& probe = plan.probes[i];
    if (probe.at == ProbeAt::kByKey) {
      constexpr uint32_t kFirstKey = 1;
      if (probe.slot == kFirstKey) editor.Before(probe.insn, emitter.IncrementByKey(probe.insn, i));
      continue;
    }
    const Snippet snippet = emitter.Increment(i);
    switch (probe.at) {
      case ProbeAt::kMethodEntry:
        editor.OnEntry(snippet);
        break;
      case ProbeAt::kHandlerEntry:
        editor.OnHandler(probe.insn, snippet);
        break;
      case ProbeAt::kBlockHead:
      case ProbeAt::kBefore:
        editor.Before(probe.insn, snippet);
        break;
      case ProbeAt::kAfter:
        editor.OnEdge(probe.insn, classfile::kFallThrough, snippet);
        break;
      case ProbeAt::kTaken:
      case ProbeAt::kSlot:
        editor.OnEdge(probe.insn, probe.slot, snippet);
        break;
      case ProbeAt::kByKey:
        break;
    }
  }
  if (plan.unwind_counter != kNoCounter) editor.CatchAll(emitter.Increment(plan.unwind_counter));
}

}  // namespace iprof::instrument
