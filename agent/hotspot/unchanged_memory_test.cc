#include "agent/hotspot/unchanged_memory.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/hotspot/bytes_memory.h"

namespace iprof::hotspot {
namespace {

constexpr char kMaps[] =
    "1000-2000 r--p 00000000 08:01 1 /jdk/app.aot\n"
    "2000-3000 rw-p 00001000 08:01 1 /jdk/app.aot\n"
    "3000-4000 rw-p 00003000 08:01 1 /jdk/app.aot\n"
    "5000-6000 rw-p 00000000 08:01 2 /jdk/gone (deleted)\n"
    "7000-8000 rw-p 00000000 00:00 0\n"
    "9000-a000 rw-p 00000000 00:00 0 [stack]\n";

TEST_CASE("memory as it was mapped is read from the files, each opened once") {
  std::vector<std::string> opened;
  const UnchangedMemory memory(MappedParts(kMaps),
                               [&](const MappedPart& part) -> std::unique_ptr<Memory> {
                                 opened.push_back(part.path);
                                 if (part.is_deleted) return nullptr;
                                 std::vector<uint8_t> bytes(0x4000);
                                 bytes[0x1234] = 7;
                                 bytes[0x3FFF] = 9;
                                 return std::make_unique<BytesMemory>(std::move(bytes));
                               });
  CHECK(memory.Load<uint8_t>(0x2234) == uint8_t{7});
  CHECK(memory.Load<uint8_t>(0x3FFF) == uint8_t{9});
  CHECK(opened == std::vector<std::string>{"/jdk/app.aot"});
  CHECK(memory.Holds(0x5000));
  CHECK_FALSE(memory.Load<uint8_t>(0x5000));
  CHECK_FALSE(memory.Load<uint8_t>(0x5001));
  CHECK(opened == std::vector<std::string>{"/jdk/app.aot", "/jdk/gone"});
  for (const Address at : {0x0U, 0x1000U, 0x1FFFU, 0x4000U, 0x7000U, 0x9000U}) {
    CHECK_FALSE(memory.Holds(at));
    CHECK_FALSE(memory.Load<uint8_t>(at));
  }
  CHECK_FALSE(memory.Load<uint64_t>(0x2FFC));  // parts need not follow each other in the file
}

TEST_CASE("a part whose file is too short cannot be read to its end") {
  const UnchangedMemory memory(MappedParts("1000-3000 rw-p 00000000 08:01 1 /short\n"),
                               [](const MappedPart&) {
                                 return std::make_unique<BytesMemory>(std::vector<uint8_t>(0x1800));
                               });
  CHECK(memory.Load<uint8_t>(0x27FF));
  CHECK_FALSE(memory.Load<uint8_t>(0x2800));
}

}  // namespace
}  // namespace iprof::hotspot
