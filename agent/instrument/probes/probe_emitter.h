// ProbeEmitter: inserts a plan's counters into a method as bytecode.
//
// A probe is  getstatic c; sipush i; dup2; laload; lconst_1; ladd; lastore  (11 bytes), which C2
// compiles to one increment of memory. If the class's loader may not find the holder, the probe
// names the members that every class inherits (inherited_members.h): a field, or  push chunk;
// invokestatic row(int).
//
// Methods that would become too long get compact probes:  sipush i; invokestatic hit(I)V  (6
// bytes). The compilers make the same code of them; in the interpreter they take about twice as
// long. Striped counters have compact probes only, and C1 does not inline them, because that would
// use up its registers (register_budget.h). One probe counts a whole tableswitch by its key:
//
//     dup; push low; sipush keys; sipush i; invokestatic hitKey(IIII)V
//
// Both also have an inherited form, which uses the counter's number among all, from the constant
// pool if necessary.
//
// Guarantees: it only records insertions; ClassRewriter::Apply applies all or none. The same plan
// gives the same bytes.
// Threads: one at a time. Failure: Apply returns the reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/classfile/method_editor.h"
#include "agent/instrument/probes/counter_space.h"
#include "agent/plan/placement.h"

namespace iprof::instrument {

// Where a class's counters are: in the holder of its chunk, or in inherited members for that chunk.
struct CounterHolder {
  std::string_view class_name;  // internal; unused if inherited
  bool striped = false;
  std::optional<uint32_t> inherited_chunk = std::nullopt;
};

enum class ProbeForm : uint8_t { kInline, kCompact };

// The form of a counter's probes in a method with probes of this form.
constexpr ProbeForm CounterFormOf(ProbeForm form, bool striped) {
  return striped ? ProbeForm::kCompact : form;
}

// The bytes of one probe with any counter; for a compact one the maximum. (An inherited inline
// probe of a late chunk takes up to three more.)
struct ProbeLengths {
  uint32_t probe;
  uint32_t by_key;  // always calls a method
};
ProbeLengths LengthsOf(ProbeForm form);

// Probe i of the plan increments counter `first` + i. The catch-any handler increments
// plan.unwind_counter.
void EmitProbes(const ProbePlan& plan, const CounterHolder& holder, ProbeForm form,
                CounterIndex first, classfile::MethodEditor& editor);

}  // namespace iprof::instrument
