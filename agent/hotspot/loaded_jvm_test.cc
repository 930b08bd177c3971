#include "agent/hotspot/loaded_jvm.h"

#include <unistd.h>

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

TEST_CASE("functions are found in the library that holds an address") {
  const LoadedJvm libc(reinterpret_cast<const void*>(&getppid));
  CHECK(libc.Symbol("getppid") == reinterpret_cast<void*>(&getppid));
  CHECK(libc.Symbol("AsyncGetCallTrace") == nullptr);
  CHECK_FALSE(libc.structs().OffsetOf("Klass", "_name"));  // not a JVM
}

TEST_CASE("an address that no library holds has neither symbols nor tables") {
  const int here = 0;
  const LoadedJvm none(&here);
  CHECK(none.Symbol("getppid") == nullptr);
  CHECK_FALSE(none.structs().SizeOf("Klass"));
}

}  // namespace
}  // namespace iprof::hotspot
