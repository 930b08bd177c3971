// With HotSpot: java-tests/tests/late_code.py.
#include "agent/vm/classes/running_loops.h"

#include <catch2/catch.hpp>
#include <vector>

namespace iprof::vm {
namespace {

using CodeBytes = std::vector<uint8_t>;

constexpr uint8_t kNop = 0x00, kIinc = 0x84, kIfne = 0x9a, kGoto = 0xa7, kTableSwitch = 0xaa,
                  kLookupSwitch = 0xab, kReturn = 0xb1, kWide = 0xc4, kGotoWide = 0xc8;

TEST_CASE("a jump backwards is a loop") {
  CHECK(HasLoop(CodeBytes{kNop, kGoto, 0xff, 0xff}));
  CHECK(HasLoop(CodeBytes{kGoto, 0, 0}));  // to itself
  CHECK(HasLoop(CodeBytes{kNop, kIfne, 0xff, 0xff, kReturn}));
  CHECK(HasLoop(CodeBytes{kNop, kGotoWide, 0xff, 0xff, 0xff, 0xff}));
  CHECK(HasLoop(CodeBytes{kWide, kIinc, 0, 1, 0, 1, kGoto, 0xff, 0xfa}));
}

TEST_CASE("code that only goes forwards has no loop") {
  CHECK_FALSE(HasLoop(CodeBytes{kReturn}));
  CHECK_FALSE(HasLoop(CodeBytes{kIfne, 0, 4, kNop, kReturn}));
  CHECK_FALSE(HasLoop(CodeBytes{kWide, kIinc, 0, 1, 0xff, 0xff, kReturn}));
  CHECK_FALSE(HasLoop(CodeBytes{kGotoWide, 0, 0, 0, 5, kReturn}));
}

TEST_CASE("switches, whose operands begin at a multiple of four") {
  // default, low, high, one offset
  CodeBytes table{kNop, kTableSwitch, 0,      0, 0, 0, 0, 19, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0,
                  0,    19,           kReturn};
  CHECK_FALSE(HasLoop(table));
  table[16] = table[17] = table[18] = table[19] = 0xff;
  CHECK(HasLoop(table));
  // default, count, one key and offset
  CodeBytes lookup{kLookupSwitch, 0,    0,    0,    0, 0, 0, 20, 0,      0, 0, 1,
                   0xff,          0xff, 0xff, 0xff, 0, 0, 0, 20, kReturn};
  CHECK_FALSE(HasLoop(lookup));
  lookup[4] = lookup[5] = lookup[6] = lookup[7] = 0xff;
  CHECK(HasLoop(lookup));
}

TEST_CASE("what is no valid code counts as a loop, and is read to its end only") {
  CHECK(HasLoop(CodeBytes{0xfe}));
  CHECK(HasLoop(
      CodeBytes{kTableSwitch, 0, 0, 0, 0, 0, 0, 16, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}));
  CHECK(HasLoop(CodeBytes{kLookupSwitch, 0, 0, 0, 0, 0, 0, 16, 0x7f, 0xff, 0xff, 0xff}));
  CHECK(HasLoop(CodeBytes{kGoto}));
  CHECK_FALSE(HasLoop(CodeBytes{}));
}

}  // namespace
}  // namespace iprof::vm
