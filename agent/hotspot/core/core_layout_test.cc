#include "agent/hotspot/core/core_layout.h"

#include <catch2/catch.hpp>
#include <random>

#include "agent/hotspot/core/core_memory.h"
#include "agent/hotspot/core/fake_core.h"

namespace iprof::hotspot {
namespace {

std::string Refusal(std::vector<uint8_t> bytes) {
  const BytesMemory file(std::move(bytes));
  return CoreLayout::Read(file, file.size()).status().message();
}

TEST_CASE("a core lists its memory and the mapped files") {
  const BytesMemory file(SmallCore().Bytes());
  const auto layout = CoreLayout::Read(file, file.size());
  INFO(layout.status().message());
  REQUIRE(layout.ok());
  REQUIRE(layout->segments.size() == 2);
  CHECK(layout->segments[0].at == 0x10000);
  CHECK(layout->segments[0].size == 0x1000);
  REQUIRE(layout->mappings.size() == 1);
  CHECK(layout->mappings[0].path == "/jdk/lib/server/libjvm.so");
  CHECK(layout->mappings[0].size == 0x3000);
  CHECK(layout->BasesOf("libjvm.so") == std::vector<Address>{0x10000});
  CHECK(layout->BasesOf("libjava.so").empty());
}

TEST_CASE("a library that was replaced on disk is found by its name") {
  FakeCore core;
  core.MapFile(0x1000, 0x1000, 0, "/jdk/libjvm.so (deleted)");
  core.MapFile(0x2000, 0x1000, 1, "/jdk/libjvm.so (deleted)");
  const BytesMemory file(core.Bytes());
  const auto layout = CoreLayout::Read(file, file.size());
  REQUIRE(layout.ok());
  CHECK(layout->BasesOf("libjvm.so") == std::vector<Address>{0x1000});
}

TEST_CASE("what is no core, of another architecture or cut short is refused in one sentence") {
  CHECK(Refusal({}) == "is not a core file: it has no ELF header");
  CHECK(Refusal(std::vector<uint8_t>(1000, 'x')) == "is not a core file: it has no ELF header");
  CHECK(Refusal(SmallCore().Bytes(EM_X86_64, ET_DYN)) ==
        "is not a core file: it is an ELF file of type 3");
  CHECK(Refusal(SmallCore().Bytes(EM_S390)) ==
        "is of another architecture (ELF machine 22): iprof reads cores of x86-64 and AArch64");
  std::vector<uint8_t> narrow = SmallCore().Bytes();
  narrow[EI_CLASS] = ELFCLASS32;
  CHECK(Refusal(narrow) == "is of another architecture: it is not 64-bit little-endian");
  std::vector<uint8_t> cut = SmallCore().Bytes();
  const size_t whole = cut.size();
  cut.resize(whole - 1);
  CHECK(Refusal(cut) == "is cut short: it has " + std::to_string(whole - 1) + " of " +
                            std::to_string(whole) + " bytes");
  cut.resize(100);
  CHECK(Refusal(cut) == "is cut short: its 100 bytes do not hold its headers");
}

TEST_CASE("any change of a core's headers ends in a refusal or in bounds") {
  std::mt19937 random(1);
  const std::vector<uint8_t> original = SmallCore().Bytes();
  const size_t headers = original.size() - 0x2000;
  int accepted = 0;
  for (int run = 0; run < 5000; ++run) {
    BytesMemory file(original);
    for (auto changes = 1 + random() % 4; changes > 0; --changes)
      file.bytes()[random() % headers] = static_cast<uint8_t>(random());
    if (random() % 8 == 0) file.bytes().resize(random() % original.size());
    const auto layout = CoreLayout::Read(file, file.size());
    if (!layout.ok()) {
      CHECK_FALSE(layout.status().message().empty());
      continue;
    }
    ++accepted;
    for (const CoreSegment& segment : layout->segments)
      CHECK((segment.offset <= file.size() && segment.size <= file.size() - segment.offset));
    const CoreMemory memory(file, *layout);
    for (const Address at : {Address{0}, Address{0x10000}, Address{0x10FFF}, Address{0x20000}})
      memory.Load<uint64_t>(at);
  }
  CHECK(accepted > 0);
  CHECK(accepted < 5000);
}

}  // namespace
}  // namespace iprof::hotspot
