#include "cli/classpath/image_resource.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/classpath/inflate.h"
#include "cli/classpath/little_endian.h"

namespace iprof::classpath {
namespace {

constexpr size_t kHeadBytes = 8;  // of a class file, before the number of constants
constexpr uint8_t kText = 1;
constexpr uint8_t kLong = 5;
constexpr uint8_t kDouble = 6;
constexpr uint8_t kSharedText = 23;
constexpr uint8_t kSharedDescriptor = 25;
constexpr size_t kLongestText = 65535;

// The bytes of a constant behind its tag; 0: there is no such tag.
size_t SizeOf(uint8_t tag) {
  switch (tag) {
    case 7:
    case 8:
    case 16:
    case 19:
    case 20:
      return 2;
    case 15:
      return 3;
    case 3:
    case 4:
    case 9:
    case 10:
    case 11:
    case 12:
    case 17:
    case 18:
      return 4;
    case kLong:
    case kDouble:
      return 8;
    default:
      return 0;
  }
}

class Restorer {
 public:
  Restorer(std::span<const uint8_t> packed, std::span<const uint8_t> strings, uint64_t size)
      : rest_(packed), strings_(strings), size_(size) {}

  std::optional<std::vector<uint8_t>> Run() {
    const std::span<const uint8_t> count_bytes =
        rest_.size() >= kHeadBytes + 2 ? rest_.subspan(kHeadBytes, 2) : std::span<const uint8_t>();
    if (!Copy(kHeadBytes + 2)) return std::nullopt;
    const uint32_t count = uint32_t{count_bytes[0]} << 8 | count_bytes[1];
    for (uint32_t i = 1; i < count; ++i) {
      if (rest_.empty()) return std::nullopt;
      const uint8_t tag = rest_.front();
      if (!RestoreConstant(tag)) return std::nullopt;
      if (tag == kLong || tag == kDouble) ++i;
    }
    if (!Copy(rest_.size()) || made_.size() != size_) return std::nullopt;
    return std::move(made_);
  }

 private:
  bool RestoreConstant(uint8_t tag) {
    if (tag == kText) {
      if (rest_.size() < 3) return false;
      return Copy(3 + (size_t{rest_[1]} << 8 | rest_[2]));
    }
    if (tag != kSharedText && tag != kSharedDescriptor) {
      return SizeOf(tag) != 0 && Copy(1 + SizeOf(tag));
    }
    rest_ = rest_.subspan(1);
    const auto text = TakeString();
    if (!text) return false;
    return tag == kSharedText ? AddText(*text) : RestoreDescriptor(*text);
  }

  // "(L;I)V" and the strings "java/lang" and "String" make "(Ljava/lang/String;I)V".
  bool RestoreDescriptor(std::string_view form) {
    const auto size = TakeNumber();
    if (!size || *size > rest_.size()) return false;
    if (*size == 0) return AddText(form);
    const std::span<const uint8_t> after = rest_.subspan(*size);
    rest_ = rest_.first(*size);
    std::string text;
    for (const char c : form) {
      text += c;
      if (c != 'L') continue;
      const auto package = TakeString();
      const auto name = TakeString();
      if (!package || !name) return false;
      if (!package->empty()) text.append(*package).append("/");
      text += *name;
      if (text.size() > kLongestText) return false;
    }
    rest_ = after;
    return AddText(text);
  }

  bool AddText(std::string_view text) {
    if (text.size() > kLongestText) return false;
    const uint8_t head[] = {kText, static_cast<uint8_t>(text.size() >> 8),
                            static_cast<uint8_t>(text.size())};
    return Add(head) && Add({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }

  std::optional<std::string_view> TakeString() {
    const auto offset = TakeNumber();
    if (!offset) return std::nullopt;
    return ImageString(strings_, *offset);
  }

  // Four bytes; or fewer if the highest bit of the first is set, which then says how many.
  std::optional<uint32_t> TakeNumber() {
    if (rest_.empty()) return std::nullopt;
    const uint8_t first = rest_.front();
    const bool is_short = (first & 0x80) != 0;
    const size_t length = is_short ? first >> 5 & 3 : 4;
    if (length == 0 || length > rest_.size()) return std::nullopt;
    uint32_t number = is_short ? first & 0x1F : first;
    for (size_t i = 1; i < length; ++i) number = number << 8 | rest_[i];
    rest_ = rest_.subspan(length);
    return number;
  }

  bool Copy(size_t count) {
    if (count > rest_.size() || !Add(rest_.first(count))) return false;
    rest_ = rest_.subspan(count);
    return true;
  }

  bool Add(std::span<const uint8_t> bytes) {
    if (bytes.size() > size_ - made_.size()) return false;
    made_.insert(made_.end(), bytes.begin(), bytes.end());
    return true;
  }

  std::span<const uint8_t> rest_;
  std::span<const uint8_t> strings_;
  uint64_t size_;
  std::vector<uint8_t> made_;
};

// A class file again from jlink's form "compact-cp", in which texts of the constant pool are in the image's strings. Any bytes
// may be given. The result has exactly `size` bytes; what is made on the way is not larger.
std::optional<std::vector<uint8_t>> RestoreConstants(std::span<const uint8_t> packed,
                                                     std::span<const uint8_t> strings,
                                                     uint64_t size) {
  return Restorer(packed, strings, size).Run();
}

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
