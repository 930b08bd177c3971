// ImageResource: resources of a JDK image that jlink compressed, and the strings of an image.
//
// A compressed resource begins with a header that names its compression, "zip" (zlib) or
// "compact-cp" (constants of class files are in the image's strings). What it gives may be compressed
// again.
//
// Guarantees: any bytes may be given. No result is larger than `most`.
// Threads: any; pure functions. Failure: kBadInput, kUnsupported for a compression that is not known,
// kLimit. Throws nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "writer/base/status.h"

namespace iprof::classpath {

// The text at this position of an image's strings, whose last byte is 0. nullopt behind the end.
std::optional<std::string_view> ImageString(std::span<const uint8_t> strings, uint64_t offset);

// `strings`: those of the image, which end with a 0.
Result<std::vector<uint8_t>> UnpackResource(std::vector<uint8_t> packed,
                                            std::span<const uint8_t> strings, uint64_t most);

}  // namespace iprof::classpath
