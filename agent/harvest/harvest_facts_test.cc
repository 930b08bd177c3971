#include "agent/harvest/harvest_facts.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

namespace iprof::hotspot {
namespace {

// A process that started this long after the system, in clock ticks.
std::string Stat(long started) {
  return "4711 (a) b) S 1 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 30 0 " +
         std::to_string(started) + " 123 456";
}

TEST_CASE(
    "the age of a process is in whole seconds, also where none of them began with the clock's") {
  const long tick = sysconf(_SC_CLK_TCK);
  const std::string stat = Stat(100 * tick + tick / 2);
  CHECK(AgeSeconds(stat, 103.75) == 3);  // not 2
  CHECK(AgeSeconds(stat, 103.25) == 2);
  CHECK(AgeSeconds(stat, 100.75) == 0);
  CHECK(AgeSeconds(stat, 99) == 0);
  CHECK(AgeSeconds("", 99) == 0);
}

TEST_CASE("the processor time of a process is that of the program and of the system for it") {
  // "4 5 6 7": the process in the program and in the system, then its children
  const std::string stat =
      "4711 (a) b) S 1 4711 4711 0 -1 4194560 1 2 3 4 500 600 7 8 20 0 30 0 1 2";
  CHECK(CpuMs(stat) == 1100 * 1000 / sysconf(_SC_CLK_TCK));
  CHECK(CpuMs("") == HarvestNote::kUnknownCpu);
}

}  // namespace
}  // namespace iprof::hotspot
