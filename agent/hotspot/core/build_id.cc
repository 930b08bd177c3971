#include "agent/hotspot/core/build_id.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "agent/hotspot/core/core_layout.h"

namespace iprof::hotspot {
namespace {

constexpr uint16_t kMostSegments = 256;
constexpr uint64_t kMostNoteBytes = 64 << 10;
constexpr size_t kMostIdBytes = 64;

}  // namespace

std::string BuildIdOf(const Memory& memory, Address base) {
  std::string id;
  const auto header = memory.Load<Elf64_Ehdr>(base);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_phentsize != sizeof(Elf64_Phdr) ||
      header->e_phnum > kMostSegments)
    return id;
  for (uint64_t i = 0; i < header->e_phnum && id.empty(); ++i) {
    const auto segment = memory.Load<Elf64_Phdr>(base + header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return id;
    if (segment->p_type != PT_NOTE || segment->p_filesz > kMostNoteBytes) continue;
    // The notes are in the first segment, so their offset in the file is that in memory, too.
    std::vector<uint8_t> notes(segment->p_filesz);
    if (!memory.Read(base + segment->p_offset, notes.data(), notes.size())) continue;
    ForEachNote(notes, [&](const CoreNote& note) {
      if (note.name != "GNU" || note.type != NT_GNU_BUILD_ID || !id.empty()) return;
      for (const uint8_t byte : note.content.first(std::min(note.content.size(), kMostIdBytes)))
        id += fmt::format("{:02x}", byte);
    });
  }
  return id;
}

}  // namespace iprof::hotspot
