#include "agent/vm/jvmti/boundary.h"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "agent/settings/temporary_log.h"

using namespace iprof::vm;

TEST_CASE("no exception crosses the boundary, and each is counted") {
  const TemporaryLog file;
  Log log;
  REQUIRE(log.Open(file.path()).ok());
  log.SetVerbosity(0);
  const uint64_t before = boundary_failures.load();
  AtBoundary(log, "VMDeath", [] { throw std::runtime_error("broken"); });
  AtBoundary(log, "VMDeath", [] { throw 42; });
  AtBoundary(log, "VMDeath", [] {});
  CHECK(boundary_failures.load() == before + 2);
  const auto lines = file.lines();
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].ends_with("internal error in VMDeath: broken; the program goes on"));
  CHECK(lines[1].ends_with(
      "internal error in VMDeath: an exception of unknown kind; the program goes on"));
}
