#include "agent/hotspot/original_code.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

using classfile::Op;
using CodeBytes = std::vector<uint8_t>;

TEST_CASE("code is split into its instructions, and branches into their targets") {
  // 0: iload_0; 1: tableswitch 0..1; 24: ifeq 30; 27: goto 24; 30: return
  const CodeBytes code = {26, 170, 0, 0,  0, 0, 0, 29, 0,   0, 0, 0,   0,    0,    0,  1,
                          0,  0,   0, 23, 0, 0, 0, 26, 153, 0, 6, 167, 0xFF, 0xFD, 177};
  const auto all = SplitCode(code);
  REQUIRE(all);
  REQUIRE(all->size() == 5);
  CHECK((*all)[1].length == 23);
  CHECK(SuccessorBcis(code, (*all)[1]) == Targets{24, 27, 30});
  CHECK(SuccessorBcis(code, (*all)[2]) == Targets{30, 27});
  CHECK(SuccessorBcis(code, (*all)[4]).empty());
  CHECK(JumpTarget(code, (*all)[3]) == 24);
  CHECK_FALSE(JumpTarget(code, (*all)[2]));
}

TEST_CASE("code that ends within an instruction, or has unknown ones, is refused") {
  CHECK_FALSE(SplitCode(CodeBytes{153, 0}));  // ifeq
  CHECK_FALSE(SplitCode(CodeBytes{202}));     // breakpoint
  CHECK_FALSE(SplitCode(CodeBytes{255}));
  CHECK_FALSE(SplitCode(CodeBytes{196}));           // wide
  CHECK_FALSE(SplitCode(CodeBytes{196, 0, 0, 0}));  // wide nop
  CHECK_FALSE(SplitCode(CodeBytes{170, 0, 0, 0}));  // tableswitch
  CHECK_FALSE(SplitCode(CodeBytes{171, 0, 0, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF}));
  CHECK(SplitCode(CodeBytes{196, 132, 0, 1, 0, 1})->size() == 1);  // wide iinc
}

}  // namespace
}  // namespace iprof::hotspot
