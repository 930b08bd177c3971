// Rewriting takes its memory from the workspace. Once a thread has rewritten a few classes, it
// allocates at most a handful of blocks per class for any insertions. The test counts everything:
// operator new and the arenas' own blocks.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <new>

#include "agent/classfile/class_file.h"
#include "agent/classfile/rewriter.h"
#include "agent/classfile/test_class.h"
#include "java-tests/native/classfile/probe_plan.h"

namespace {
std::atomic<size_t> allocations{0};
}  // namespace

void* operator new(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace iprof::classfile {
namespace {

constexpr size_t kHandful = 5;

// static int f(int): `branches` conditional branches, each over one increment, each with a frame.
ByteVector ClassWithBranches(uint32_t branches) {
  TestClass c;
  c.descriptor = "(I)V";
  ByteVector frames;
  PutU2(&frames, branches);
  for (uint32_t i = 0; i < branches; ++i) {
    c.code.insert(c.code.end(), {0x1a, 0x99, 0, 6, 0x84, 0, 1});  // iload_0, ifeq +6, iinc 0 1
    frames.push_back(i == 0 ? 7 : 6);                             // same_frame, 7 bytes further
  }
  c.code.push_back(0xb1);
  c.attributes = {{"StackMapTable", frames}};
  return c.Bytes();
}

// Returns the number of probes, or 0 if something was refused.
uint64_t RewriteOnce(const ByteVector& bytes, PlanKind kind, const ProbeHolder& holder,
                     Workspace& memory) {
  ClassFile file;
  if (file.Parse(bytes, memory.class_memory) != Reason::kOk) return 0;
  ClassRewriter rewriter(file, memory);
  uint64_t probes = 0;
  for (uint32_t m = 0; m < file.methods().size(); ++m) {
    MethodCode code;
    if (rewriter.Open(m, &code) != Reason::kOk) return 0;
    MethodEditor editor = rewriter.Edit(code);
    ProbePlan plan(kind, holder);
    plan.Record(code, editor);
    if (rewriter.Apply(editor) != Reason::kOk) return 0;
    probes += plan.probes();
  }
  const bool changed = rewriter.Finish().size() > bytes.size();
  memory.Reset();
  return changed ? probes : 0;
}

TEST_CASE("a warm workspace rewrites a class with a handful of allocations") {
  const ProbeHolder holder;
  for (const PlanKind kind : {PlanKind::kRealistic, PlanKind::kDense}) {
    for (const uint32_t branches : {1u, 20u, 60u}) {
      const ByteVector bytes = ClassWithBranches(branches);
      Workspace memory;
      const uint64_t probes = RewriteOnce(bytes, kind, holder, memory);
      REQUIRE(probes >= branches);
      RewriteOnce(bytes, kind, holder, memory);
      const size_t blocks =
          memory.class_memory.reserved_bytes() + memory.method_memory.reserved_bytes();
      const size_t before = allocations.load();
      const uint64_t again = RewriteOnce(bytes, kind, holder, memory);
      const size_t made = allocations.load() - before;
      INFO(branches << " branches, " << probes << " probes, " << made << " allocations");
      CHECK(again == probes);
      CHECK(made <= kHandful);
      CHECK(memory.class_memory.reserved_bytes() + memory.method_memory.reserved_bytes() == blocks);
    }
  }
}

}  // namespace
}  // namespace iprof::classfile
