// With HotSpot: java-tests/tests/late_code.py.
#include "agent/vm/classes/running_loops.h"

#include <catch2/catch.hpp>
#include <vector>

namespace iprof::vm {
namespace {

using Code = std::vector<uint8_t>;

constexpr uint8_t kNop = 0x00, kIinc = 0x84, kIfne = 0x9a, kGoto = 0xa7, kTableSwitch = 0xaa,
                  kLookupSwitch = 0xab, kReturn = 0xb1, kWide = 0xc4, kGotoWide = 0xc8;

TEST_CASE("a jump backwards is a loop") {
  CHECK(HasLoop(Code{kNop, kGoto, 0xff, 0xff}));
  CHECK(HasLoop(Code{kGoto, 0, 0}));  // to itself
  CHECK(HasLoop(Code{kNop, kIfne, 0xff, 0xff, kReturn}));
  CHECK(HasLoop(Code{kNop, kGotoWide, 0xff, 0xff, 0xff, 0xff}));
  CHECK(HasLoop(Code{kWide, kIinc, 0, 1, 0, 1, kGoto, 0xff, 0xfa}));
}

TEST_CASE("code that only goes forwards has no loop") {
  CHECK_FALSE(HasLoop(Code{kReturn}));
  CHECK_FALSE(HasLoop(Code{kIfne, 0, 4, kNop, kReturn}));
  CHECK_FALSE(HasLoop(Code{kWide, kIinc, 0, 1, 0xff, 0xff, kReturn}));
  CHECK_FALSE(HasLoop(Code{kGotoWide, 0, 0, 0, 5, kReturn}));
}

TEST_CASE("switches, whose operands begin at a multiple of four") {
  // default, low, high, one offset
  Code table{kNop, kTableSwitch, 0, 0, 0, 0, 0, 19, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 19, kReturn};
  CHECK_FALSE(HasLoop(table));
  table[16] = table[17] = table[18] = table[19] = 0xff;
  CHECK(HasLoop(table));
  // default, count, one key and offset
  Code lookup{kLookupSwitch, 0,    0,    0,    0, 0, 0, 20, 0,      0, 0, 1,
              0xff,          0xff, 0xff, 0xff, 0, 0, 0, 20, kReturn};
  CHECK_FALSE(HasLoop(lookup));
  lookup[4] = lookup[5] = lookup[6] = lookup[7] = 0xff;
  CHECK(HasLoop(lookup));
}

TEST_CASE("what is no valid code counts as a loop, and is read to its end only") {
  CHECK(HasLoop(Code{0xfe}));
  CHECK(HasLoop(Code{kTableSwitch, 0, 0, 0, 0, 0, 0, 16, 0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}));
  CHECK(HasLoop(Code{kLookupSwitch, 0, 0, 0, 0, 0, 0, 16, 0x7f, 0xff, 0xff, 0xff}));
  CHECK(HasLoop(Code{kGoto}));
  CHECK_FALSE(HasLoop(Code{}));
}

}  // namespace
}  // namespace iprof::vm
