#include "agent/harvest/harvest_limits.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

bool Passes(uint64_t failed, uint64_t method_datas, uint64_t failed_counts, uint64_t counts) {
  HarvestCounts all;
  all.failed = failed;
  all.method_datas = method_datas;
  all.failed_counts = failed_counts;
  all.counts = counts;
  return CheckLimits(all, "").ok();
}

TEST_CASE("one per cent of the MethodDatas may fail, and no more") {
  CHECK(Passes(10, 1000, 0, 5));
  CHECK_FALSE(Passes(11, 1000, 0, 5));
  CHECK(Passes(0, 99, 0, 5));
  CHECK_FALSE(Passes(1, 99, 0, 5));
}

TEST_CASE("classes that were changed while the program ran explain why there are no counters") {
  HarvestCounts none;
  CHECK(CheckLimits(none, "").code() == Code::kUnsupported);
  none.redefined_classes = 1234;
  const Status changed = CheckLimits(none, "");
  CHECK(changed.code() == Code::kNothingYet);
  CHECK(changed.message().starts_with(
      "has no MethodData to harvest: 1,234 classes were changed while it ran (by 'iprof profile'"));
  CHECK(CheckLimits(none, "-Xint").message().ends_with("it runs without profiling (-Xint)"));
  none.redefined_classes = 1;
  CHECK(CheckLimits(none, "").message().find(": 1 class was changed") != std::string::npos);
  none.method_datas = 1;
  CHECK(CheckLimits(none, "").ok());
}

TEST_CASE("one per mille of the counts may fail, and no more") {
  CHECK(Passes(1, 1000, 5, 5000));
  CHECK_FALSE(Passes(1, 1000, 6, 5000));
  CHECK_FALSE(Passes(1, 1000, 5, 4999));
  CHECK_FALSE(Passes(1, 1000, 1, 999));
}

TEST_CASE("a JVM without MethodDatas is refused, with the reason that its flags tell") {
  CHECK(CheckLimits({}, "-XX:TieredStopAtLevel=0").message() ==
        "has no MethodData to harvest: it runs without profiling (-XX:TieredStopAtLevel=0)");
  CHECK(CheckLimits({}, "").message().find("often enough") != std::string::npos);
  HarvestCounts some;
  some.method_datas = 1000;
  CHECK(CheckLimits(some, "-XX:TieredStopAtLevel=2").ok());
}

}  // namespace
}  // namespace iprof::hotspot
