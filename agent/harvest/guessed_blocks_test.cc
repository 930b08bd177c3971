#include "agent/harvest/guessed_blocks.h"

#include <catch2/catch.hpp>
#include <utility>

namespace iprof::hotspot {
namespace {

std::vector<uint64_t> Guess(const std::vector<uint8_t>& code, uint64_t entries, uint64_t rounds) {
  const auto instructions = SplitCode(code);
  REQUIRE(instructions);
  return GuessBlocks(code, *instructions, entries, rounds);
}

bool IsNear(uint64_t value, double wanted) {
  return static_cast<double>(value) == Approx(wanted).epsilon(0.01).margin(2);
}

// 0: goto 6; 3: invokestatic; 6: iload_0; 7: ifne 3; 10: return
const std::vector<uint8_t> kLoop = {167, 0, 6, 184, 0, 1, 26, 154, 0xFF, 0xFC, 177};

TEST_CASE("the body of a loop was executed as often as it jumped back") {
  const std::vector<uint64_t> counts = Guess(kLoop, 100, 15'000);
  REQUIRE(counts.size() == 5);
  CHECK(counts[0] == 100);
  CHECK(IsNear(counts[1], 15'000));
  CHECK(IsNear(counts[2], 15'100));
  CHECK(IsNear(counts[4], 100));
}

TEST_CASE("a loop with its condition at the top is left there") {
  // 0: iload_0; 1: ifeq 10; 4: invokestatic; 7: goto 0; 10: return
  const std::vector<uint64_t> counts =
      Guess({26, 153, 0, 9, 184, 0, 1, 167, 0xFF, 0xF9, 177}, 1, 5'000);
  REQUIRE(counts.size() == 5);
  CHECK(IsNear(counts[2], 5'000));
  CHECK(counts[4] == 1);
}

TEST_CASE("a branch within a loop goes each way equally often") {
  // 0: iload_0; 1: ifeq 7; 4: invokestatic; 7: iload_0; 8: ifne 0; 11: return
  const std::vector<uint64_t> counts =
      Guess({26, 153, 0, 6, 184, 0, 1, 26, 154, 0xFF, 0xF8, 177}, 10, 10'000);
  REQUIRE(counts.size() == 6);
  CHECK(IsNear(counts[2], 5'005));
  CHECK(IsNear(counts[3], 10'010));
}

TEST_CASE("a way that is seldom taken is guessed to be rare") {
  // 0: iload_0; 1: BRANCH 7; 4: invokestatic; 7: iload_0; 8: ifne 0; 11: return
  const auto called = [](std::vector<uint8_t> before, uint8_t branch) {
    std::vector<uint8_t> code = std::move(before);
    const auto rest = std::vector<uint8_t>{branch, 0, 6, 184, 0, 1, 26, 154};
    code.insert(code.end(), rest.begin(), rest.end());
    const int back = -static_cast<int>(code.size() - 1);
    code.insert(code.end(), {static_cast<uint8_t>(back >> 8), static_cast<uint8_t>(back), 177});
    const auto instructions = SplitCode(code);
    REQUIRE(instructions);
    const std::vector<uint64_t> counts = GuessBlocks(code, *instructions, 1, 11'000);
    for (size_t i = 0; i < counts.size(); ++i) {
      if ((*instructions)[i].op == classfile::Op::invokestatic) return counts[i];
    }
    return uint64_t{0};
  };
  constexpr uint8_t kIfNe = 154, kIfIcmpNe = 160, kIfIcmpLt = 161, kIfNull = 198, kIfNonNull = 199;
  CHECK(IsNear(called({27}, kIfNe), 5'500));               // says nothing
  CHECK(IsNear(called({27, 28}, kIfIcmpNe), 1'000));       // if (a == b) call()
  CHECK(IsNear(called({27, 28}, kIfIcmpLt), 5'500));       // if (a >= b) call()
  CHECK(IsNear(called({27, 44, 190}, kIfIcmpLt), 1'000));  // if (a >= array.length) call()
  CHECK(IsNear(called({44}, kIfNonNull), 1'000));          // if (o == null) call()
  CHECK(IsNear(called({44}, kIfNull), 10'000));            // if (o != null) call()
}

TEST_CASE("a way to a throw is hardly ever taken") {
  // 0: iload_0; 1: ifeq 9; 4: aload_1; 5: invokestatic; 8: athrow; 9: invokestatic; 12: return
  const std::vector<uint8_t> code = {26, 153, 0, 8, 43, 184, 0, 1, 191, 184, 0, 1, 177};
  const auto instructions = SplitCode(code);
  REQUIRE(instructions);
  const std::vector<double> guess = GuessFrequencies(code, *instructions, 10, 0);
  REQUIRE(guess.size() == 7);
  CHECK(guess[0] == Approx(1));
  CHECK(guess[3] == Approx(0.0099).epsilon(0.01));
  CHECK(guess[5] == Approx(0.9901).epsilon(0.01));
}

TEST_CASE("loops in loops share what was counted") {
  // 0: invokestatic; 3: iload_0; 4: ifne 3; 7: iload_0; 8: ifne 0; 11: return
  const std::vector<uint64_t> counts =
      Guess({184, 0, 1, 26, 154, 0xFF, 0xFF, 26, 154, 0xFF, 0xF8, 177}, 1, 9'999);
  REQUIRE(counts.size() == 6);
  CHECK(IsNear(counts[0], 100));  // q = 0.99: 100 rounds of 100
  CHECK(IsNear(counts[1], 10'000));
}

TEST_CASE("a loop without an exit has the rounds that were counted, and its branches divide them") {
  // 0: invokestatic; 3: iload_0; 4: ifeq 10; 7: invokestatic; 10: goto 3
  const std::vector<uint64_t> counts =
      Guess({184, 0, 1, 26, 153, 0, 6, 184, 0, 1, 167, 0xFF, 0xF9}, 4, 10'000);
  REQUIRE(counts.size() == 5);
  CHECK(counts[0] == 4);
  CHECK(IsNear(counts[1], 10'000));
  CHECK(IsNear(counts[3], 5'000));
  CHECK(IsNear(counts[4], 10'000));
}

TEST_CASE("a loop that is left to the head of a loop around it goes on") {
  // 0: invokestatic more; 3: ifeq 20; 6: invokestatic work; 9: invokestatic found; 12: ifne 26; 15: goto 0;
  // 18: nop, nop; 20: invokestatic refill; 23: goto 0; 26: return
  // An outer loop around a loop: for (;;) { while (more()) { work(); if (found()) return; } refill(); }
  const std::vector<uint64_t> counts =
      Guess({184, 0,   1,    153,  0, 17, 184, 0, 2, 184, 0,    3,    154, 0,
             14,  167, 0xFF, 0xF1, 0, 0,  184, 0, 4, 167, 0xFF, 0xE9, 177},
            1, 10'000);
  REQUIRE(counts.size() == 11);
  CHECK(IsNear(counts[0], 10'000));
  CHECK(IsNear(counts[2], 9'999));  // work
  CHECK(IsNear(counts[3], 9'999));  // found
  CHECK(counts[8] <= 2);            // refill
}

TEST_CASE("what cannot be guessed has no counts, and nothing is larger than what was counted") {
  CHECK(Guess({177}, 10, 1'000) == std::vector<uint64_t>{0});
  CHECK(Guess(kLoop, 0, 1'000) == std::vector<uint64_t>(5));
  CHECK(Guess(kLoop, 10, 0) == std::vector<uint64_t>(5));
  // An endless loop: 0: nop; 1: goto 0
  const std::vector<uint64_t> endless = Guess({0, 167, 0xFF, 0xFF}, 1, 1'000);
  CHECK(endless[0] <= 1'001);
  CHECK(Guess(kLoop, 1, uint64_t{1} << 31)[1] <= (uint64_t{1} << 31) + 1);
}

}  // namespace
}  // namespace iprof::hotspot
