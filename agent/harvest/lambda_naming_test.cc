#include "agent/harvest/lambda_naming.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

TEST_CASE("only an address behind a plus makes a name that of a hidden class") {
  CHECK(SplitHiddenName("a/B$$Lambda+0x01ff").name == "a/B$$Lambda");
  CHECK(SplitHiddenName("a/B$$Lambda+0x01ff").suffix == "0x01ff");
  for (const char* name : {"a/B", "a/B+C", "a/B+0x", "a/B+0xg", "[La/B+0x01;", "+"}) {
    CHECK(SplitHiddenName(name).name == name);
    CHECK(SplitHiddenName(name).suffix.empty());
  }
}

}  // namespace
}  // namespace iprof::hotspot
