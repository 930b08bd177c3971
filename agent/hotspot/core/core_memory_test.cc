#include "agent/hotspot/core/core_memory.h"

#include <catch2/catch.hpp>

#include "agent/hotspot/core/build_id.h"
#include "agent/hotspot/core/fake_core.h"

namespace iprof::hotspot {
namespace {

struct Opened {
  BytesMemory file{SmallCore().Bytes()};
  CoreLayout layout = *CoreLayout::Read(file, file.size());
};

TEST_CASE("what the core left out is read from the mapped file") {
  const Opened core;
  int opened = 0;
  const CoreMemory memory(core.file, core.layout, [&](const std::string& path) {
    CHECK(path == "/jdk/lib/server/libjvm.so");
    ++opened;
    return std::make_unique<BytesMemory>(std::vector<uint8_t>(0x2800, 'f'));
  });
  CHECK(memory.Load<char>(0x10FFF) == 'a');
  CHECK(opened == 0);
  CHECK(memory.Load<char>(0x11000) == 'f');
  CHECK(memory.Load<uint16_t>(0x10FFF) == ('f' << 8 | 'a'));
  CHECK(memory.Load<char>(0x127FF) == 'f');
  CHECK_FALSE(memory.Load<char>(0x12800));  // the file is shorter than its mapping
  CHECK(memory.Load<char>(0x20FFF) == 'b');
  CHECK_FALSE(memory.Load<uint16_t>(0x20FFF));
  CHECK_FALSE(memory.Load<char>(0));
  CHECK_FALSE(memory.Load<uint64_t>(UINT64_MAX - 3));
  CHECK(opened == 1);
  CHECK(memory.missing().empty());
}

TEST_CASE("a mapped file that is not there is named") {
  const Opened core;
  const CoreMemory memory(core.file, core.layout,
                          [](const std::string&) { return std::unique_ptr<Memory>(); });
  CHECK(memory.Load<char>(0x10FFF));
  CHECK(memory.missing().empty());
  CHECK_FALSE(memory.Load<char>(0x11000));
  CHECK(memory.missing() == "/jdk/lib/server/libjvm.so");
}

// A library with a note, or none.
std::vector<uint8_t> Library(const std::string& id) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = sizeof(Elf64_Nhdr) + 4 + id.size();
  const Elf64_Nhdr note{4, static_cast<uint32_t>(id.size()), NT_GNU_BUILD_ID};
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes.append(reinterpret_cast<const char*>(&segment), sizeof segment);
  bytes.append(reinterpret_cast<const char*>(&note), sizeof note);
  bytes.append("GNU\0", 4).append(id);
  return {bytes.begin(), bytes.end()};
}

TEST_CASE("a library's build id is that of its note") {
  CHECK(BuildIdOf(BytesMemory(Library("\x01\xAB")), 0) == "01ab");
  CHECK(BuildIdOf(BytesMemory(Library("")), 0).empty());
  CHECK(BuildIdOf(BytesMemory(std::vector<uint8_t>(10)), 0).empty());
  std::vector<uint8_t> cut = Library("\x01\xAB");
  cut.resize(cut.size() - 1);
  CHECK(BuildIdOf(BytesMemory(cut), 0).empty());
}

}  // namespace
}  // namespace iprof::hotspot
