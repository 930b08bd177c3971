#include "cli/classpath/zip_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "cli/classpath/inflate.h"
#include "cli/classpath/little_endian.h"

namespace iprof::classpath {
namespace {

constexpr uint32_t kLocalSignature = 0x04034B50;
constexpr uint32_t kCentralSignature = 0x02014B50;
constexpr uint32_t kEndSignature = 0x06054B50;
constexpr uint32_t kZip64EndSignature = 0x06064B50;
constexpr uint32_t kZip64LocatorSignature = 0x07064B50;
constexpr uint64_t kLocalBytes = 30;
constexpr uint64_t kCentralBytes = 46;
constexpr uint64_t kEndBytes = 22;
constexpr uint64_t kZip64EndBytes = 56;
constexpr uint64_t kZip64LocatorBytes = 20;
constexpr uint64_t kMostCommentBytes = 65535;
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kInExtra = UINT32_MAX;  // a size or position that the extra field has instead
constexpr uint16_t kStored = 0;
constexpr uint16_t kDeflated = 8;
constexpr uint16_t kEncryptedFlag = 1;

struct Directory {
  uint64_t end = 0;  // where the directory ends in the file
  uint64_t size = 0;
  uint64_t offset = 0;  // as the archive says; bytes before the archive are not counted
};

// Where the last end record is that fits its comment.
std::optional<size_t> FindEnd(const Bytes& tail) {
  if (tail.size() < kEndBytes) return std::nullopt;
  for (size_t at = tail.size() - kEndBytes + 1; at-- > 0;) {
    const uint8_t* const p = tail.data() + at;
    if (Load<uint32_t>(p) != kEndSignature) continue;
    if (at + kEndBytes + Load<uint16_t>(p + 20) <= tail.size()) return at;
  }
  return std::nullopt;
}

// The directory by the zip64 records before the end record at `end`; nullopt if there are none.
std::optional<Directory> FindZip64(const ByteFile& file, uint64_t end) {
  if (end < kZip64LocatorBytes) return std::nullopt;
  const auto locator = file.Read(end - kZip64LocatorBytes, kZip64LocatorBytes);
  if (!locator.ok() || Load<uint32_t>(locator->data()) != kZip64LocatorSignature) {
    return std::nullopt;
  }
  // The locator does not count bytes before the archive; then the record is right before it.
  const uint64_t said = Load<uint64_t>(locator->data() + 8);
  for (const uint64_t at : {said, end - kZip64LocatorBytes - kZip64EndBytes}) {
    if (at > end - kZip64LocatorBytes) continue;
    const auto record = file.Read(at, kZip64EndBytes);
    if (!record.ok() || Load<uint32_t>(record->data()) != kZip64EndSignature) continue;
    return Directory{.end = at,
                     .size = Load<uint64_t>(record->data() + 40),
                     .offset = Load<uint64_t>(record->data() + 48)};
  }
  return std::nullopt;
}

// Replaces what is kInExtra, in the order that the format prescribes. False if it is not there.
bool ReadZip64Extra(std::span<const uint8_t> extra, ZipFile::Entry* entry) {
  uint64_t* const wanted[] = {&entry->size, &entry->packed_size, &entry->header};
  if (std::none_of(std::begin(wanted), std::end(wanted),
                   [](const uint64_t* value) { return *value == kInExtra; })) {
    return true;
  }
  while (extra.size() >= 4) {
    const auto id = Load<uint16_t>(extra.data());
    const size_t size = Load<uint16_t>(extra.data() + 2);
    extra = extra.subspan(4);
    if (size > extra.size()) return false;
    if (id == kZip64Extra) {
      std::span<const uint8_t> left = extra.first(size);
      for (uint64_t* const value : wanted) {
        if (*value != kInExtra) continue;
        if (left.size() < sizeof *value) return false;
        *value = Load<uint64_t>(left.data());
        left = left.subspan(sizeof *value);
      }
      return true;
    }
    extra = extra.subspan(size);
  }
  return false;
}

}  // namespace

Status ZipFile::Damaged(std::string_view what) const {
  return {Code::kBadInput, fmt::format("{} is not a sound zip archive: {}", name(), what)};
}

Status ZipFile::DamagedEntry(const Entry& entry, std::string_view what) const {
  return {Code::kBadInput, fmt::format("{}: entry {}: {}", name(), entry.name, what)};
}

Result<ZipFile> ZipFile::Open(ByteFile file) {
  ZipFile zip(std::move(file));
  const uint64_t tail_size = std::min(zip.file_.size(), kEndBytes + kMostCommentBytes);
  const uint64_t tail_start = zip.file_.size() - tail_size;
  const auto tail = zip.file_.Read(tail_start, tail_size);
  if (!tail.ok()) return tail.status();
  const auto end = FindEnd(*tail);
  if (!end) return zip.Damaged("it has no end record");
  const uint8_t* const record = tail->data() + *end;
  Directory directory{.end = tail_start + *end,
                      .size = Load<uint32_t>(record + 12),
                      .offset = Load<uint32_t>(record + 16)};
  if (const auto zip64 = FindZip64(zip.file_, directory.end)) directory = *zip64;
  if (directory.size > directory.end || directory.offset > directory.end - directory.size) {
    return zip.Damaged("its list of entries lies outside the file");
  }
  const uint64_t start = directory.end - directory.size;
  const Status status = zip.ReadDirectory(start, directory.size, start - directory.offset);
  if (!status.ok()) return status;
  return zip;
}

Status ZipFile::ReadDirectory(uint64_t start, uint64_t size, uint64_t prefix) {
  auto directory = file_.Read(start, size);
  if (!directory.ok()) return directory.status();
  directory_ = std::move(*directory);
  std::span<const uint8_t> rest = directory_;
  while (rest.size() >= kCentralBytes && Load<uint32_t>(rest.data()) == kCentralSignature) {
    const uint8_t* const p = rest.data();
    const size_t name_size = Load<uint16_t>(p + 28);
    const size_t extra_size = Load<uint16_t>(p + 30);
    const size_t comment_size = Load<uint16_t>(p + 32);
    if (rest.size() - kCentralBytes < name_size + extra_size + comment_size) {
      return Damaged("its list of entries is cut short");
    }
    Entry entry{
        .name = {reinterpret_cast<const char*>(p) + kCentralBytes, name_size},
        .header = Load<uint32_t>(p + 42),
        .packed_size = Load<uint32_t>(p + 20),
        .size = Load<uint32_t>(p + 24),
        .checksum = Load<uint32_t>(p + 16),
        .method = Load<uint16_t>(p + 10),
        .is_encrypted = (Load<uint16_t>(p + 8) & kEncryptedFlag) != 0,
    };
    if (!ReadZip64Extra(rest.subspan(kCentralBytes + name_size, extra_size), &entry)) {
      return Damaged("an entry has no size");
    }
    rest = rest.subspan(kCentralBytes + name_size + extra_size + comment_size);
    if (entry.header > file_.size() - prefix) {
      return DamagedEntry(entry, "lies outside the file");
    }
    entry.header += prefix;
    by_name_[entry.name] = entries_.size();
    entries_.push_back(entry);
  }
  // What may follow is a signature of the list, which no known tool writes.
  if (rest.empty()) return {};
  return Damaged("its list of entries is cut short");
}

const ZipFile::Entry* ZipFile::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &entries_[found->second];
}

// The position of the entry's bytes, which follow its own header.
Result<uint64_t> ZipFile::DataOf(const Entry& entry) const {
  if (entry.is_encrypted) return DamagedEntry(entry, "is encrypted");
  const auto header = file_.Read(entry.header, kLocalBytes);
  if (!header.ok() || Load<uint32_t>(header->data()) != kLocalSignature) {
    return DamagedEntry(entry, "has no header of its own");
  }
  const uint64_t data = entry.header + kLocalBytes + Load<uint16_t>(header->data() + 26) +
                        Load<uint16_t>(header->data() + 28);
  if (data > file_.size() || entry.packed_size > file_.size() - data) {
    return DamagedEntry(entry, "is cut short");
  }
  if (entry.method == kStored && entry.packed_size != entry.size) {
    return DamagedEntry(entry, "is stored, but has two sizes");
  }
  return data;
}

Result<Bytes> ZipFile::Read(const Entry& entry, uint64_t most) const {
  if (entry.size > most || entry.packed_size > most + most / 8 + 64) {
    return Status(Code::kLimit,
                  fmt::format("{}: entry {} is larger than {} bytes", name(), entry.name, most));
  }
  const auto data = DataOf(entry);
  if (!data.ok()) return data.status();
  auto packed = file_.Read(*data, entry.packed_size);
  if (!packed.ok()) return packed.status();
  if (entry.method == kDeflated) {
    auto bytes = Inflate(*packed, entry.size, DeflateForm::kRaw);
    if (!bytes) return DamagedEntry(entry, "cannot be inflated");
    *packed = std::move(*bytes);
  } else if (entry.method != kStored) {
    return Status(Code::kUnsupported, fmt::format("{}: entry {} is compressed by method {}", name(),
                                                  entry.name, entry.method));
  }
  if (Crc32(*packed) != entry.checksum) return DamagedEntry(entry, "has a wrong checksum");
  return packed;
}

Result<ByteFile> ZipFile::OpenEntry(const Entry& entry, uint64_t most) const {
  std::string full_name = fmt::format("{}!/{}", name(), entry.name);
  if (entry.method == kStored) {
    const auto data = DataOf(entry);
    if (!data.ok()) return data.status();
    return file_.Slice(*data, entry.size, std::move(full_name));
  }
  auto bytes = Read(entry, most);
  if (!bytes.ok()) return bytes.status();
  return ByteFile::Of(std::move(*bytes), std::move(full_name));
}

}  // namespace iprof::classpath
