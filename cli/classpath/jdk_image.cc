#include "cli/classpath/jdk_image.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/classpath/image_resource.h"
#include "cli/classpath/little_endian.h"

namespace iprof::classpath {
namespace {

constexpr uint32_t kMagic = 0xCAFEDADA;
constexpr uint32_t kMajorVersion = 1;
constexpr uint64_t kHeaderBytes = 28;
constexpr uint32_t kHashMultiplier = 0x01000193;

enum class Attribute : uint8_t {
  kEnd,
  kModule,
  kParent,
  kBase,
  kExtension,
  kOffset,
  kPackedSize,
  kSize,
};

uint32_t HashOf(std::string_view path, uint32_t seed) {
  for (const char c : path) seed = (seed * kHashMultiplier) ^ static_cast<uint8_t>(c);
  return seed & 0x7FFFFFFF;
}

template <typename T>
std::vector<T> Numbers(const Bytes& bytes, size_t at, size_t count) {
  std::vector<T> numbers(count);
  if (count != 0) std::memcpy(numbers.data(), bytes.data() + at, count * sizeof(T));
  return numbers;
}

// Takes `part` and what separates it from the next part from the front of the path.
bool TakePart(std::string_view* path, std::string_view part, std::string_view separator) {
  if (part.empty()) return true;
  if (!path->starts_with(part)) return false;
  path->remove_prefix(part.size());
  if (!path->starts_with(separator)) return false;
  path->remove_prefix(separator.size());
  return true;
}

}  // namespace

Status JdkImage::Damaged(std::string_view what) const {
  return {Code::kBadInput, fmt::format("{} is not a sound JDK image: {}", file_.name(), what)};
}

Result<JdkImage> JdkImage::Open(ByteFile file) {
  JdkImage image(std::move(file));
  const auto header = image.file_.Read(0, kHeaderBytes);
  if (!header.ok()) return header.status();
  const auto word = [&header](size_t index) { return Load<uint32_t>(header->data() + 4 * index); };
  if (word(0) != kMagic) return image.Damaged("it starts with other bytes");
  if (word(1) >> 16 != kMajorVersion) {
    return Status(Code::kUnsupported,
                  fmt::format("{}: version {}.{} of JDK images is not supported",
                              image.file_.name(), word(1) >> 16, word(1) & 0xFFFF));
  }
  image.resource_count_ = word(3);
  const uint64_t table_size = word(4);
  const uint64_t locations_size = word(5);
  const uint64_t strings_size = word(6);
  const uint64_t tables_bytes = table_size * (sizeof(int32_t) + sizeof(uint32_t));
  image.index_size_ = kHeaderBytes + tables_bytes + locations_size + strings_size;
  const auto tables = image.file_.Read(kHeaderBytes, tables_bytes);
  if (!tables.ok()) return tables.status();
  image.redirect_ = Numbers<int32_t>(*tables, 0, table_size);
  image.offsets_ = Numbers<uint32_t>(*tables, table_size * sizeof(int32_t), table_size);
  auto locations = image.file_.Read(kHeaderBytes + tables_bytes, locations_size);
  if (!locations.ok()) return locations.status();
  image.locations_ = std::move(*locations);
  auto strings = image.file_.Read(kHeaderBytes + tables_bytes + locations_size, strings_size);
  if (!strings.ok()) return strings.status();
  image.strings_ = std::move(*strings);
  if (image.strings_.empty() || image.strings_.back() != 0) {
    return image.Damaged("its strings do not end");
  }
  return image;
}

std::optional<JdkImage::Location> JdkImage::ReadLocation(uint32_t offset) const {
  if (offset >= locations_.size()) return std::nullopt;
  std::span<const uint8_t> rest = std::span<const uint8_t>(locations_).subspan(offset);
  Location location;
  while (!rest.empty()) {
    const auto attribute = static_cast<Attribute>(rest.front() >> 3);
    const size_t length = (rest.front() & 7u) + 1;
    rest = rest.subspan(1);
    if (attribute == Attribute::kEnd) return location;
    if (length > rest.size()) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = 0; i < length; ++i) value = value << 8 | rest[i];
    rest = rest.subspan(length);
    switch (attribute) {
      case Attribute::kModule:
        location.module = value;
        break;
      case Attribute::kParent:
        location.parent = value;
        break;
      case Attribute::kBase:
        location.base = value;
        break;
      case Attribute::kExtension:
        location.extension = value;
        break;
      case Attribute::kOffset:
        location.offset = value;
        break;
      case Attribute::kPackedSize:
        location.packed_size = value;
        break;
      case Attribute::kSize:
        location.size = value;
        break;
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

// Whether the location's names make the path: /module/parent/base.extension, each part with its
// separator left out if it is empty.
bool JdkImage::HasPath(const Location& location, std::string_view path) const {
  const auto part = [this](uint64_t offset) { return ImageString(strings_, offset).value_or(""); };
  const std::string_view module = part(location.module);
  if (!module.empty() && !TakePart(&path, "/", "")) return false;
  if (!TakePart(&path, module, "/") || !TakePart(&path, part(location.parent), "/")) return false;
  const std::string_view base = part(location.base);
  if (!path.starts_with(base)) return false;
  path.remove_prefix(base.size());
  const std::string_view extension = part(location.extension);
  if (extension.empty()) return path.empty();
  return path.starts_with('.') && path.substr(1) == extension;
}

std::optional<JdkImage::Location> JdkImage::Find(std::string_view path) const {
  if (redirect_.empty()) return std::nullopt;
  const size_t count = redirect_.size();
  const int32_t redirect = redirect_[HashOf(path, kHashMultiplier) % count];
  if (redirect == 0) return std::nullopt;
  // A positive number is the seed of a second hash, a negative one says the place.
  const size_t index = redirect > 0 ? HashOf(path, static_cast<uint32_t>(redirect)) % count
                                    : static_cast<size_t>(-1 - int64_t{redirect});
  if (index >= count) return std::nullopt;
  const auto location = ReadLocation(offsets_[index]);
  if (!location || !HasPath(*location, path)) return std::nullopt;
  return location;
}

Result<Bytes> JdkImage::ReadResource(const Location& location, uint64_t most) const {
  const uint64_t size = location.packed_size != 0 ? location.packed_size : location.size;
  if (location.size > most || size > most) {
    return Status(Code::kLimit,
                  fmt::format("{}: a resource is larger than {} bytes", file_.name(), most));
  }
  if (location.offset > file_.size() - index_size_) return Damaged("a resource lies outside");
  auto bytes = file_.Read(index_size_ + location.offset, size);
  if (!bytes.ok() || location.packed_size == 0) return bytes;
  auto unpacked = UnpackResource(std::move(*bytes), strings_, most);
  if (!unpacked.ok()) {
    return Status(unpacked.status().code(),
                  fmt::format("{}: {}", file_.name(), unpacked.status().message()));
  }
  if (unpacked->size() != location.size) return Damaged("a resource has another size");
  return unpacked;
}

Result<std::optional<Bytes>> JdkImage::FindResource(std::string_view path, uint64_t most) const {
  const auto location = Find(path);
  if (!location) return std::optional<Bytes>();
  auto bytes = ReadResource(*location, most);
  if (!bytes.ok()) return bytes.status();
  return std::optional<Bytes>(std::move(*bytes));
}

Result<std::optional<Bytes>> JdkImage::FindClass(std::string_view internal_name,
                                                 uint64_t most) const {
  const size_t slash = internal_name.rfind('/');
  if (slash == std::string_view::npos) return std::optional<Bytes>();
  std::string package(internal_name.substr(0, slash));
  std::replace(package.begin(), package.end(), '/', '.');
  const auto modules = FindResource("/packages/" + package, most);
  if (!modules.ok()) return modules.status();
  if (!*modules) return std::optional<Bytes>();
  // Pairs of flags and a module's name. Several modules may have a part of a package's name.
  constexpr size_t kPairBytes = 8;
  const Bytes& list = **modules;
  for (size_t at = 0; at + kPairBytes <= list.size(); at += kPairBytes) {
    const auto module = ImageString(strings_, Load<uint32_t>(list.data() + at + 4));
    if (!module) return Damaged("a package has a module without a name");
    auto found = FindResource(fmt::format("/{}/{}.class", *module, internal_name), most);
    if (!found.ok() || *found) return found;
  }
  return std::optional<Bytes>();
}

}  // namespace iprof::classpath
