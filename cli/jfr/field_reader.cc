#include "cli/jfr/field_reader.h"

namespace iprof::jfr {
namespace {

// One character of UTF-16 as modified UTF-8: a surrogate by itself, and 0 as two bytes.
void AppendCharacter(uint16_t character, std::string* out) {
  const auto append = [out](unsigned bits) { out->push_back(static_cast<char>(bits)); };
  if (character != 0 && character < 0x80) return append(character);
  if (character < 0x800) {
    append(0xc0u | character >> 6);
  } else {
    append(0xe0u | character >> 12);
    append(0x80u | (character >> 6 & 0x3fu));
  }
  append(0x80u | (character & 0x3fu));
}

}  // namespace

uint8_t FieldReader::Byte() {
  if (at_ == bytes_.size()) {
    Fail();
    return 0;
  }
  return bytes_[at_++];
}

uint64_t FieldReader::Fixed(size_t bytes) {
  uint64_t value = 0;
  for (const uint8_t byte : Bytes(bytes)) value = value << 8 | byte;
  return value;
}

uint64_t FieldReader::Compressed() {
  constexpr int kLastShift = 56;  // the ninth byte has no mark
  uint64_t value = 0;
  for (int shift = 0; shift <= kLastShift; shift += 7) {
    const uint8_t byte = Byte();
    if (shift == kLastShift) return value | uint64_t{byte} << shift;
    value |= uint64_t{byte & 0x7fu} << shift;
    if ((byte & 0x80) == 0) break;
  }
  return value;
}

std::span<const uint8_t> FieldReader::Bytes(uint64_t count) {
  if (count > left()) {
    Fail();
    return {};
  }
  const auto taken = bytes_.subspan(at_, static_cast<size_t>(count));
  at_ += taken.size();
  return taken;
}

FieldReader::Text FieldReader::ReadText(std::string* made) {
  enum Encoding : uint8_t { kNull, kEmpty, kKey, kUtf8, kCharacters, kLatin1 };
  const uint8_t encoding = Byte();
  if (encoding <= kEmpty) return {};
  if (encoding == kKey) return {.text = {}, .is_key = true, .key = Long()};
  const int32_t length = Int();
  if (encoding > kLatin1 || length < 0 || static_cast<size_t>(length) > left()) {
    Fail();
    return {};
  }
  made->clear();
  if (encoding == kCharacters) {
    for (int32_t i = 0; i < length; ++i) AppendCharacter(Short(), made);
    return {.text = ok() ? std::string_view(*made) : std::string_view()};
  }
  const auto bytes = Bytes(static_cast<uint64_t>(length));
  if (encoding == kUtf8)
    return {.text = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}};
  for (const uint8_t byte : bytes) AppendCharacter(byte, made);
  return {.text = *made};
}

}  // namespace iprof::jfr
