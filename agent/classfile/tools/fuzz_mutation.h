// What a fuzz target does with an input that is a class behind some bytes of its own.
#pragma once

#include <cstddef>
#include <cstdint>

namespace iprof::classfile {

using AnyMutator = size_t (*)(uint8_t* data, size_t size, size_t most);

// Changes the class behind `prefix` bytes that choose what is done with it, at times these bytes
// too, and at times any bytes by `anyhow` (libFuzzer's own way). Gives the new size.
size_t MutateChosenClass(uint8_t* data, size_t size, size_t most, size_t prefix, uint64_t seed,
                         AnyMutator anyhow);

}  // namespace iprof::classfile
