// FileReader: some columns of a Parquet file, row by row.
//
//   Result<FileReader> file = FileReader::Open(bytes, "a.parquet");
//   file->Choose({{"name", kText, true}, {"count", kInteger}});
//   while (file->Next()) … file->Text(0), file->Integer(1) …
//   file->status()
//
// Guarantees:
//  - Reads what FileWriter writes, and what DuckDB, Arrow and others write of such columns: plain and dictionary encodings, data
//    pages v1 and v2, uncompressed, gzip and Snappy. INT32 counts as INT64. Other columns are not read.
//  - Holds the footer, and of each column one dictionary and one page, of at most kMostPageBytes.
//  - Every number of the file is checked before it is used. A file has at most 1,000 rows for each of its bytes, and a million.
// Threads: one per object. Failure: a Status that names the file: kUnsupported for what is well-formed but not read, kLimit,
// kBadInput, kIo; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/views/parquet/file_format.h"
#include "cli/views/parquet/number_runs.h"
#include "writer/base/status.h"

namespace iprof::parquet {

// Bytes that can be read at any place.
struct RandomBytes {
  uint64_t size = 0;
  // Whether all bytes could be read; the caller asks for none outside.
  std::function<bool(uint64_t offset, char* into, size_t count)> read;
};

// What the footer says.
struct FooterColumn {
  std::string name;  // of a column at the top level; empty for one inside another
  int64_t type = 0;
  bool is_optional = false;
  bool is_repeated = false;
};
struct FooterChunk {
  int64_t codec = 0;
  int64_t values = 0;
  int64_t bytes = 0;
  int64_t data_begin = 0;
  int64_t dictionary_begin = 0;
};
struct FooterGroup {
  int64_t rows = 0;
  std::vector<FooterChunk> chunks;  // by column
};
struct Footer {
  std::vector<FooterColumn> columns;
  std::vector<FooterGroup> groups;
  std::vector<std::pair<std::string, std::string>> metadata;
};

class ColumnCursor;

class FileReader {
 public:
  static constexpr size_t kMostPageBytes = size_t{256} << 20;

  static Result<FileReader> Open(RandomBytes bytes, std::string name);
  FileReader(FileReader&&) noexcept;
  ~FileReader();

  // A value of the footer's metadata.
  std::optional<std::string_view> Metadata(std::string_view key) const;
  int64_t row_count() const { return rows_; }

  // Chooses columns. Fails if the file lacks one that is required, or has one with another type.
  Status Choose(std::span<const Column> columns);
  // Goes to the next row; false at the end, or if status() is no longer ok.
  bool Next();
  const Status& status() const { return status_; }
  // The values of the row, by the number of the chosen column. Texts are valid until the next row.
  bool has(size_t column) const;
  std::string_view Text(size_t column) const;
  int64_t Integer(size_t column) const;

 private:
  FileReader(RandomBytes bytes, std::string name);
  Status ReadFooter();
  bool NextGroup();

  std::unique_ptr<const RandomBytes> bytes_;
  std::string name_;
  Footer footer_;
  int64_t rows_ = 0;
  Status status_;
  std::vector<std::unique_ptr<ColumnCursor>> cursors_;  // null: the file lacks the column
  std::vector<size_t> chosen_;                          // by cursor: the column in the file
  size_t group_ = 0;
  int64_t left_in_group_ = 0;
};

}  // namespace iprof::parquet
