// HeldMonitors: code in which the method holds a monitor and no catch-any handler would release it.
//
// javac protects everything up to and including the monitorexit. scalac protects only the block's body,
// and leaves out `aload; monitorexit`, which cannot fail. HotSpot's compilers refuse a method in which
// an instruction that can throw holds a monitor outside every such handler, and they take it that a
// probe can throw.
//
// Guarantees: finds the code from the end of a protected range to a monitorexit outside of it. Linear
// in the method's length; methods without monitorenter are not looked at. The code must outlive the
// object.
// Threads: const methods may run in parallel. Failure: none.
#pragma once

#include <vector>

#include "agent/classfile/code.h"
#include "agent/plan/placement.h"

namespace iprof::instrument {

class HeldMonitors {
 public:
  explicit HeldMonitors(const classfile::MethodCode& code);

  // Whether a probe would be in such code. The entry of a handler is always possible.
  bool Refuse(const Probe& probe) const;
  bool RefuseAny(const ProbePlan& plan) const;

 private:
  bool IsExposed(classfile::Insn i) const { return i < exposed_.size() && exposed_[i]; }

  const classfile::MethodCode& code_;
  std::vector<bool> exposed_;  // by instruction; empty: no such code
};

}  // namespace iprof::instrument
