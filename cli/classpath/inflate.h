// Inflate: zlib's decompression of bytes whose inflated size is known.
//
// Guarantees: the result has exactly the given size. The memory is limited by the input: deflate
// cannot make more than 1,032 bytes of one, so a size that claims more is refused before anything is
// allocated.
// Threads: any; pure. Failure: nullopt if the bytes are damaged or do not give the size. Throws
// nothing but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace iprof::classpath {

enum class DeflateForm : uint8_t {
  kRaw,   // as in zip archives
  kZlib,  // with zlib's header and checksum
};

std::optional<std::vector<uint8_t>> Inflate(std::span<const uint8_t> packed, uint64_t size,
                                            DeflateForm form);

// The checksum of zip archives.
uint32_t Crc32(std::span<const uint8_t> bytes);

}  // namespace iprof::classpath
