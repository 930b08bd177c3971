#include "cli/classpath/image_resource.h"

#include <fmt/format.h>

#include "cli/classpath/inflate.h"
#include "cli/classpath/little_endian.h"
#include "cli/classpath/shared_constants.h"

namespace iprof::classpath {
namespace {

constexpr uint32_t kMagic = 0xCAFEFAFA;
constexpr size_t kHeaderBytes = 29;
constexpr int kMostRounds = 8;  // jlink makes at most two

Status Damaged() { return {Code::kBadInput, "a compressed resource is damaged"}; }

}  // namespace

std::optional<std::string_view> ImageString(std::span<const uint8_t> strings, uint64_t offset) {
  if (offset >= strings.size() || strings.back() != 0) return std::nullopt;
  return reinterpret_cast<const char*>(strings.data()) + offset;
}

Result<std::vector<uint8_t>> UnpackResource(std::vector<uint8_t> packed,
                                            std::span<const uint8_t> strings, uint64_t most) {
  int rounds = 0;
  while (packed.size() >= kHeaderBytes && Load<uint32_t>(packed.data()) == kMagic) {
    if (++rounds > kMostRounds) return Damaged();
    const auto content = std::span<const uint8_t>(packed).subspan(kHeaderBytes);
    const auto content_size = Load<uint64_t>(packed.data() + 4);
    const auto size = Load<uint64_t>(packed.data() + 12);
    const auto name = ImageString(strings, Load<uint32_t>(packed.data() + 20));
    if (!name || content_size > content.size()) return Damaged();
    if (size > most) {
      return Status(Code::kLimit, fmt::format("a resource is larger than {} bytes", most));
    }
    std::optional<std::vector<uint8_t>> unpacked;
    if (*name == "zip") {
      unpacked = Inflate(content.first(content_size), size, DeflateForm::kZlib);
    } else if (*name == "compact-cp") {
      unpacked = RestoreConstants(content.first(content_size), strings, size);
    } else {
      return Status(Code::kUnsupported,
                    fmt::format("a resource is compressed by '{}', which is not known", *name));
    }
    if (!unpacked) return Damaged();
    packed = std::move(*unpacked);
  }
  return packed;
}

}  // namespace iprof::classpath
