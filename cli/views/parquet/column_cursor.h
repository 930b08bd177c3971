// ColumnCursor: the values of one column of a Parquet file, row by row. FileReader has one for each column that it reads.
//
// Guarantees: holds one dictionary and one page. Threads: one per object.
// Failure: false from Next, and why(): a reason without the file's name; std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/views/parquet/file_reader.h"
#include "cli/views/parquet/number_runs.h"
#include "cli/views/parquet/thrift_compact.h"

namespace iprof::parquet {

class ColumnCursor {
 public:
  // Of these physical types: kByteArray, kInt32, kInt64.
  ColumnCursor(const RandomBytes& bytes, int64_t type, bool is_optional)
      : bytes_(bytes), type_(type), is_optional_(is_optional) {}

  // Begins a row group.
  bool Begin(const FooterChunk& chunk);
  bool Next();

  bool has() const { return has_; }
  std::string_view text() const { return text_; }
  int64_t integer() const { return integer_; }
  const Status& why() const { return why_; }

 private:
  struct PageHead {
    int64_t type = -1;
    int64_t unpacked = -1;
    int64_t packed = -1;
    int64_t values = 0;
    int64_t encoding = -1;
    int64_t level_encoding = kRle;
    int64_t level_bytes = 0;  // v2
    int64_t repetition_bytes = 0;
    bool is_packed = true;
  };

  bool Fail(Code code, std::string why);
  bool ReadHead(PageHead& head);
  static void ReadPageFields(ThriftReader& in, PageHead& head);
  bool Unpack(std::string_view packed, size_t size, std::string& into);
  bool NextPage();
  bool ReadPage(const PageHead& head, std::string& body);
  bool ReadDictionary(const PageHead& head, const std::string& body);
  bool BeginData(const PageHead& head);
  bool TakePlain(std::string_view& from);

  const RandomBytes& bytes_;
  const int64_t type_;
  const bool is_optional_;
  Status why_;

  int64_t codec_ = 0;
  uint64_t at_ = 0;   // of the next page
  uint64_t end_ = 0;  // of the chunk
  std::string dictionary_bytes_;
  std::vector<std::string_view> texts_;  // of the dictionary
  std::vector<int64_t> integers_;
  std::string page_;
  std::string_view plain_;  // values that are left
  bool is_dictionary_ = false;
  NumberRuns levels_;
  NumberRuns indexes_;
  int64_t left_ = 0;  // rows of the page

  bool has_ = false;
  std::string_view text_;
  int64_t integer_ = 0;
};

}  // namespace iprof::parquet
