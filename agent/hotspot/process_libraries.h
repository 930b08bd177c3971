// ProcessLibraries: finds where a library is mapped in a process, from the kernel's list of
// mappings (/proc/PID/maps).
//
// Guarantees: only the last part of the path counts, so a library is found even if it was deleted
// or replaced, or if its path exists only in a container. The list may contain any bytes.
// Threads: any; this is a pure function. Failure: malformed lines are skipped.
#pragma once

#include <string_view>
#include <vector>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// The address of the first byte of each mapped file with this name ("libjvm.so"), for
// ElfImage::Read.
std::vector<Address> BasesOf(std::string_view file_name, std::string_view maps);

}  // namespace iprof::hotspot
