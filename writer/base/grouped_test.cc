#include "writer/base/grouped.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace iprof {
namespace {

TEST_CASE("numbers have groups of three digits") {
  CHECK(Grouped(0) == "0");
  CHECK(Grouped(999U) == "999");
  CHECK(Grouped(-999) == "-999");
  CHECK(Grouped(1000) == "1,000");
  CHECK(Grouped(-1234567) == "-1,234,567");
  CHECK(Grouped(INT64_MIN) == "-9,223,372,036,854,775,808");
  CHECK(Grouped(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("one is counted with the singular") {
  CHECK(Counted(0, "class", "classes") == "0 classes");
  CHECK(Counted(1U, "class", "classes") == "1 class");
  CHECK(Counted(int64_t{1234}, "class", "classes") == "1,234 classes");
}

}  // namespace
}  // namespace iprof
