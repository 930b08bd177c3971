// Fuzzes the reader of rows: no file crashes it, makes it hang or fills the memory. What it reads, it writes and reads again.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/views/parquet/profile_rows.h"
#include "cli/views/parquet/snappy.h"

namespace {

using namespace iprof;

parquet::RandomBytes BytesOf(const std::string& text) {
  return {text.size(), [&text](uint64_t at, char* into, size_t count) {
            if (at > text.size() || count > text.size() - at) std::abort();
            text.copy(into, count, at);
            return true;
          }};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  std::string unpacked;
  parquet::UnpackSnappy(bytes, size_t{1} << 20, unpacked);
  const Result<Profile> read = parquet::ReadProfileRows(BytesOf(bytes), "input");
  if (!read.ok()) return 0;
  StringSink again;
  if (!WriteProfileRows(*read, parquet::RunFacts::Of(*read), "", again).status.ok()) std::abort();
  const Result<Profile> twice = parquet::ReadProfileRows(BytesOf(again.text()), "output");
  if (!twice.ok()) std::abort();
  for (const Table table : kAllTables) {
    if (read->Total(table) != twice->Total(table)) std::abort();
  }
  return 0;
}
