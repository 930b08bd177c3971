// RandomPlan: insertions of every kind at random places, for fuzzing and for tests of the layout.
//
// Guarantees: the same seed gives the same insertions. Without probes only no-ops are inserted, at
// times thousands of them, so that branches leave 16 bits and islands are needed; the result can
// then be compared with the original in lockstep.
#pragma once

#include "agent/classfile/tools/probe_plan.h"
#include "agent/classfile/tools/random_numbers.h"

namespace iprof::classfile {

class RandomPlan {
 public:
  RandomPlan(uint64_t seed, bool with_probes) : random_(seed), with_probes_(with_probes) {}

  void Record(const MethodCode& code, MethodEditor& editor);

 private:
  Snippet Any(MethodEditor& editor);
  void RecordSwitch(const MethodCode& code, MethodEditor& editor, Insn i);

  RandomNumbers random_;
  bool with_probes_;
  uint32_t long_snippets_ = 0;
};

ByteSpan RewriteRandomly(ByteSpan bytes, uint64_t seed, bool with_probes, Workspace& memory,
                         uint64_t* reasons);

}  // namespace iprof::classfile
