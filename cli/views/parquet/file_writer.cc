#include "cli/views/parquet/file_writer.h"

#include <algorithm>
#include <cassert>

#include "cli/views/parquet/number_runs.h"
#include "cli/views/parquet/thrift_compact.h"

namespace iprof::parquet {
namespace {

constexpr size_t kMostStatistic = 256;
constexpr int64_t kUtf8 = 0;  // converted types
constexpr int64_t kTimestampMillis = 9;
constexpr int kLogicalString = 1;  // fields of LogicalType
constexpr int kLogicalTimestamp = 8;

void AppendBytes(uint64_t value, size_t size, std::string& out) {
  for (size_t i = 0; i < size; ++i) out += static_cast<char>(value >> 8 * i);
}

std::string Gzipped(const std::string& text) {
  StringSink packed;
  const std::unique_ptr<ByteSink> gzip = MakeGzipSink(packed);
  // A StringSink does not fail.
  if (gzip->Write(text).ok() && gzip->Finish().ok()) return std::move(packed.text());
  throw std::bad_alloc();
}

int64_t TypeOf(const Column& column) {
  return column.kind == ColumnKind::kText ? kByteArray : kInt64;
}

void AddColumn(ThriftWriter& footer, const Column& column) {
  footer.BeginElement();
  footer.Integer(1, TypeOf(column));
  footer.Integer(3, column.required ? kRequired : kOptional);
  footer.Text(4, column.name);
  if (column.kind == ColumnKind::kText) {
    footer.Integer(6, kUtf8);
    footer.BeginStruct(10);
    footer.BeginStruct(kLogicalString);
    footer.End();
    footer.End();
  } else if (column.kind == ColumnKind::kTime) {
    footer.Integer(6, kTimestampMillis);
    footer.BeginStruct(10);
    footer.BeginStruct(kLogicalTimestamp);
    footer.Bool(1, true);  // in UTC
    footer.BeginStruct(2);
    footer.BeginStruct(1);  // MILLIS
    footer.End();
    footer.End();
    footer.End();
    footer.End();
  }
  footer.End();
}

}  // namespace

FileWriter::FileWriter(std::span<const Column> columns, ByteSink& sink)
    : columns_(columns), sink_(sink), values_(columns.size()) {
  Put(kMagic);
}

void FileWriter::Put(std::string_view bytes) {
  if (status_.ok()) status_ = sink_.Write(bytes);
  written_ += static_cast<int64_t>(bytes.size());
}

void FileWriter::Set(size_t column) {
  Values& values = values_[column];
  assert(values.defined.size() == rows_);
  values.defined.push_back(1);
}

void FileWriter::Text(size_t column, std::string_view value) {
  Set(column);
  Values& values = values_[column];
  auto found = values.texts.find(value);
  if (found == values.texts.end()) {
    const auto index = static_cast<uint32_t>(values.different++);
    found = values.texts.emplace(std::string(value), index).first;
    AppendBytes(value.size(), 4, values.dictionary);
    values.dictionary += value;
    bytes_ += value.size() + 4;
    if (index == 0 || value < values.least) values.least = value;
    if (index == 0 || value > values.largest) values.largest = value;
  }
  values.indexes.push_back(found->second);
}

void FileWriter::Integer(size_t column, int64_t value) {
  Set(column);
  Values& values = values_[column];
  const auto [found, is_new] =
      values.integers.try_emplace(value, static_cast<uint32_t>(values.different));
  if (is_new) {
    ++values.different;
    AppendBytes(static_cast<uint64_t>(value), sizeof value, values.dictionary);
    bytes_ += sizeof value;
    values.least_integer = std::min(values.least_integer, value);
    values.largest_integer = std::max(values.largest_integer, value);
  }
  values.indexes.push_back(found->second);
}

Status FileWriter::EndRow() {
  ++rows_;
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (values_[i].defined.size() == rows_) continue;
    assert(!columns_[i].required);
    values_[i].defined.push_back(0);
  }
  if (rows_ >= kMostRows || bytes_ >= kMostBytes) WriteGroup();
  return status_;
}

void FileWriter::WriteGroup() {
  if (rows_ == 0) return;
  Group group;
  group.rows = static_cast<int64_t>(rows_);
  for (size_t i = 0; i < columns_.size(); ++i)
    group.chunks.push_back(WriteColumn(columns_[i], values_[i]));
  groups_.push_back(std::move(group));
  values_ = std::vector<Values>(columns_.size());
  rows_ = 0;
  bytes_ = 0;
}

FileWriter::Chunk FileWriter::WriteColumn(const Column& column, const Values& values) {
  Chunk chunk;
  chunk.begin = written_;
  chunk.nulls = static_cast<int64_t>(rows_ - values.indexes.size());
  if (values.different > 0 && column.kind == ColumnKind::kText) {
    chunk.least = values.least;
    chunk.largest = values.largest;
  } else if (values.different > 0) {
    AppendBytes(static_cast<uint64_t>(values.least_integer), 8, chunk.least);
    AppendBytes(static_cast<uint64_t>(values.largest_integer), 8, chunk.largest);
  }
  std::string page;
  if (!column.required) {
    AppendNumberRuns(values.defined, 1, page);
    std::string size;
    AppendBytes(page.size(), 4, size);
    page = size + page;
  }
  // Most values differ: an index for each would only add to them.
  chunk.has_dictionary =
      column.kind == ColumnKind::kText || values.different * 4 < values.indexes.size() * 3;
  if (chunk.has_dictionary) {
    WritePage(kDictionaryPage, values.dictionary, values.different, false, chunk);
    const int bits = BitsFor(values.different);
    page += static_cast<char>(bits);
    AppendNumberRuns(values.indexes, bits, page);
  } else {
    for (const uint32_t index : values.indexes)
      page += std::string_view(values.dictionary).substr(size_t{index} * 8, 8);
  }
  chunk.data_begin = written_;
  WritePage(kDataPage, page, rows_, chunk.has_dictionary, chunk);
  chunk.bytes = written_ - chunk.begin;
  return chunk;
}

void FileWriter::WritePage(int64_t type, const std::string& body, size_t count,
                           bool is_dictionary_data, Chunk& chunk) {
  const std::string packed = Gzipped(body);
  ThriftWriter head;
  head.Integer(1, type);
  head.Integer(2, static_cast<int64_t>(body.size()));
  head.Integer(3, static_cast<int64_t>(packed.size()));
  head.BeginStruct(type == kDictionaryPage ? 7 : 5);
  head.Integer(1, static_cast<int64_t>(count));
  head.Integer(2, is_dictionary_data ? kRleDictionary : kPlain);
  if (type == kDataPage) {
    head.Integer(3, kRle);
    head.Integer(4, kRle);
  }
  head.End();
  head.End();
  Put(head.bytes());
  Put(packed);
  chunk.unpacked_bytes += static_cast<int64_t>(head.bytes().size() + body.size());
}

void FileWriter::AddSchema(ThriftWriter& footer) const {
  footer.BeginList(2, ThriftType::kStruct, columns_.size() + 1);
  footer.BeginElement();
  footer.Text(4, "iprof");
  footer.Integer(5, static_cast<int64_t>(columns_.size()));
  footer.End();
  for (const Column& column : columns_) AddColumn(footer, column);
}

void FileWriter::AddGroup(ThriftWriter& footer, const Group& group, size_t sorted_by) const {
  constexpr ThriftType kLong = ThriftType::kI64;
  int64_t bytes = 0;
  int64_t unpacked = 0;
  footer.BeginElement();
  footer.BeginList(1, ThriftType::kStruct, columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const Chunk& chunk = group.chunks[i];
    bytes += chunk.bytes;
    unpacked += chunk.unpacked_bytes;
    footer.BeginElement();
    footer.Integer(2, chunk.begin, kLong);
    footer.BeginStruct(3);
    footer.Integer(1, TypeOf(columns_[i]));
    footer.BeginList(2, ThriftType::kI32, 3);
    for (const int64_t encoding : {kPlain, kRle, kRleDictionary}) footer.Element(encoding);
    footer.BeginList(3, ThriftType::kBinary, 1);
    footer.Element(columns_[i].name);
    footer.Integer(4, kGzip);
    footer.Integer(5, group.rows, kLong);
    footer.Integer(6, chunk.unpacked_bytes, kLong);
    footer.Integer(7, chunk.bytes, kLong);
    footer.Integer(9, chunk.data_begin, kLong);
    if (chunk.has_dictionary) footer.Integer(11, chunk.begin, kLong);
    footer.BeginStruct(12);
    footer.Integer(3, chunk.nulls, kLong);
    if (chunk.nulls < group.rows && chunk.least.size() <= kMostStatistic &&
        chunk.largest.size() <= kMostStatistic) {
      footer.Text(5, chunk.largest);
      footer.Text(6, chunk.least);
    }
    footer.End();
    footer.End();
    footer.End();
  }
  footer.Integer(2, unpacked, kLong);
  footer.Integer(3, group.rows, kLong);
  footer.BeginList(4, ThriftType::kStruct, 1);
  footer.BeginElement();
  footer.Integer(1, static_cast<int64_t>(sorted_by));
  footer.Bool(2, false);  // ascending
  footer.Bool(3, true);   // nulls first
  footer.End();
  footer.Integer(5, group.chunks.front().begin, kLong);
  footer.Integer(6, bytes, kLong);
  footer.End();
}

Status FileWriter::Finish(std::span<const std::pair<std::string, std::string>> metadata,
                          size_t sorted_by) {
  WriteGroup();
  int64_t rows = 0;
  for (const Group& group : groups_) rows += group.rows;
  ThriftWriter footer;
  footer.Integer(1, 1);
  AddSchema(footer);
  footer.Integer(3, rows, ThriftType::kI64);
  footer.BeginList(4, ThriftType::kStruct, groups_.size());
  for (const Group& group : groups_) AddGroup(footer, group, sorted_by);
  footer.BeginList(5, ThriftType::kStruct, metadata.size());
  for (const auto& [key, value] : metadata) {
    footer.BeginElement();
    footer.Text(1, key);
    footer.Text(2, value);
    footer.End();
  }
  footer.Text(6, "iprofagent");
  footer.BeginList(7, ThriftType::kStruct, columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {  // texts by their bytes, numbers by their values
    footer.BeginElement();
    footer.BeginStruct(1);
    footer.End();
    footer.End();
  }
  footer.End();
  Put(footer.bytes());
  std::string size;
  AppendBytes(footer.bytes().size(), 4, size);
  Put(size);
  Put(kMagic);
  return status_;
}

}  // namespace iprof::parquet
