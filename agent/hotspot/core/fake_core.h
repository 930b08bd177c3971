// FakeCore: builds core files in memory, for tests and fuzzing.
//
// Guarantees: what Bytes returns is a core as the kernel writes it. Threads: one. Failure: none.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "agent/hotspot/bytes_memory.h"

namespace iprof::hotspot {

class FakeCore {
 public:
  // A mapping of which the core has the first `content.size()` bytes.
  void Map(Address at, uint64_t size, const std::string& content) {
    loads_.push_back({at, size, content});
  }
  void MapFile(Address at, uint64_t size, uint64_t page, const std::string& path) {
    files_.push_back({at, size, page, path});
  }

  std::vector<uint8_t> Bytes(uint16_t machine = EM_X86_64, uint16_t type = ET_CORE) const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = type;
    header.e_machine = machine;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = static_cast<uint16_t>(loads_.size() + 1);
    const std::string notes = Notes();
    std::vector<uint8_t> bytes;
    Append(bytes, header);
    uint64_t offset = sizeof header + (loads_.size() + 1) * sizeof(Elf64_Phdr);
    Elf64_Phdr segment{};
    segment.p_type = PT_NOTE;
    segment.p_offset = offset;
    segment.p_filesz = notes.size();
    Append(bytes, segment);
    offset += notes.size();
    for (const Load& load : loads_) {
      segment = {};
      segment.p_type = PT_LOAD;
      segment.p_offset = offset;
      segment.p_vaddr = load.at;
      segment.p_memsz = load.size;
      segment.p_filesz = load.content.size();
      Append(bytes, segment);
      offset += load.content.size();
    }
    bytes.insert(bytes.end(), notes.begin(), notes.end());
    for (const Load& load : loads_)
      bytes.insert(bytes.end(), load.content.begin(), load.content.end());
    return bytes;
  }

 private:
  struct Load {
    Address at;
    uint64_t size;
    std::string content;
  };
  struct File {
    Address at;
    uint64_t size, page;
    std::string path;
  };

  template <typename T>
  static void Append(std::vector<uint8_t>& bytes, const T& value) {
    const auto* from = reinterpret_cast<const uint8_t*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  }
  template <typename T>
  static void Append(std::string& text, const T& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static void AppendNote(std::string& notes, uint32_t type, const std::string& content) {
    Append(notes, Elf64_Nhdr{5, static_cast<uint32_t>(content.size()), type});
    notes.append("CORE\0\0\0", 8);
    notes.append(content);
    notes.resize((notes.size() + 3) / 4 * 4);
  }
  std::string Notes() const {
    std::string notes;
    AppendNote(notes, NT_PRSTATUS, std::string(100, 0));
    std::string files;
    Append(files, uint64_t{files_.size()});
    Append(files, uint64_t{4096});
    for (const File& file : files_) {
      Append(files, file.at);
      Append(files, file.at + file.size);
      Append(files, file.page);
    }
    for (const File& file : files_) files.append(file.path).push_back('\0');
    AppendNote(notes, NT_FILE, files);
    return notes;
  }

  std::vector<Load> loads_;
  std::vector<File> files_;
};

// A small core: three pages of a file of which the core has the first, and memory of its own.
inline FakeCore SmallCore() {
  FakeCore core;
  core.Map(0x10000, 0x3000, std::string(0x1000, 'a'));
  core.Map(0x20000, 0x1000, std::string(0x1000, 'b'));
  core.MapFile(0x10000, 0x3000, 0, "/jdk/lib/server/libjvm.so");
  return core;
}

}  // namespace iprof::hotspot
