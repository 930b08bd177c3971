#include "cli/classpath/inflate.h"

#include <zlib.h>

#include <limits>

namespace iprof::classpath {
namespace {

constexpr uint64_t kMostPerByte = 1032;
constexpr uint64_t kMostBytes = std::numeric_limits<uInt>::max();

}  // namespace

std::optional<std::vector<uint8_t>> Inflate(std::span<const uint8_t> packed, uint64_t size,
                                            DeflateForm form) {
  if (size > kMostBytes || packed.size() > kMostBytes || size > packed.size() * kMostPerByte) {
    return std::nullopt;
  }
  std::vector<uint8_t> made(size);
  z_stream stream{};
  if (inflateInit2(&stream, form == DeflateForm::kRaw ? -MAX_WBITS : MAX_WBITS) != Z_OK) {
    return std::nullopt;
  }
  uint8_t nothing = 0;
  stream.next_in = const_cast<uint8_t*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = made.empty() ? &nothing : made.data();
  stream.avail_out = static_cast<uInt>(made.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool is_whole = result == Z_STREAM_END && stream.avail_out == 0;
  inflateEnd(&stream);
  if (!is_whole) return std::nullopt;
  return made;
}

uint32_t Crc32(std::span<const uint8_t> bytes) {
  return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size()));
}

}  // namespace iprof::classpath
