#include "cli/views/parquet/thrift_compact.h"

namespace iprof::parquet {

void ThriftWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ThriftWriter::Zigzag(int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  Varint(bits << 1 ^ (value < 0 ? ~uint64_t{0} : 0));
}

// Fields are written in ascending order, and there are fewer than 15.
void ThriftWriter::Head(int field, ThriftType type) {
  bytes_ += static_cast<char>((field - last_fields_.back()) << 4 | static_cast<int>(type));
  last_fields_.back() = field;
}

void ThriftWriter::Integer(int field, int64_t value, ThriftType type) {
  Head(field, type);
  Zigzag(value);
}

void ThriftWriter::Text(int field, std::string_view text) {
  Head(field, ThriftType::kBinary);
  Element(text);
}

void ThriftWriter::Element(std::string_view text) {
  Varint(text.size());
  bytes_ += text;
}

void ThriftWriter::BeginStruct(int field) {
  Head(field, ThriftType::kStruct);
  last_fields_.push_back(0);
}

void ThriftWriter::BeginList(int field, ThriftType of, size_t count) {
  Head(field, ThriftType::kList);
  const size_t shown = count < 15 ? count : 15;
  bytes_ += static_cast<char>(shown << 4 | static_cast<size_t>(of));
  if (shown == 15) Varint(count);
}

void ThriftWriter::End() {
  bytes_ += '\0';
  last_fields_.pop_back();
}

uint64_t ThriftReader::Byte() {
  if (at_ >= bytes_.size()) ok_ = false;
  return ok_ ? static_cast<uint8_t>(bytes_[at_++]) : 0;
}

uint64_t ThriftReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const uint64_t byte = Byte();
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return ok_ ? value : 0;
  }
  ok_ = false;
  return 0;
}

int64_t ThriftReader::Integer() {
  const uint64_t bits = Varint();
  return static_cast<int64_t>(bits >> 1 ^ ((bits & 1) != 0 ? ~uint64_t{0} : 0));
}

void ThriftReader::Pass(uint64_t count) {
  if (count > bytes_.size() - at_) ok_ = false;
  if (ok_) at_ += count;
}

std::string_view ThriftReader::Text() {
  const uint64_t size = Varint();
  const size_t begin = at_;
  Pass(size);
  return ok_ ? bytes_.substr(begin, size) : std::string_view();
}

bool ThriftReader::Next(Field& field) {
  const uint64_t head = Byte();
  if (!ok_ || head == 0) return false;
  field.type = static_cast<ThriftType>(head & 0xf);
  const int64_t number =
      head >> 4 != 0 ? field.number + static_cast<int64_t>(head >> 4) : Integer();
  if (number < 1 || number > INT16_MAX) ok_ = false;
  field.number = static_cast<int>(number);
  return ok_;
}

void ThriftReader::Skip(ThriftType type, bool is_element) {
  switch (type) {
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      if (is_element) Pass(1);
      return;
    case ThriftType::kByte:
      return Pass(1);
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      Varint();
      return;
    case ThriftType::kDouble:
      return Pass(8);
    case ThriftType::kBinary:
      Text();
      return;
    case ThriftType::kStruct:
      return Struct([this](Field field) { Skip(field.type); });
    case ThriftType::kList:
    case ThriftType::kSet:
      if (++depth_ > kMostDepth) ok_ = false;
      if (ok_) List([this](ThriftType of) { Skip(of, true); });
      --depth_;
      return;
    case ThriftType::kMap: {
      const uint64_t count = Varint();
      if (count == 0) return;
      const uint64_t types = Byte();
      ++depth_;
      if (count > bytes_.size() - at_ || depth_ > kMostDepth) ok_ = false;
      for (uint64_t i = 0; i < count && ok_; ++i) {
        Skip(static_cast<ThriftType>(types >> 4), true);
        Skip(static_cast<ThriftType>(types & 0xf), true);
      }
      --depth_;
      return;
    }
  }
  ok_ = false;
}

}  // namespace iprof::parquet
