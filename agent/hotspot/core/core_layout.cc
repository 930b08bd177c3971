#include "agent/hotspot/core/core_layout.h"

#include <elf.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace iprof::hotspot {
namespace {

constexpr uint64_t kMostSegments = 1 << 20;
constexpr uint64_t kMostNoteBytes = 256 << 20;  // a few KiB for each thread

Status Refused(Code code, std::string why) { return {code, std::move(why)}; }

Status CheckHeader(const std::optional<Elf64_Ehdr>& header) {
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
    return Refused(Code::kBadInput, "is not a core file: it has no ELF header");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
    return Refused(Code::kUnsupported,
                   "is of another architecture: it is not 64-bit little-endian");
  if (header->e_type != ET_CORE) {
    return Refused(Code::kBadInput,
                   fmt::format("is not a core file: it is an ELF file of type {}", header->e_type));
  }
  if (header->e_machine != EM_X86_64 && header->e_machine != EM_AARCH64) {
    return Refused(Code::kUnsupported,
                   fmt::format("is of another architecture (ELF machine {}): iprof reads cores of "
                               "x86-64 and AArch64",
                               header->e_machine));
  }
  if (header->e_phentsize != sizeof(Elf64_Phdr))
    return Refused(Code::kBadInput, "is damaged: its program headers have an unknown size");
  return {};
}

// More segments than fit into 16 bits are counted in the first section header.
std::optional<uint64_t> SegmentCount(const Memory& file, const Elf64_Ehdr& header) {
  if (header.e_phnum != PN_XNUM) return header.e_phnum;
  const auto section = file.Load<Elf64_Shdr>(header.e_shoff);
  if (!section) return std::nullopt;
  return section->sh_info;
}

uint64_t LoadU8(std::span<const uint8_t> bytes, size_t at) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The note NT_FILE: count, page size, then start, end and offset in pages of each mapping, then
// their names, each with a zero byte behind it.
std::vector<CoreMapping> ReadMappings(std::span<const uint8_t> note) {
  std::vector<CoreMapping> mappings;
  constexpr size_t kHead = 16;
  constexpr size_t kEach = 24;
  if (note.size() < kHead) return mappings;
  const uint64_t count = LoadU8(note, 0);
  const uint64_t page = LoadU8(note, 8);
  if (count > (note.size() - kHead) / kEach) return mappings;
  std::span<const uint8_t> names = note.subspan(kHead + count * kEach);
  for (uint64_t i = 0; i < count; ++i) {
    const size_t at = kHead + i * kEach;
    const auto* end = static_cast<const uint8_t*>(std::memchr(names.data(), 0, names.size()));
    if (names.empty() || end == nullptr) break;
    CoreMapping mapping;
    mapping.path.assign(names.begin(), names.begin() + (end - names.data()));
    names = names.subspan(mapping.path.size() + 1);
    mapping.at = LoadU8(note, at);
    const uint64_t stop = LoadU8(note, at + 8);
    const uint64_t pages = LoadU8(note, at + 16);
    if (stop <= mapping.at || (page != 0 && pages > UINT64_MAX / page)) continue;
    mapping.size = stop - mapping.at;
    mapping.offset = pages * page;
    if (mapping.offset <= UINT64_MAX - mapping.size) mappings.push_back(std::move(mapping));
  }
  return mappings;
}

void ReadNotes(std::span<const uint8_t> notes, CoreLayout& layout) {
  ForEachNote(notes, [&](const CoreNote& note) {
    if (note.name != "CORE") return;
    if (note.type == NT_FILE && layout.mappings.empty())
      layout.mappings = ReadMappings(note.content);
  });
}

// Sorts by address and drops what overlaps something before it.
template <typename Part>
void MakeDisjoint(std::vector<Part>& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.at < b.at; });
  Address end = 0;
  std::erase_if(parts, [&](const Part& part) {
    if (part.at < end) return true;
    end = part.at + part.size;
    return false;
  });
}

}  // namespace

void ForEachNote(std::span<const uint8_t> notes,
                 const std::function<void(const CoreNote&)>& visit) {
  const auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
  while (notes.size() >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr header{};
    std::memcpy(&header, notes.data(), sizeof header);
    notes = notes.subspan(sizeof header);
    const uint64_t content = padded(header.n_namesz);
    if (content > notes.size() || header.n_descsz > notes.size() - content) return;
    const auto* text = reinterpret_cast<const char*>(notes.data());
    visit({std::string_view(text, strnlen(text, header.n_namesz)), header.n_type,
           notes.subspan(content, header.n_descsz)});
    notes = notes.subspan(std::min<uint64_t>(content + padded(header.n_descsz), notes.size()));
  }
}

std::string_view CoreMapping::name() const {
  const std::string_view whole = path;
  return whole.substr(whole.rfind('/') + 1);
}

Result<CoreLayout> CoreLayout::Read(const Memory& file, uint64_t size) {
  const auto header = file.Load<Elf64_Ehdr>(0);
  if (Status refused = CheckHeader(header); !refused.ok()) return refused;
  const auto count = SegmentCount(file, *header);
  if (!count || *count > kMostSegments || header->e_phoff > size ||
      *count > (size - header->e_phoff) / sizeof(Elf64_Phdr)) {
    return Refused(Code::kBadInput,
                   fmt::format("is cut short: its {} bytes do not hold its headers", size));
  }
  CoreLayout layout;
  uint64_t needed = 0;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto segment = file.Load<Elf64_Phdr>(header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!segment) return Refused(Code::kIo, "cannot be read");
    if (segment->p_type != PT_LOAD && segment->p_type != PT_NOTE) continue;
    if (segment->p_offset > UINT64_MAX - segment->p_filesz ||
        segment->p_vaddr > UINT64_MAX - segment->p_filesz)
      return Refused(Code::kBadInput, "is damaged: a segment is larger than the memory");
    if (segment->p_filesz > 0) needed = std::max(needed, segment->p_offset + segment->p_filesz);
    if (needed > size) continue;  // refused below, when it is known how much is missing
    if (segment->p_type == PT_LOAD) {
      if (segment->p_filesz > 0)
        layout.segments.push_back({segment->p_vaddr, segment->p_filesz, segment->p_offset});
    } else if (segment->p_filesz <= kMostNoteBytes) {
      std::vector<uint8_t> notes(segment->p_filesz);
      if (!file.Read(segment->p_offset, notes.data(), notes.size()))
        return Refused(Code::kIo, "cannot be read");
      ReadNotes(notes, layout);
    }
  }
  if (needed > size) {
    return Refused(Code::kBadInput,
                   fmt::format("is cut short: it has {} of {} bytes", size, needed));
  }
  MakeDisjoint(layout.segments);
  MakeDisjoint(layout.mappings);
  return layout;
}

std::vector<Address> CoreLayout::BasesOf(std::string_view name) const {
  constexpr std::string_view kDeleted = " (deleted)";
  std::vector<Address> bases;
  for (const CoreMapping& mapping : mappings) {
    std::string_view last = mapping.name();
    if (last.ends_with(kDeleted)) last.remove_suffix(kDeleted.size());
    if (mapping.offset == 0 && last == name) bases.push_back(mapping.at);
  }
  return bases;
}

}  // namespace iprof::hotspot
