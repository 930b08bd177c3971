// What the writer and the reader of Parquet files share: the numbers of the format's enums, and columns as we have them.
//
// A file is "PAR1", pages, the footer (FileMetaData, in Thrift's compact protocol), its size in four bytes, and "PAR1". The footer
// says where the pages of each column of each row group are. https://parquet.apache.org/docs/file-format/ is the definition.
//
// Guarantees: plain values. Threads: any. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iprof::parquet {

inline constexpr std::string_view kMagic = "PAR1";
inline constexpr size_t kTailBytes = 8;  // the footer's size, and the magic again

enum class ColumnKind : uint8_t {
  kText,     // BYTE_ARRAY, UTF-8
  kInteger,  // INT64
  kTime,     // INT64, ms since 1970 in UTC
};

struct Column {
  std::string_view name;
  ColumnKind kind = ColumnKind::kText;
  bool required = false;  // otherwise a row may have null there
};

// Physical types.
inline constexpr int64_t kInt32 = 1;
inline constexpr int64_t kInt64 = 2;
inline constexpr int64_t kByteArray = 6;

inline constexpr int64_t kRequired = 0;
inline constexpr int64_t kOptional = 1;

// Codecs.
inline constexpr int64_t kUncompressed = 0;
inline constexpr int64_t kSnappy = 1;
inline constexpr int64_t kGzip = 2;

// Encodings.
inline constexpr int64_t kPlain = 0;
inline constexpr int64_t kPlainDictionary =
    2;  // older name of kRleDictionary, and of kPlain in dictionary pages
inline constexpr int64_t kRle = 3;
inline constexpr int64_t kRleDictionary = 8;

// Pages.
inline constexpr int64_t kDataPage = 0;
inline constexpr int64_t kDictionaryPage = 2;
inline constexpr int64_t kDataPageV2 = 3;

}  // namespace iprof::parquet
