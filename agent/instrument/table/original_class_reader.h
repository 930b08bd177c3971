// Reads an OriginalClass from a class file.
//
// Guarantees: a pure function. Threads: any. Failure: a damaged or unknown class file gives an
// OriginalClass that trusts no method.
#pragma once

#include <cstdint>
#include <span>

#include "writer/records/original_class.h"

namespace iprof::instrument {

OriginalClass ReadOriginalClass(std::span<const uint8_t> class_file);

}  // namespace iprof::instrument
