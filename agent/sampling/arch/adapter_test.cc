// The adapter of the processor that the tests run on.
#include "agent/sampling/arch/adapter.h"

#include <catch2/catch.hpp>

namespace iprof::sampling {
namespace {

TEST_CASE("registers go through a copied context unharmed") {
  if (ThisProcessor() == nullptr) return;
  ucontext_t context{};
  MachineContext at;
  at.pc = 1;
  at.sp = 2;
  at.fp = 3;
  WriteContext(at, &context);
  const MachineContext back = ReadContext(context);
  CHECK(back.pc == 1);
  CHECK(back.sp == 2);
  CHECK(back.fp == 3);
}

}  // namespace
}  // namespace iprof::sampling
