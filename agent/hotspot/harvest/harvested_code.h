// The hash of a loaded method's code, equal to that of its class file (writer/methods/class_record.h,
// CountedMethod::code_hash).
//
// Guarantees: reads names and values through HotSpot's constant pool, after the code was made
// original (original_code.h).
// Threads: one per Metadata. Failure: 0, if a constant is unknown or cannot be read.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/classfile/symbolic_code.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {

// `own_name` is the class's symbol. `scratch` is overwritten; it keeps its memory for the next method.
uint64_t HarvestedCodeHash(Metadata& metadata, const Pool& pool, const OriginalCode& code,
                           std::string_view own_name, classfile::SymbolicCode* scratch);

}  // namespace iprof::hotspot
