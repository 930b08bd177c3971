// CoreLayout: what a core file contains: the process's memory, and which files were mapped where.
//
// Guarantees: bounded, on any bytes. Segments and mappings ascend and do not overlap; each segment's
// bytes lie within the core file.
// Threads: any; pure on the file's bytes. Failure: one sentence without a subject, to be put behind
// the core file's name: it is no core file, of another architecture, or cut short.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hotspot/memory.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

// Memory whose first bytes are in the core file. The kernel leaves out pages that files have, too.
struct CoreSegment {
  Address at = 0;
  uint64_t size = 0;    // the bytes in the core file
  uint64_t offset = 0;  // in the core file
};

struct CoreMapping {
  Address at = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // in the mapped file
  std::string path;

  std::string_view name() const;  // the last part of the path
};

struct CoreLayout {
  std::vector<CoreSegment> segments;
  std::vector<CoreMapping> mappings;

  // `file` has the bytes of the core file by their offsets; `size`: how many there are.
  static Result<CoreLayout> Read(const Memory& file, uint64_t size);

  // Where the first bytes of files with this name are mapped.
  std::vector<Address> BasesOf(std::string_view name) const;
};

struct CoreNote {
  std::string_view name;
  uint32_t type = 0;
  std::span<const uint8_t> content;
};

// Calls visit for each of the notes of an ELF file, up to the first damaged one.
void ForEachNote(std::span<const uint8_t> notes, const std::function<void(const CoreNote&)>& visit);

}  // namespace iprof::hotspot
