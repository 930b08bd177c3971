// RandomPlan: insertions of every kind at random places, for fuzzing and for tests of the layout.
//
// Guarantees: the same seed gives the same insertions. Sometimes thousands of no-ops are inserted
// in a row, so that branches no longer fit 16 bits and islands are needed. With no-ops only, the
// result can be compared with the original in lockstep.
// Threads: one per object. Failure: the reasons are counted in `reasons`.
#pragma once

#include "java-tests/native/classfile/probe_plan.h"
#include "java-tests/native/classfile/random_numbers.h"

namespace iprof::classfile {

enum class RandomStyle {
  kNops,
  kProbes,    // also ones that count, call and read receivers
  kCareless,  // like kProbes, sometimes where nothing can be inserted
};

class RandomPlan {
 public:
  RandomPlan(uint64_t seed, RandomStyle style) : random_(seed), style_(style) {}

  void Record(const MethodCode& code, MethodEditor& editor);

 private:
  Snippet Any(MethodEditor& editor);
  void RecordSwitch(const MethodCode& code, MethodEditor& editor, Insn i);
  void RecordCarelessly(const MethodCode& code, MethodEditor& editor, Insn i);

  RandomNumbers random_;
  RandomStyle style_;
  uint32_t long_snippets_ = 0;
};

ByteSpan RewriteRandomly(ByteSpan bytes, uint64_t seed, RandomStyle style,
                         const RewriteOptions& options, Workspace& memory, uint64_t* reasons);

}  // namespace iprof::classfile
