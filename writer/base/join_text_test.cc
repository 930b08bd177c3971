#include "writer/base/join_text.h"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

namespace iprof {
namespace {

TEST_CASE("texts are joined with something between them, and nothing around them") {
  CHECK(JoinText({"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(JoinText({"a"}, ", ") == "a");
  CHECK(JoinText({}, ", ").empty());
  CHECK(JoinText(std::set<std::string>{"b", "a"}, "") == "ab");
}

TEST_CASE("texts that are empty have their place, too") {
  CHECK(JoinText(std::vector<std::string_view>{"", "b", ""}, "+") == "+b+");
}

}  // namespace
}  // namespace iprof
