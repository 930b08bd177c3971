// RandomPlan: insertions of every kind at random places, for fuzzing and for tests of the layout.
//
// Guarantees: the same seed gives the same insertions. Of no-ops there are at times thousands in a
// row, so that branches leave 16 bits and islands are needed. With no-ops alone the result can be
// compared with the original in lockstep.
#pragma once

#include "agent/classfile/tools/probe_plan.h"
#include "agent/classfile/tools/random_numbers.h"

namespace iprof::classfile {

enum class RandomStyle {
  kNops,
  kProbes,    // that count, call and look at receivers, too
  kCareless,  // as kProbes, at times where nothing can be inserted
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
