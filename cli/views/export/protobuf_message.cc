#include "cli/views/export/protobuf_message.h"

namespace iprof {
namespace {

constexpr uint32_t kVarint = 0;
constexpr uint32_t kLengthDelimited = 2;

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

}  // namespace

void ProtobufMessage::PutVarint(uint64_t value) { AppendVarint(value, bytes_); }

void ProtobufMessage::PutKey(uint32_t field, uint32_t wire_type) {
  PutVarint(uint64_t{field} << 3 | wire_type);
}

void ProtobufMessage::AddNumber(uint32_t field, int64_t value) {
  if (value == 0) return;
  PutKey(field, kVarint);
  PutVarint(static_cast<uint64_t>(value));
}

void ProtobufMessage::AddNumbers(uint32_t field, std::span<const int64_t> values) {
  if (values.empty()) return;
  packed_.clear();
  for (const int64_t value : values) AppendVarint(static_cast<uint64_t>(value), packed_);
  AlwaysAddText(field, packed_);
}

void ProtobufMessage::AddText(uint32_t field, std::string_view text) {
  if (!text.empty()) AlwaysAddText(field, text);
}

void ProtobufMessage::AlwaysAddText(uint32_t field, std::string_view text) {
  PutKey(field, kLengthDelimited);
  PutVarint(text.size());
  bytes_.append(text);
}

void ProtobufMessage::AddMessage(uint32_t field, const ProtobufMessage& message) {
  AlwaysAddText(field, message.bytes());
}

}  // namespace iprof
