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

}  // namespace
}  // namespace iprof
