#include "agent/harvest/trivial_code.h"

#include <catch2/catch.hpp>
#include <utility>
#include <vector>

namespace iprof::hotspot {
namespace {

bool Is(std::vector<uint8_t> bytes, std::string_view descriptor, bool is_static = false) {
  auto instructions = SplitCode(bytes);
  REQUIRE(instructions);
  return IsTrivial({std::move(bytes), std::move(*instructions)}, descriptor, is_static);
}

TEST_CASE("accessors and methods that return a constant are trivial") {
  CHECK(Is({42, 180, 0, 1, 172}, "()I"));  // aload_0, getfield, ireturn
  CHECK(Is({42, 180, 0, 1, 176}, "(La/B;)La/C;", /*is_static=*/true));
  CHECK(Is({42, 27, 181, 0, 1, 177}, "(I)V"));  // aload_0, iload_1, putfield, return
  CHECK(Is({42, 31, 181, 0, 1, 177}, "(J)V"));  // lload_1
  CHECK(Is({1, 176}, "(I)La/B;"));              // aconst_null, areturn
  CHECK(Is({18, 1, 172}, "()I"));               // ldc
  CHECK(Is({20, 0, 1, 173}, "()J"));            // ldc2_w
  CHECK(Is({3, 177}, "()V"));                   // iconst_0, return
}

TEST_CASE("other methods are not trivial, however short") {
  CHECK_FALSE(Is({42, 182, 0, 1, 176}, "()La/B;"));  // aload_0, invokevirtual, areturn
  CHECK_FALSE(Is({42, 180, 0, 1, 172}, "(I)I"));     // reads a field, and has an argument
  CHECK_FALSE(Is({42, 27, 181, 0, 1, 177}, "(IJ)V"));
  CHECK_FALSE(Is({42, 180, 0, 1, 177}, "()V"));
  CHECK_FALSE(Is({178, 0, 1, 172}, "()I"));  // getstatic
  CHECK_FALSE(Is({42, 176}, "()La/B;"));     // returns itself
  CHECK_FALSE(Is({177}, "()V"));
}

}  // namespace
}  // namespace iprof::hotspot
