// RestoreConstants: a class file again from jlink's form "compact-cp", in which texts of the constant
// pool are in the image's strings.
//
// Guarantees: any bytes may be given. The result has exactly `size` bytes; what is made on the way is
// not larger. Threads: any; pure. Failure: nullopt if the bytes do not follow the form. Throws
// nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace iprof::classpath {

std::optional<std::vector<uint8_t>> RestoreConstants(std::span<const uint8_t> packed,
                                                     std::span<const uint8_t> strings,
                                                     uint64_t size);

}  // namespace iprof::classpath
