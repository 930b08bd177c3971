#include "writer/base/wrap_text.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("lines break at spaces, and later ones are indented") {
  CHECK(WrapText("one two three", 0, 80) == "one two three");
  CHECK(WrapText("one two three", 2, 9) == "one two\n  three");
  CHECK(WrapText("a verylongword b", 0, 6) == "a\nverylongword\nb");
  CHECK(WrapText("", 4, 10).empty());
}

}  // namespace
}  // namespace iprof
