// ProbeEmitter: puts a plan's counters into a method as bytecode.
//
// A probe is  getstatic c; sipush i; dup2; laload; lconst_1; ladd; lastore  (11 bytes), which C2
// turns into one increment of memory. With stripes the array comes from  invokestatic row().
// Where the class's loader may not find the holder, the members that every class inherits are named
// instead (inherited_members.h): a field, or  push chunk; invokestatic row(int).
//
// Methods that would become too long get compact probes:  sipush i; invokestatic hit(I)V  (6 bytes).
// The compilers make the same code of them; the interpreter takes about twice as long. One probe
// counts a whole tableswitch by its key:
//
//     dup; push low; sipush keys; sipush i; invokestatic hitKey(IIII)V
//
// Both have an inherited form too, which takes the counter's number among all, if need be from the
// constant pool.
//
// Guarantees: records insertions only; nothing is changed before ClassRewriter::Apply, which does
// all or nothing. The same plan gives the same bytes. One thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/classfile/method_editor.h"
#include "agent/instrument/plan/placement.h"
#include "agent/instrument/probes/counter_space.h"

namespace iprof::instrument {

// Where a class's counters live: the holder of its chunk, or inherited members for that chunk.
struct CounterHolder {
  std::string_view class_name;  // internal; unused where inherited
  bool striped = false;
  std::optional<uint32_t> inherited_chunk = std::nullopt;
};

enum class ProbeForm : uint8_t { kInline, kCompact };

// Bytes of one probe, whatever its counter; of a compact one at most. (An inline one of a late chunk
// that is inherited takes up to three more.)
struct ProbeLengths {
  uint32_t probe;
  uint32_t by_key;  // compact only
};
ProbeLengths LengthsOf(ProbeForm form);

// Increments counter `first` + i for probe i of the plan, and plan.unwind_counter in the catch-any
// handler.
void EmitProbes(const ProbePlan& plan, const CounterHolder& holder, ProbeForm form,
                CounterIndex first, classfile::MethodEditor& editor);

}  // namespace iprof::instrument
