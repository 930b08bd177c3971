// The mutator of fuzz targets whose input is a class after a few bytes of their own.
//
// Guarantees: the same seed gives the same result. Threads: any. Failure: none; if the class cannot
// be changed, the bytes are changed blindly.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iprof::classfile {

using AnyMutator = size_t (*)(uint8_t* data, size_t size, size_t most);

// Changes the class after the first `prefix` bytes, which choose what is done with it. Sometimes
// changes these bytes too, and sometimes any bytes, with `anyhow` (libFuzzer's own mutator).
// Returns the new size.
size_t MutateChosenClass(uint8_t* data, size_t size, size_t most, size_t prefix, uint64_t seed,
                         AnyMutator anyhow);

}  // namespace iprof::classfile
