#include "cli/views/parquet/column_cursor.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/views/parquet/snappy.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::parquet {
namespace {

using Field = ThriftReader::Field;

// Heads of pages have statistics, of at most a few values.
constexpr size_t kMostHeadBytes = size_t{1} << 20;
constexpr size_t kFirstHeadBytes = 256;
constexpr std::string_view kCodecs[] = {"uncompressed", "Snappy", "gzip",      "LZO",
                                        "Brotli",       "LZ4",    "Zstandard", "LZ4"};

uint64_t LittleEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= uint64_t{static_cast<uint8_t>(bytes[i])} << 8 * i;
  return value;
}

bool Ungzip(std::string_view packed, size_t size, std::string& into) {
  StringSource source(packed);
  const std::unique_ptr<ByteSource> plain = MakeGunzipSource(source, "a page");
  into.clear();
  while (into.size() <= size) {
    constexpr size_t kStep = size_t{1} << 16;
    const size_t before = into.size();
    into.resize(before + std::min(kStep, size + 1 - before));
    const Result<size_t> read = plain->Read(into.data() + before, into.size() - before);
    into.resize(before + (read.ok() ? *read : 0));
    if (!read.ok()) return false;
    if (*read == 0) break;
  }
  return into.size() == size;
}

}  // namespace

bool ColumnCursor::Fail(Code code, std::string why) {
  if (why_.ok()) why_ = Status(code, std::move(why));
  return false;
}

bool ColumnCursor::Begin(const FooterChunk& chunk) {
  codec_ = chunk.codec;
  if (codec_ != kUncompressed && codec_ != kSnappy && codec_ != kGzip) {
    const auto known = codec_ >= 0 && static_cast<size_t>(codec_) < std::size(kCodecs);
    return Fail(Code::kUnsupported,
                fmt::format("its pages are compressed with {}, and iprof reads Snappy, gzip and "
                            "uncompressed ones: write it again with one of these",
                            known ? kCodecs[codec_] : "an unknown codec"));
  }
  // Some writers say 0 for a chunk without a dictionary.
  const int64_t begin = chunk.dictionary_begin > 0 && chunk.dictionary_begin < chunk.data_begin
                            ? chunk.dictionary_begin
                            : chunk.data_begin;
  const auto size = static_cast<int64_t>(bytes_.size);
  if (begin < 0 || begin > size || chunk.bytes < 0 || chunk.bytes > size - begin)
    return Fail(Code::kBadInput, "a column is outside the file");
  at_ = static_cast<uint64_t>(begin);
  end_ = at_ + static_cast<uint64_t>(chunk.bytes);
  dictionary_bytes_.clear();
  texts_.clear();
  integers_.clear();
  left_ = 0;
  return true;
}

void ColumnCursor::ReadPageFields(ThriftReader& in, PageHead& head) {
  const bool is_v2 = head.type == kDataPageV2;
  in.Struct([&](Field field) {
    const bool is_bool = field.type == ThriftType::kTrue || field.type == ThriftType::kFalse;
    if (is_bool) {
      if (is_v2 && field.number == 7) head.is_packed = field.type == ThriftType::kTrue;
      return;
    }
    if (field.type != ThriftType::kI32) return in.Skip(field.type);
    const int64_t value = in.Integer();
    if (field.number == 1) head.values = value;
    if (field.number == (is_v2 ? 4 : 2)) head.encoding = value;
    if (is_v2 && field.number == 5) head.level_bytes = value;
    if (is_v2 && field.number == 6) head.repetition_bytes = value;
    if (!is_v2 && head.type == kDataPage && field.number == 3) head.level_encoding = value;
  });
}

bool ColumnCursor::ReadHead(PageHead& head) {
  for (size_t size = kFirstHeadBytes;; size *= 8) {
    const uint64_t left = end_ - at_;
    const size_t taken = static_cast<size_t>(std::min<uint64_t>(size, left));
    std::string bytes(taken, '\0');
    if (!bytes_.read(at_, bytes.data(), taken)) return Fail(Code::kIo, "cannot read");
    ThriftReader in(bytes);
    head = {};
    in.Struct([&](Field field) {
      if (field.type == ThriftType::kStruct &&
          (field.number == 5 || field.number == 7 || field.number == 8))
        return ReadPageFields(in, head);
      if (field.type != ThriftType::kI32) return in.Skip(field.type);
      const int64_t value = in.Integer();
      if (field.number == 1) head.type = value;
      if (field.number == 2) head.unpacked = value;
      if (field.number == 3) head.packed = value;
    });
    if (in.ok()) {
      at_ += in.at();
      break;
    }
    if (taken == left || size >= kMostHeadBytes)
      return Fail(Code::kBadInput, "the head of a page is damaged");
  }
  const bool fits = head.packed >= 0 && static_cast<uint64_t>(head.packed) <= end_ - at_ &&
                    head.unpacked >= 0 && head.values >= 0;
  if (!fits) return Fail(Code::kBadInput, "the head of a page is damaged");
  if (static_cast<uint64_t>(head.unpacked) > FileReader::kMostPageBytes)
    return Fail(Code::kLimit, "a page has more than 256 MiB");
  return true;
}

bool ColumnCursor::Unpack(std::string_view packed, size_t size, std::string& into) {
  bool unpacked = true;
  if (codec_ == kUncompressed) {
    into = packed;
    unpacked = into.size() == size;
  } else if (codec_ == kSnappy) {
    unpacked = UnpackSnappy(packed, size, into) && into.size() == size;
  } else {
    unpacked = Ungzip(packed, size, into);
  }
  return unpacked || Fail(Code::kBadInput, "a page is damaged");
}

// Levels of v2 stand before what is compressed.
bool ColumnCursor::ReadPage(const PageHead& head, std::string& body) {
  std::string packed(static_cast<size_t>(head.packed), '\0');
  if (!bytes_.read(at_, packed.data(), packed.size())) return Fail(Code::kIo, "cannot read");
  at_ += packed.size();
  const auto size = static_cast<size_t>(head.unpacked);
  if (head.type != kDataPageV2) return Unpack(packed, size, body);
  const int64_t levels = head.level_bytes;
  if (head.repetition_bytes != 0 || levels < 0 || levels > head.packed || levels > head.unpacked)
    return Fail(Code::kBadInput, "the head of a page is damaged");
  const auto before = static_cast<size_t>(levels);
  const std::string_view rest = std::string_view(packed).substr(before);
  std::string values;
  if (!head.is_packed || rest.empty()) {
    values = rest;
  } else if (!Unpack(rest, size - before, values)) {
    return false;
  }
  body = packed.substr(0, before) + values;
  return true;
}

bool ColumnCursor::TakePlain(std::string_view& from) {
  if (type_ == kByteArray) {
    if (from.size() < 4) return false;
    const uint64_t size = LittleEndian(from.substr(0, 4));
    if (size > from.size() - 4) return false;
    text_ = from.substr(4, size);
    from.remove_prefix(4 + size);
    return true;
  }
  const size_t size = type_ == kInt32 ? 4 : 8;
  if (from.size() < size) return false;
  const uint64_t bits = LittleEndian(from.substr(0, size));
  integer_ = type_ == kInt32 ? static_cast<int32_t>(static_cast<uint32_t>(bits))
                             : static_cast<int64_t>(bits);
  from.remove_prefix(size);
  return true;
}

bool ColumnCursor::ReadDictionary(const PageHead& head, const std::string& body) {
  if (head.encoding != kPlain && head.encoding != kPlainDictionary)
    return Fail(Code::kUnsupported, fmt::format("a dictionary has encoding {}", head.encoding));
  std::string_view left = body;
  for (int64_t i = 0; i < head.values; ++i) {
    if (!TakePlain(left)) return Fail(Code::kBadInput, "a dictionary is damaged");
    if (type_ == kByteArray) {
      texts_.push_back(text_);
    } else {
      integers_.push_back(integer_);
    }
  }
  return true;
}

bool ColumnCursor::BeginData(const PageHead& head) {
  std::string_view body = page_;
  left_ = head.values;
  if (is_optional_) {
    size_t size = static_cast<size_t>(head.level_bytes);
    if (head.type == kDataPage) {
      if (head.level_encoding != kRle)
        return Fail(Code::kUnsupported,
                    fmt::format("levels have encoding {}", head.level_encoding));
      size = body.size() < 4 ? SIZE_MAX : static_cast<size_t>(LittleEndian(body.substr(0, 4)));
      body.remove_prefix(std::min<size_t>(4, body.size()));
    }
    if (size > body.size()) return Fail(Code::kBadInput, "a page is damaged");
    levels_ = NumberRuns(body.substr(0, size), 1);
    body.remove_prefix(size);
  }
  is_dictionary_ = head.encoding == kPlainDictionary || head.encoding == kRleDictionary;
  if (!is_dictionary_) {
    plain_ = body;
    return head.encoding == kPlain ||
           Fail(Code::kUnsupported,
                fmt::format("a page has encoding {}, and iprof reads plain pages and dictionaries: "
                            "write it again with these (PARQUET_VERSION V1)",
                            head.encoding));
  }
  const int bits = body.empty() ? 0 : static_cast<uint8_t>(body.front());
  if (bits > NumberRuns::kMostBits) return Fail(Code::kBadInput, "a page is damaged");
  indexes_ = NumberRuns(body.empty() ? body : body.substr(1), bits);
  return true;
}

bool ColumnCursor::NextPage() {
  while (at_ < end_) {
    PageHead head;
    if (!ReadHead(head)) return false;
    if (head.type == kDictionaryPage) {
      if (!texts_.empty() || !integers_.empty())
        return Fail(Code::kBadInput, "a column has two dictionaries");
      if (!ReadPage(head, dictionary_bytes_) || !ReadDictionary(head, dictionary_bytes_))
        return false;
    } else if (head.type == kDataPage || head.type == kDataPageV2) {
      if (!ReadPage(head, page_) || !BeginData(head)) return false;
      if (left_ > 0) return true;
    } else {  // an index
      at_ += static_cast<uint64_t>(head.packed);
    }
  }
  return Fail(Code::kBadInput, "a column has fewer values than rows");
}

bool ColumnCursor::Next() {
  if (left_ == 0 && !NextPage()) return false;
  --left_;
  if (is_optional_) {
    uint32_t level = 0;
    if (!levels_.Next(level)) return Fail(Code::kBadInput, "a page is damaged");
    has_ = level != 0;
    if (!has_) return true;
  }
  has_ = true;
  if (!is_dictionary_) return TakePlain(plain_) || Fail(Code::kBadInput, "a page is damaged");
  uint32_t index = 0;
  const size_t size = type_ == kByteArray ? texts_.size() : integers_.size();
  if (!indexes_.Next(index) || index >= size)
    return Fail(Code::kBadInput, "an index of a dictionary is damaged");
  if (type_ == kByteArray) {
    text_ = texts_[index];
  } else {
    integer_ = integers_[index];
  }
  return true;
}

}  // namespace iprof::parquet
