// FileWriter: a table of texts and integers as a Parquet file, which DuckDB, Spark, Trino and Arrow read.
//
//   FileWriter file(kColumns, sink);            // {"name", kText, required}, {"count", kInteger}
//   file.Text(0, "a");  file.Integer(1, 7);     // the order of columns does not matter
//   file.EndRow();
//   file.Text(0, "b");                          // count is null
//   file.EndRow();
//   file.Finish({{"key", "value"}});
//
// Guarantees:
//  - Streams: holds one row group, of at most kMostRows rows and about kMostBytes of different texts.
//  - Every column of a row group is one dictionary page and one data page (v1), compressed with gzip. Integers that differ too
//    much for a dictionary are one plain page. Pages have the smallest and the largest value, if they are short.
//  - The same rows give the same bytes.
// Threads: one per object. Failure: the sink's first Status, from EndRow on; std::bad_alloc. A required column without a value is
// a logic error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cli/views/parquet/file_format.h"
#include "writer/base/hash.h"
#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::parquet {

class ThriftWriter;

class FileWriter {
 public:
  static constexpr size_t kMostRows = size_t{1} << 17;
  static constexpr size_t kMostBytes = size_t{32} << 20;

  FileWriter(std::span<const Column> columns, ByteSink& sink);

  // The value of the row that EndRow ends.
  void Text(size_t column, std::string_view value);
  void Integer(size_t column, int64_t value);
  Status EndRow();
  // Writes what is left. `sorted_by`: the column by which the rows are sorted.
  Status Finish(std::span<const std::pair<std::string, std::string>> metadata, size_t sorted_by);

 private:
  // The values of one column in the row group.
  struct Values {
    std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> texts;
    std::unordered_map<int64_t, uint32_t> integers;
    std::string dictionary;         // the different values, as a plain page has them
    std::vector<uint32_t> indexes;  // of the values that are not null
    std::vector<uint32_t> defined;  // by row: 1, or 0 for null
    std::string least;
    std::string largest;
    int64_t least_integer = INT64_MAX;
    int64_t largest_integer = INT64_MIN;
    size_t different = 0;
  };
  // What the footer says of a column of a row group.
  struct Chunk {
    int64_t begin = 0;
    int64_t data_begin = 0;
    int64_t bytes = 0;
    int64_t unpacked_bytes = 0;
    int64_t nulls = 0;
    bool has_dictionary = true;
    std::string least;
    std::string largest;
  };
  struct Group {
    std::vector<Chunk> chunks;
    int64_t rows = 0;
  };

  void Set(size_t column);
  void WriteGroup();
  Chunk WriteColumn(const Column& column, const Values& values);
  void WritePage(int64_t type, const std::string& body, size_t count, bool is_dictionary_data,
                 Chunk& chunk);
  void Put(std::string_view bytes);
  void AddSchema(ThriftWriter& footer) const;
  void AddGroup(ThriftWriter& footer, const Group& group, size_t sorted_by) const;

  std::span<const Column> columns_;
  ByteSink& sink_;
  Status status_;
  int64_t written_ = 0;
  std::vector<Values> values_;
  size_t rows_ = 0;   // of this row group
  size_t bytes_ = 0;  // of its dictionaries
  std::vector<Group> groups_;
};

}  // namespace iprof::parquet
