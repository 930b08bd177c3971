// Probe plans for proving and measuring the rewriter: what a test inserts into every method.
//
// Guarantees: a plan only records insertions; the rewriter says whether they are possible. The
// probes are `c[k]++` on a static long[] of a holder class, as the agent's are.
// Threads: one per workspace. Failure: the reasons are counted in `reasons`.
#pragma once

#include <string>

#include "agent/classfile/rewriter.h"

namespace iprof::classfile {

enum class PlanKind {
  kRoundTrip,  // nothing inserted, everything written again
  kDense,  // before every instruction, on every edge, at entries, handlers, calls, and a catch-all
  kRealistic,  // at entries, and on every edge of conditional branches and switches
  kNops,       // like kDense with one-byte probes, for methods that dense probes make too long
};

struct ProbeHolder {
  std::string owner = "java/lang/$IprofProbe";
  std::string field = "c";
  uint32_t counters = 32768;  // indices are taken modulo this
};

// HotSpot detects that Object's finalizer is empty. With a probe in it, every object would have a
// finalizer, and the VM crashes during start-up. No plan may change an empty finalizer.
bool IsEmptyFinalizer(const MethodCode& code);

class ProbePlan {
 public:
  ProbePlan(PlanKind kind, const ProbeHolder& holder) : kind_(kind), holder_(&holder) {}

  // Records the plan's insertions for one method.
  void Record(const MethodCode& code, MethodEditor& editor);
  uint64_t probes() const { return next_; }

 private:
  Snippet Probe(MethodEditor& editor, CpIndex field);
  void RecordDense(const MethodCode& code, MethodEditor& editor, CpIndex field);

  PlanKind kind_;
  const ProbeHolder* holder_;
  uint64_t next_ = 0;
};

// Called for each method that was left unchanged.
using LeftAlone = void (*)(const ClassFile& file, const MemberInfo& method, Reason reason);

// Rewrites one class: every method with `kind`, or with kNops if kDense is too long. Adds to
// reasons[kReasonCount] per method and stores the class's reason in *class_reason. The result is
// valid until the workspace is reset.
ByteSpan RewriteClass(ByteSpan bytes, PlanKind kind, const ProbeHolder& holder,
                      const RewriteOptions& options, Workspace& memory, uint64_t* reasons,
                      Reason* class_reason, uint64_t* probes, LeftAlone left_alone = nullptr);

}  // namespace iprof::classfile
