// BuildId: the number that the linker gave a library, which differs between two builds.
//
// Guarantees: pure on the memory's bytes, and bounded; works for a file (base 0) and for a library
// that is mapped in memory. Only 64-bit little-endian ELF.
// Threads: those of the Memory. Failure: an empty text if there is none or it cannot be read.
#pragma once

#include <string>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// In hexadecimal digits. `base`: where the first byte of the library's file is.
std::string BuildIdOf(const Memory& memory, Address base);

}  // namespace iprof::hotspot
