#include "writer/base/option_text.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

using Items = std::vector<std::string_view>;

TEST_CASE("options are the parts between commas") {
  CHECK(SplitOptions("").empty());
  CHECK(SplitOptions("a=b") == Items{"a=b"});
  CHECK(SplitOptions("a=b,c,") == Items{"a=b", "c"});
  CHECK(SplitOptions(",a") == Items{"", "a"});
}

TEST_CASE("a message shows the start of a text, and nothing that drives a terminal") {
  CHECK(ShownOption("a\x1b[2J\n\x7f") == "a?[2J??");
  CHECK(ShownOption(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(ShownOption(std::string(81, 'x')) == std::string(80, 'x') + "...");
}

}  // namespace
}  // namespace iprof
