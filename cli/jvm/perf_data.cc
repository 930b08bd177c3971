#include "cli/jvm/perf_data.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace iprof::jvm {
namespace {

// The file begins with: CA FE C0 C0, byte order, major, minor, accessible (one byte each), bytes used,
// overflow (4 each), time (8), offset of the first entry, number of entries (4 each).
constexpr char kMagic[] = {'\xca', '\xfe', '\xc0', '\xc0'};
constexpr size_t kByteOrderAt = 4, kMajorAt = 5, kAccessibleAt = 7, kFirstEntryAt = 24,
                 kEntriesAt = 28, kHeader = 32;
constexpr char kLittleEndian = 1;
constexpr char kMajor = 2;
// An entry begins with: its length, where its name is, elements of the value (4 each), type, flags,
// unit, variability (one byte each), where the value is (4).
constexpr size_t kNameAt = 4, kElementsAt = 8, kTypeAt = 12, kValueAt = 16, kEntryHeader = 20;
constexpr char kByteType = 'B';

std::optional<uint32_t> NumberAt(std::span<const char> bytes, size_t at) {
  uint32_t number = 0;
  if (at > bytes.size() || bytes.size() - at < sizeof number) return std::nullopt;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

// Up to the first zero byte.
std::string_view TextAt(std::span<const char> bytes, size_t at, size_t most) {
  if (at >= bytes.size()) return {};
  const std::string_view text(bytes.data() + at, std::min(most, bytes.size() - at));
  return text.substr(0, text.find('\0'));
}

bool IsReadable(std::span<const char> bytes) {
  static_assert(std::endian::native == std::endian::little);
  return bytes.size() >= kHeader && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0 &&
         bytes[kByteOrderAt] == kLittleEndian && bytes[kMajorAt] == kMajor;
}

}  // namespace

bool SaysStarting(std::span<const char> bytes) {
  return IsReadable(bytes) && bytes[kAccessibleAt] == 0;
}

PerfTexts ReadPerfTexts(std::span<const char> bytes) {
  PerfTexts texts;
  if (!IsReadable(bytes)) return texts;
  size_t at = *NumberAt(bytes, kFirstEntryAt);
  const uint32_t entries = *NumberAt(bytes, kEntriesAt);
  for (uint32_t i = 0; i < entries && at < bytes.size(); ++i) {
    const auto length = NumberAt(bytes, at);
    if (!length || *length < kEntryHeader || *length > bytes.size() - at) break;
    const auto entry = bytes.subspan(at, *length);
    at += *length;
    const uint32_t elements = *NumberAt(entry, kElementsAt);
    if (entry[kTypeAt] != kByteType || elements == 0) continue;
    const std::string_view name = TextAt(entry, *NumberAt(entry, kNameAt), entry.size());
    const std::string_view value = TextAt(entry, *NumberAt(entry, kValueAt), elements);
    if (!name.empty()) texts.emplace(name, value);
  }
  return texts;
}

}  // namespace iprof::jvm
