// ProcessLibraries: finds where files are mapped in a process, from the kernel's list of mappings
// (/proc/PID/maps).
//
// Guarantees: only the last part of the path counts, so a library is found even if it was deleted
// or replaced, or if its path exists only in a container. The list may contain any bytes.
// Threads: any; this is a pure function. Failure: malformed lines are skipped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// A part of a file.
struct MappedPart {
  Address at = 0;
  uint64_t size = 0;
  uint64_t offset = 0;  // in the file
  std::string path;     // as the process sees it
  bool is_writable = false;
  bool is_deleted = false;  // the file is no longer at that path
};

std::vector<MappedPart> MappedParts(std::string_view maps);

// The address of the first byte of each mapped file with this name ("libjvm.so"), for
// ElfImage::Read.
std::vector<Address> BasesOf(std::string_view file_name, std::string_view maps);

}  // namespace iprof::hotspot
