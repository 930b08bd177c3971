#include "agent/hotspot/process_libraries.h"

#include <catch2/catch.hpp>

namespace iprof::hotspot {
namespace {

TEST_CASE("a library is where its first byte is mapped") {
  const auto bases =
      BasesOf("libjvm.so",
              "55d0c000-55d0d000 r--p 00000000 08:01 11 /usr/bin/java\n"
              "7f10000000-7f10400000 r--p 00000000 08:01 12   /opt/jdk/lib/libjvm.so\n"
              "7f10400000-7f11400000 r-xp 00400000 08:01 12   /opt/jdk/lib/libjvm.so\n"
              "7ffd0000-7ffe0000 rw-p 00000000 00:00 0        [stack]\n");
  REQUIRE(bases.size() == 1);
  CHECK(bases[0] == 0x7f10000000);
}

TEST_CASE("deleted files, paths with blanks and a missing last line end do not matter") {
  const auto bases = BasesOf("libjvm.so",
                             "7f10-7f20 r--p 00000000 08:01 12 /a b/libjvm.so (deleted)\n"
                             "7f30-7f40 r--p 00000000 08:01 12 /merged/opt/libjvm.so");
  CHECK(bases == std::vector<Address>{0x7f10, 0x7f30});
}

TEST_CASE("other files, and lines that are none, are left out") {
  CHECK(BasesOf("libjvm.so", "").empty());
  CHECK(BasesOf("libjvm.so", "\n\n").empty());
  CHECK(BasesOf("libjvm.so", "libjvm.so").empty());
  CHECK(BasesOf("libjvm.so", "7f10-7f20 r--p 00000000 08:01 12 /opt/notlibjvm.so\n").empty());
  CHECK(BasesOf("libjvm.so", "7f10-7f20 r--p 00000000 08:01 12 /opt/libjvm.so.bak\n").empty());
  CHECK(BasesOf("libjvm.so", "xyz-7f20 r--p 00000000 08:01 12 /opt/libjvm.so\n").empty());
  CHECK(BasesOf("libjvm.so", "7f10-7f20 r--p 0000000z 08:01 12 /opt/libjvm.so\n").empty());
}

}  // namespace
}  // namespace iprof::hotspot
