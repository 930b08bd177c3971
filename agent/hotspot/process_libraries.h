// ProcessLibraries: where a library is mapped in a process, by the kernel's list of mappings (/proc/PID/maps).
//
// Guarantees: pure on the list's text, which is checked: any bytes may be given. A library that was deleted or replaced, or
// whose path means something only in its container, is found all the same, because only the last part of the path counts.
#pragma once

#include <string_view>
#include <vector>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// Where the first byte of each mapped file of this name ("libjvm.so") is; for ElfImage::Read.
std::vector<Address> BasesOf(std::string_view file_name, std::string_view maps);

}  // namespace iprof::hotspot
