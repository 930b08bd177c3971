#include "agent/harvest/block_counts.h"

#include <catch2/catch.hpp>

#include "agent/harvest/counter_wrap.h"

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

TEST_CASE("what one method leaves behind does not reach the next") {
  // 0: ifeq 7; 3: nop; 4: goto 8; 7: nop; 8: invokestatic; 11: return
  const std::vector<uint8_t> large = {153, 0, 7, 0, 167, 0, 4, 0, 184, 0, 1, 177};
  // 0: invokestatic; 3: return
  const std::vector<uint8_t> small = {184, 0, 1, 177};
  const std::vector<InstructionCount> branch = {{0, 100, {30, 70}}};
  const auto of_large = SplitCode(large);
  const auto of_small = SplitCode(small);
  REQUIRE(of_large);
  REQUIRE(of_small);
  BlockCounter counter;
  for (int round = 0; round < 2; ++round) {
    CHECK(counter.Count(large, *of_large, branch, 100) ==
          std::vector<uint64_t>{100, 70, 70, 30, 100, 100});
    CHECK(counter.Count(small, *of_small, {}, 7, Records::kAlone) == std::vector<uint64_t>{7, 7});
    CHECK(counter.Count(small, *of_small, {}, 7) == std::vector<uint64_t>{7, 7});
    CHECK(counter.Count(large, *of_large, {}, 0) == std::vector<uint64_t>(6, 0));
  }
}

TEST_CASE("a method was entered as often as its first block, unless a loop begins there") {
  // 0: nop; 1: invokestatic; 4: ifeq 0 or 7; 7: invokestatic; 10: return
  std::vector<uint8_t> code = {0, 184, 0, 1, 153, 0, 3, 184, 0, 1, 177};
  const auto entries = [&](const std::vector<InstructionCount>& counts) {
    const auto instructions = SplitCode(code);
    REQUIRE(instructions);
    return CountEntries(code, *instructions, counts);
  };
  CHECK(entries({{1, 90, {}}, {4, 100, {50, 50}}, {7, 200, {}}}) == 100U);
  CHECK(entries({{7, 200, {}}}) == std::nullopt);
  code[5] = 0xFF;
  code[6] = 0xFC;
  CHECK(entries({{1, 90, {}}, {4, 100, {50, 50}}, {7, 200, {}}}) == std::nullopt);
}

TEST_CASE("counters of 31 bits are made whole") {
  constexpr uint64_t kRange = uint64_t{1} << 31;
  CHECK(Unwrapped(5, 5) == 5);
  CHECK(Unwrapped(500, 5) == 500);
  CHECK(Unwrapped(5, kRange / 2) == 5);
  CHECK(Unwrapped(5, kRange + 90) == kRange + 5);
  CHECK(Unwrapped(kRange - 1, 3 * kRange) == 3 * kRange - 1);
  CHECK(Unwrapped(5, UINT64_MAX) == 5);
}

TEST_CASE("the first block was executed at least as often as its method was entered") {
  // 0: invokestatic; 3: ifeq 0; 6: return
  const std::vector<uint8_t> code = {184, 0, 1, 153, 0xFF, 0xFD, 177};
  const auto instructions = SplitCode(code);
  REQUIRE(instructions);
  const std::vector<InstructionCount> cleared = {{0, 40, {}}};
  CHECK(CountBlocks(code, *instructions, cleared, 100) == std::vector<uint64_t>{100, 100, 0});
  // Alone, the records have what was counted since one was cleared.
  CHECK(CountBlocks(code, *instructions, cleared, 100, Records::kAlone) ==
        std::vector<uint64_t>{40, 40, 0});
  CHECK(CountBlocks(code, *instructions, {}, 100, Records::kAlone).front() == 100);
  const std::vector<InstructionCount> loop = {{0, 40, {}}, {3, 300, {200, 100}}};
  CHECK(CountBlocks(code, *instructions, loop, 100) == std::vector<uint64_t>{300, 300, 100});
}

TEST_CASE("a block whose record is younger than the method's entries has what flows in") {
  // 0: invokestatic; 3: ifeq 9; 6: invokestatic; 9: return
  const std::vector<uint8_t> code = {184, 0, 1, 153, 0, 6, 184, 0, 1, 177};
  const auto instructions = SplitCode(code);
  REQUIRE(instructions);
  const std::vector<InstructionCount> call = {{0, 3295, {}}};
  CHECK(CountBlocks(code, *instructions, call, 268'230, Records::kMaybeYounger).front() == 268'230);
  const std::vector<InstructionCount> all = {{0, 30, {}}, {3, 1000, {400, 600}}, {6, 5, {}}};
  CHECK(CountBlocks(code, *instructions, all, 900) == std::vector<uint64_t>{1000, 1000, 5, 405});
  CHECK(CountBlocks(code, *instructions, all, 900, Records::kMaybeYounger) ==
        std::vector<uint64_t>{1000, 1000, 600, 1000});
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
