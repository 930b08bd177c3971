#include "agent/hotspot/harvest/block_counts.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

TEST_CASE("a block has its largest count, and one without counts what flows in") {
  // 0: ifeq 7; 3: nop; 4: goto 8; 7: nop; 8: invokestatic; 11: return
  const std::vector<uint8_t> code = {153, 0, 7, 0, 167, 0, 4, 0, 184, 0, 1, 177};
  const auto instructions = SplitCode(code);
  REQUIRE(instructions);
  const std::vector<InstructionCount> branch = {{0, 100, {30, 70}}};
  CHECK(CountBlocks(code, *instructions, branch, 100) ==
        std::vector<uint64_t>{100, 70, 70, 30, 100, 100});
  // The call was counted less often than its block: the compiler had inlined it.
  const std::vector<InstructionCount> both = {{0, 100, {30, 70}}, {4, 60, {}}, {8, 90, {}}};
  CHECK(CountBlocks(code, *instructions, both, 100) ==
        std::vector<uint64_t>{100, 60, 60, 30, 90, 90});
  CHECK(CountBlocks(code, *instructions, {}, 0) == std::vector<uint64_t>(6, 0));
}

TEST_CASE("a loop without counts does not grow without bound") {
  // 0: nop; 1: goto 0
  const std::vector<uint8_t> code = {0, 167, 0xFF, 0xFF};
  const auto instructions = SplitCode(code);
  REQUIRE(instructions);
  CHECK(CountBlocks(code, *instructions, {}, 5) == std::vector<uint64_t>{5, 5});
}

}  // namespace
}  // namespace iprof::hotspot
