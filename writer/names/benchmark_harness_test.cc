#include "writer/names/benchmark_harness.h"

#include <catch2/catch.hpp>

namespace iprof {
namespace {

TEST_CASE("JMH's black holes and generated classes are its harness, benchmarks are not") {
  const auto is_harness = [](std::string_view name) {
    return IsBenchmarkHarness(InternalName(name));
  };
  CHECK(is_harness("org/openjdk/jmh/infra/Blackhole"));
  CHECK(is_harness("org/openjdk/jmh/infra/BlackholeL2"));
  CHECK(is_harness("a/b/jmh_generated/Sums_add_jmhTest"));
  CHECK(is_harness("a/b/jmh_generated/Sums_jmhType_B1"));
  CHECK(is_harness("jmh_generated/Sums_add_jmhTest"));
  CHECK_FALSE(is_harness("a/b/Sums"));
  CHECK_FALSE(is_harness("a/b/not_jmh_generated/Sums"));
  CHECK_FALSE(is_harness("org/openjdk/jmh/runner/BenchmarkHandler"));
}

}  // namespace
}  // namespace iprof
