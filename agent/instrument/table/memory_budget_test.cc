#include "agent/instrument/table/memory_budget.h"

#include <catch2/catch.hpp>

namespace iprof::instrument {

TEST_CASE("parts add up, and only those who ask are refused", "[memory_budget]") {
  MemoryBudget budget(10 * 1024);
  budget.Set(MemoryPart::kCounters, 4096);
  budget.Set(MemoryPart::kClasses, 2048);
  budget.Set(MemoryPart::kClasses, 3072);
  CHECK(budget.Used() == 7168);
  CHECK(budget.HasRoom(3072));
  CHECK_FALSE(budget.HasRoom(3073));
  CHECK(budget.refusals() == 1);
  budget.Set(MemoryPart::kCode, 8192);
  CHECK(budget.Left() == 0);
  CHECK_FALSE(budget.HasRoom(1));
  CHECK(budget.Report() == "memory: 15 KiB of 10: counters 4, classes 3, compiled code 8\n");
  budget.Set(MemoryPart::kCode, 0);
  CHECK(budget.HasRoom(1));
}

}  // namespace iprof::instrument
