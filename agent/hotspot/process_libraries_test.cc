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

TEST_CASE("parts of files are told with their places") {
  const auto parts = MappedParts(
      "2000-3800 rw-p 00001000 08:01 11 /a b/app.aot (deleted)\n"
      "4000-5000 r-xp 00000000 08:01 12   /lib.so\n"
      "5000-4000 r-xp 00000000 08:01 12   /wrong.so\n"
      "6000-7000 rw-p 00000000 00:00 0\n");
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].at == 0x2000);
  CHECK(parts[0].size == 0x1800);
  CHECK(parts[0].offset == 0x1000);
  CHECK(parts[0].path == "/a b/app.aot");
  CHECK(parts[0].is_writable);
  CHECK(parts[0].is_deleted);
  CHECK(parts[1].path == "/lib.so");
  CHECK_FALSE(parts[1].is_writable);
  CHECK_FALSE(parts[1].is_deleted);
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
