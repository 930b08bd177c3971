#include "writer/base/utf8.h"

namespace iprof {
namespace {

uint32_t ByteAt(std::string_view text, size_t at) { return static_cast<unsigned char>(text[at]); }

bool IsContinuation(std::string_view text, size_t at) {
  return at < text.size() && (ByteAt(text, at) & 0xc0u) == 0x80u;
}

}  // namespace

size_t DecodeCodePoint(std::string_view text, size_t at, uint32_t* code_point) {
  const uint32_t first = ByteAt(text, at);
  if (first < 0x80) {
    *code_point = first;
    return 1;
  }
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 0;
  if (length == 0 || first > 0xf4) return 0;
  uint32_t value = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if (!IsContinuation(text, at + i)) return 0;
    value = (value << 6) | (ByteAt(text, at + i) & 0x3fu);
  }
  static constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10ffff) return 0;
  *code_point = value;
  return length;
}

bool IsUtf8(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    uint32_t code_point = 0;
    const size_t length = DecodeCodePoint(text, at, &code_point);
    if (length == 0 || IsSurrogate(code_point)) return false;
    at += length;
  }
  return true;
}

void AppendCodePoint(uint32_t code_point, std::string* out) {
  const auto put = [out](uint32_t byte) { out->push_back(static_cast<char>(byte)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xc0 | (code_point >> 6));
    put(0x80 | (code_point & 0x3f));
  } else if (code_point < 0x10000) {
    put(0xe0 | (code_point >> 12));
    put(0x80 | ((code_point >> 6) & 0x3f));
    put(0x80 | (code_point & 0x3f));
  } else {
    put(0xf0 | (code_point >> 18));
    put(0x80 | ((code_point >> 12) & 0x3f));
    put(0x80 | ((code_point >> 6) & 0x3f));
    put(0x80 | (code_point & 0x3f));
  }
}

std::string NormalizeUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    uint32_t code_point = 0;
    size_t length = DecodeCodePoint(text, at, &code_point);
    if (length == 0) {
      const bool modified_nul =
          ByteAt(text, at) == 0xc0 && at + 1 < text.size() && ByteAt(text, at + 1) == 0x80;
      code_point = modified_nul ? 0 : 0xfffd;
      length = modified_nul ? 2 : 1;
    } else if (IsHighSurrogate(code_point) && at + length < text.size()) {
      uint32_t low = 0;
      const size_t low_length = DecodeCodePoint(text, at + length, &low);
      if (low_length != 0 && IsLowSurrogate(low)) {
        code_point = JoinSurrogates(code_point, low);
        length += low_length;
      }
    }
    AppendCodePoint(code_point, &out);
    at += length;
  }
  return out;
}

}  // namespace iprof
