#include "cli/views/parquet/file_reader.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/views/parquet/column_cursor.h"
#include "cli/views/parquet/footer_reader.h"

namespace iprof::parquet {
namespace {

constexpr uint64_t kMostFooterBytes = uint64_t{256} << 20;
constexpr int64_t kRowsPerByte = 1000;
constexpr int64_t kFreeRows = 1'000'000;

constexpr std::string_view kTypes[] = {"BOOLEAN", "INT32",  "INT64",      "INT96",
                                       "FLOAT",   "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"};

bool Holds(int64_t type, ColumnKind kind) {
  return kind == ColumnKind::kText ? type == kByteArray : type == kInt64 || type == kInt32;
}

}  // namespace

FileReader::FileReader(RandomBytes bytes, std::string name)
    : bytes_(std::make_unique<const RandomBytes>(std::move(bytes))), name_(std::move(name)) {}
FileReader::FileReader(FileReader&&) noexcept = default;
FileReader::~FileReader() = default;

Result<FileReader> FileReader::Open(RandomBytes bytes, std::string name) {
  FileReader file(std::move(bytes), std::move(name));
  if (Status status = file.ReadFooter(); !status.ok()) return status;
  return file;
}

Status FileReader::ReadFooter() {
  const auto fail = [&](Code code, std::string_view why) {
    return Status(code, fmt::format("{}: {}", name_, why));
  };
  std::string tail(kTailBytes, '\0');
  const uint64_t size = bytes_->size;
  if (size < kMagic.size() + kTailBytes) return fail(Code::kBadInput, "it is no Parquet file");
  if (!bytes_->read(size - kTailBytes, tail.data(), tail.size()))
    return fail(Code::kIo, "cannot read");
  if (tail.ends_with("PARE")) return fail(Code::kUnsupported, "it is encrypted");
  if (!tail.ends_with(kMagic)) return fail(Code::kBadInput, "it is no Parquet file, or was cut");
  uint64_t footer_size = 0;
  for (size_t i = 0; i < 4; ++i) footer_size |= uint64_t{static_cast<uint8_t>(tail[i])} << 8 * i;
  if (footer_size > size - kMagic.size() - kTailBytes || footer_size > kMostFooterBytes)
    return fail(Code::kBadInput, "its footer is damaged");
  std::string bytes(footer_size, '\0');
  if (!bytes_->read(size - kTailBytes - footer_size, bytes.data(), bytes.size()))
    return fail(Code::kIo, "cannot read");
  std::optional<Footer> footer = ParseFooter(bytes);
  if (!footer) return fail(Code::kBadInput, "its footer is damaged");
  footer_ = std::move(*footer);
  const auto most =
      static_cast<int64_t>(std::min<uint64_t>(size, INT64_MAX / kRowsPerByte / 2)) * kRowsPerByte +
      kFreeRows;
  for (const FooterGroup& group : footer_.groups) {
    if (group.rows < 0) return fail(Code::kBadInput, "its footer is damaged");
    if (group.rows > most - rows_)
      return fail(Code::kLimit, "it has more rows than such a file can hold");
    rows_ += group.rows;
  }
  return {};
}

std::optional<std::string_view> FileReader::Metadata(std::string_view key) const {
  const auto found = std::ranges::find(
      footer_.metadata, key, [](const auto& pair) { return std::string_view(pair.first); });
  if (found == footer_.metadata.end()) return std::nullopt;
  return found->second;
}

Status FileReader::Choose(std::span<const Column> columns) {
  cursors_.clear();
  chosen_.clear();
  for (const Column& column : columns) {
    const auto found =
        std::ranges::find(footer_.columns, column.name,
                          [](const FooterColumn& each) { return std::string_view(each.name); });
    chosen_.push_back(static_cast<size_t>(found - footer_.columns.begin()));
    if (found == footer_.columns.end()) {
      if (column.required)
        return {Code::kBadInput, fmt::format("{}: it has no column '{}'", name_, column.name)};
      cursors_.push_back(nullptr);
      continue;
    }
    if (found->is_repeated || !Holds(found->type, column.kind)) {
      const bool known = found->type >= 0 && static_cast<size_t>(found->type) < std::size(kTypes);
      return {Code::kUnsupported,
              fmt::format("{}: column '{}' is {}{}: write it as {}", name_, column.name,
                          found->is_repeated ? "a list of " : "",
                          known ? kTypes[found->type] : "of an unknown type",
                          column.kind == ColumnKind::kText ? "VARCHAR" : "BIGINT")};
    }
    cursors_.push_back(std::make_unique<ColumnCursor>(*bytes_, found->type, found->is_optional));
  }
  return {};
}

bool FileReader::NextGroup() {
  if (group_ == footer_.groups.size()) return false;
  const FooterGroup& group = footer_.groups[group_++];
  left_in_group_ = group.rows;
  for (size_t i = 0; i < cursors_.size(); ++i) {
    if (cursors_[i] && !cursors_[i]->Begin(group.chunks[chosen_[i]])) {
      status_ = Status(cursors_[i]->why().code(),
                       fmt::format("{}: {}", name_, cursors_[i]->why().message()));
      return false;
    }
  }
  return true;
}

bool FileReader::Next() {
  while (status_.ok() && left_in_group_ == 0) {
    if (!NextGroup()) return false;
  }
  if (!status_.ok()) return false;
  --left_in_group_;
  for (const auto& cursor : cursors_) {
    if (cursor && !cursor->Next()) {
      status_ = Status(cursor->why().code(), fmt::format("{}: {}", name_, cursor->why().message()));
      return false;
    }
  }
  return true;
}

bool FileReader::has(size_t column) const { return cursors_[column] && cursors_[column]->has(); }
std::string_view FileReader::Text(size_t column) const {
  return has(column) ? cursors_[column]->text() : std::string_view();
}
int64_t FileReader::Integer(size_t column) const {
  return has(column) ? cursors_[column]->integer() : 0;
}

}  // namespace iprof::parquet
