// Fuzz target: with any bytes, the rewriter neither crashes nor hangs, and its result is either the
// input or well-formed. If only no-ops are inserted, the result also does the same as the original.
//
// The first byte chooses what is inserted, the next three seed the random plan, and the rest is the
// class file.
#include <cstdio>
#include <cstdlib>

#include "agent/classfile/control_flow_graph.h"
#include "java-tests/native/classfile/checker.h"
#include "java-tests/native/classfile/fuzz_mutation.h"
#include "java-tests/native/classfile/lockstep.h"
#include "java-tests/native/classfile/random_plan.h"

namespace {

using namespace iprof::classfile;

void Expect(bool holds, const char* what, uint32_t method, uint32_t where) {
  if (holds) return;
  std::fprintf(stderr, "rewrite_fuzz: method %u, %u: %s\n", method, where, what);
  std::abort();
}

// Checks what decoding guarantees: the graph covers the code, and the list of jumps is complete.
void CheckDecoded(ByteSpan bytes, Workspace& memory) {
  memory.Reset();
  ClassFile file;
  if (file.Parse(bytes, memory.class_memory) != Reason::kOk) return;
  for (const MemberInfo& m : file.methods()) {
    memory.method_memory.Reset();
    MethodCode code;
    ControlFlowGraph graph;
    if (code.Decode(file, m, memory.method_memory) != Reason::kOk ||
        graph.Build(code, memory.method_memory) != Reason::kOk) {
      continue;
    }
    Insn next = 0;
    for (const Block& b : graph.blocks()) {
      Expect(b.first == next && b.end > b.first, "blocks do not cover the code", 0, next);
      next = b.end;
      for (const Edge& e : graph.EdgesOf(b)) {
        Expect(e.to < graph.blocks().size(), "edge leads nowhere", 0, b.first);
      }
    }
    Expect(next == code.count(), "blocks do not cover the code", 0, next);
    size_t jump = 0;
    for (Insn i = 0; i < code.count(); ++i) {
      if (!IsJump(code.at(i).op)) continue;
      Expect(jump < code.jumps().size() && code.jumps()[jump] == i, "a jump is not listed", 0, i);
      ++jump;
    }
    Expect(jump == code.jumps().size(), "a jump is listed that is none", 0, 0);
  }
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most,
                                          unsigned int seed) {
  return MutateChosenClass(data, size, most, 4, seed, LLVMFuzzerMutate);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static Workspace memory;
  static Workspace check_memory;
  if (size < 5) return 0;
  const ByteSpan bytes(data + 4, size - 4);
  const uint8_t mode = data[0] % 8;
  const uint32_t seed = uint32_t{data[1]} << 16 | uint32_t{data[2]} << 8 | data[3];
  uint64_t reasons[kReasonCount] = {};
  uint64_t probes = 0;
  Reason reason = Reason::kOk;
  memory.Reset();
  static const ProbeHolder holder;
  ByteSpan result;
  switch (mode) {
    case 0:
      CheckDecoded(bytes, memory);
      return 0;
    case 1:
      result =
          RewriteClass(bytes, PlanKind::kRoundTrip, holder, {}, memory, reasons, &reason, &probes);
      break;
    case 2:
      result = RewriteClass(bytes, PlanKind::kDense, holder, {0, false}, memory, reasons, &reason,
                            &probes);
      break;
    case 3:
      result =
          RewriteClass(bytes, PlanKind::kRealistic, holder, {}, memory, reasons, &reason, &probes);
      break;
    default: {
      const RandomStyle style = mode < 6    ? RandomStyle::kNops
                                : mode == 6 ? RandomStyle::kProbes
                                            : RandomStyle::kCareless;
      RewriteOptions options;
      if (seed % 4 != 0) options.huge_method_limit = 0;
      result = RewriteRandomly(bytes, seed, style, options, memory, reasons);
      break;
    }
  }
  Expect(reasons[static_cast<int>(Reason::kInternal)] == 0, "own check failed", 0, 0);
  if (result.data() == bytes.data()) return 0;
  check_memory.Reset();
  const CheckResult check = CheckRewritten(bytes, result, check_memory);
  Expect(check.ok(), check.problem, check.method, check.offset);
  if (mode == 1 || (mode >= 4 && mode < 6)) {
    uint32_t method = 0;
    check_memory.Reset();
    const LockstepResult walk = WalkClassInLockstep(bytes, result, check_memory, &method);
    Expect(walk.ok(), walk.difference, method, walk.original);
  }
  return 0;
}
