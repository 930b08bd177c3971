#include "agent/instrument/probe_emitter.h"

#include "agent/instrument/inherited_members.h"

namespace iprof::instrument {
namespace {

using classfile::MethodEditor;
using classfile::Op;
using classfile::Snippet;

class Emitter {
 public:
  Emitter(const CounterHolder& holder, CounterIndex first, MethodEditor& editor)
      : editor_(editor),
        first_(first),
        chunk_(holder.inherited_chunk),
        array_(ArrayOf(holder, editor)),
        called_(IsCalled(holder)) {}

  Snippet Increment(uint32_t counter) {
    auto build = editor_.Build();
    if (called_ && chunk_) {
      build.PushInt(static_cast<int32_t>(*chunk_)).InvokeStatic(array_, 1, 1);
    } else if (called_) {
      build.InvokeStatic(array_, 0, 1);
    } else {
      build.GetStatic(array_, 1);
    }
    const uint32_t index = IndexInChunk(first_) + counter;
    return build.Sipush(static_cast<int16_t>(index))
        .Raw(Op::dup2)
        .Raw(Op::laload)
        .Raw(Op::lconst_1)
        .Raw(Op::ladd)
        .Raw(Op::lastore)
        .Finish();
  }

 private:
  // Whether the array comes from a method.
  static bool IsCalled(const CounterHolder& holder) {
    return holder.striped ||
           (holder.inherited_chunk && *holder.inherited_chunk >= kInheritedFields);
  }

  static classfile::CpIndex ArrayOf(const CounterHolder& holder, MethodEditor& editor) {
    const classfile::ClassFile& file = editor.code().file();
    if (holder.inherited_chunk) {
      return IsCalled(holder) ? InheritedMethodRef(file, kInheritedRow, editor.pool())
                              : InheritedField(file, *holder.inherited_chunk, editor.pool());
    }
    return holder.striped ? editor.pool().Method(holder.class_name, "row", "()[J")
                          : editor.pool().Field(holder.class_name, "c", "[J");
  }

  MethodEditor& editor_;
  const CounterIndex first_;
  const std::optional<uint32_t> chunk_;
  const classfile::CpIndex array_;
  const bool called_;
};

}  // namespace

void EmitProbes(const ProbePlan& plan, const CounterHolder& holder, CounterIndex first,
                MethodEditor& editor) {
  Emitter emitter(holder, first, editor);
  for (uint32_t i = 0; i < plan.probes.size(); ++i) {
    const Probe& probe = plan.probes[i];
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
    }
  }
  if (plan.unwind_counter != kNoCounter) editor.CatchAll(emitter.Increment(plan.unwind_counter));
}

}  // namespace iprof::instrument
