#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/views/parquet/file_reader.h"
#include "cli/views/parquet/file_writer.h"
#include "cli/views/parquet/number_runs.h"
#include "cli/views/parquet/snappy.h"
#include "cli/views/parquet/thrift_compact.h"
#include "writer/profile/example_profiles.h"

namespace iprof::parquet {
namespace {

constexpr Column kColumns[] = {{"name", ColumnKind::kText, true},
                               {"note", ColumnKind::kText},
                               {"count", ColumnKind::kInteger},
                               {"time", ColumnKind::kTime, true}};

struct Row {
  std::string name;
  std::optional<std::string> note;
  std::optional<int64_t> count;
  int64_t time;
  bool operator==(const Row&) const = default;
};

RandomBytes BytesOf(const std::string& text) {
  return {text.size(), [&text](uint64_t at, char* into, size_t count) {
            text.copy(into, count, at);
            return true;
          }};
}

std::string Written(const std::vector<Row>& rows) {
  StringSink sink;
  FileWriter file(kColumns, sink);
  for (const Row& row : rows) {
    file.Text(0, row.name);
    if (row.note) file.Text(1, *row.note);
    if (row.count) file.Integer(2, *row.count);
    file.Integer(3, row.time);
    REQUIRE(file.EndRow().ok());
  }
  const std::pair<std::string, std::string> metadata[] = {{"key", "value"}};
  REQUIRE(file.Finish(metadata, 0).ok());
  return sink.text();
}

std::vector<Row> Read(const std::string& bytes) {
  Result<FileReader> file = FileReader::Open(BytesOf(bytes), "a.parquet");
  REQUIRE(file.ok());
  CHECK(file->Metadata("key") == "value");
  REQUIRE(file->Choose(kColumns).ok());
  std::vector<Row> rows;
  while (file->Next()) {
    Row row{std::string(file->Text(0)), std::nullopt, std::nullopt, file->Integer(3)};
    if (file->has(1)) row.note = file->Text(1);
    if (file->has(2)) row.count = file->Integer(2);
    rows.push_back(row);
  }
  CHECK(file->status().message().empty());
  return rows;
}

std::string WhyNot(const std::string& bytes, std::span<const Column> columns = kColumns) {
  Result<FileReader> file = FileReader::Open(BytesOf(bytes), "a.parquet");
  if (!file.ok()) return file.status().message();
  if (Status status = file->Choose(columns); !status.ok()) return status.message();
  while (file->Next()) continue;
  return file->status().message();
}

TEST_CASE("parquet: fields of a struct are as the protocol has them") {
  ThriftWriter out;
  out.Integer(3, -1);
  out.Text(4, "ab");
  out.End();
  CHECK(out.bytes() == std::string("\x35\x01\x18\x02"
                                   "ab\x00",
                                   7));
  ThriftReader in(out.bytes());
  std::vector<int> numbers;
  in.Struct([&](ThriftReader::Field field) {
    numbers.push_back(field.number);
    in.Skip(field.type);
  });
  CHECK(in.ok());
  CHECK(numbers == std::vector<int>{3, 4});
}

TEST_CASE("parquet: numbers are runs or packed bits") {
  std::string bytes;
  AppendNumberRuns(std::vector<uint32_t>(10, 0), 1, bytes);
  CHECK(bytes == std::string("\x14\x00", 2));
  bytes.clear();
  AppendNumberRuns(std::vector<uint32_t>{1, 0, 1, 1, 0, 0, 1, 0}, 1, bytes);
  CHECK(bytes == "\x03\x4d");
  RepeatableRandom random(7);
  for (int round = 0; round < 300; ++round) {
    const int bits = static_cast<int>(random.Below(33));
    std::vector<uint32_t> numbers;
    for (uint64_t piece = random.Below(6); piece > 0; --piece) {
      const auto value = static_cast<uint32_t>(random.Next() & ((uint64_t{1} << bits) - 1));
      if (random.OneIn(2)) {
        numbers.insert(numbers.end(), random.Below(40), value);
      } else {
        for (uint64_t i = random.Below(40); i > 0; --i)
          numbers.push_back(static_cast<uint32_t>(random.Next() & ((uint64_t{1} << bits) - 1)));
      }
    }
    std::string packed;
    AppendNumberRuns(numbers, bits, packed);
    NumberRuns runs(packed, bits);
    std::vector<uint32_t> read(numbers.size());
    for (uint32_t& number : read) REQUIRE(runs.Next(number));
    CHECK(read == numbers);
  }
}

TEST_CASE("parquet: Snappy's literals and copies") {
  std::string text;
  CHECK(UnpackSnappy(std::string("\x06\x04"
                                 "ab\x0e\x02\x00",
                                 7),
                     100, text));
  CHECK(text == "ababab");
  CHECK_FALSE(UnpackSnappy(std::string("\x06\x04"
                                       "ab\x0e\x03\x00",
                                       7),
                           100, text));  // before the text
  CHECK_FALSE(UnpackSnappy(std::string("\x07\x04"
                                       "ab\x0e\x02\x00",
                                       7),
                           100, text));  // too short
  CHECK_FALSE(UnpackSnappy(std::string("\x06\x04"
                                       "ab\x0e\x02\x00",
                                       7),
                           5, text));
  CHECK_FALSE(
      UnpackSnappy("\x06\x14"
                   "ab",
                   100, text));
}

TEST_CASE("parquet: what is written is read again") {
  CHECK(Read(Written({})).empty());
  const std::vector<Row> few = {
      {"a", "x", 7, 1}, {"b", std::nullopt, std::nullopt, INT64_MIN}, {"", "", -1, INT64_MAX}};
  CHECK(Read(Written(few)) == few);
  std::vector<Row> many;  // two row groups, and integers without a dictionary
  for (size_t i = 0; i < FileWriter::kMostRows + 1000; ++i) {
    Row row{"n" + std::to_string(i % 100), std::nullopt, std::nullopt, static_cast<int64_t>(i * i)};
    if (i % 3 == 0) row.note = "note " + std::to_string(i / 1000);
    if (i % 5 != 0) row.count = static_cast<int64_t>(i % 7);
    many.push_back(row);
  }
  const std::string bytes = Written(many);
  CHECK(Read(bytes) == many);
  CHECK(bytes == Written(many));
}

TEST_CASE("parquet: what is damaged or of another kind is refused with a reason") {
  const std::string good = Written({{"a", "x", 7, 1}, {"b", std::nullopt, 8, 2}});
  CHECK(WhyNot("") == "a.parquet: it is no Parquet file");
  CHECK(WhyNot(good.substr(0, good.size() - 1)) == "a.parquet: it is no Parquet file, or was cut");
  const Column missing[] = {{"other", ColumnKind::kText, true}};
  CHECK(WhyNot(good, missing) == "a.parquet: it has no column 'other'");
  const Column text[] = {{"count", ColumnKind::kText, true}};
  CHECK(WhyNot(good, text) == "a.parquet: column 'count' is INT64: write it as VARCHAR");
  // No byte of it can be changed so that reading does not end; most changes are seen.
  size_t refused = 0;
  for (size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    if (!WhyNot(bad).empty()) ++refused;
  }
  CHECK(refused * 4 > good.size());
}

}  // namespace
}  // namespace iprof::parquet
