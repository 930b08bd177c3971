// Reads an OriginalClass from a class file.
//
// Guarantees: damaged and unknown class files give one that trusts no method. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>

#include "writer/methods/original_class.h"

namespace iprof::instrument {

OriginalClass ReadOriginalClass(std::span<const uint8_t> class_file);

}  // namespace iprof::instrument
