#include "cli/terminal/terminal_text.h"

#include <fmt/core.h>

#include <cstdint>
#include <iterator>

namespace iprof::cli {
namespace {

struct Decoded {
  uint32_t code_point;
  size_t length;  // 0: malformed
};

// One UTF-8 sequence at the start of a non-empty text; overlong forms and surrogates count as
// malformed.
Decoded DecodeFirst(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {0, 0};
  uint32_t code_point = lead & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    code_point = (code_point << 6) | (byte(i) & 0x3FU);
  }
  const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code_point < smallest[length] || code_point > 0x10FFFF) return {0, 0};
  if (code_point >= 0xD800 && code_point <= 0xDFFF) return {0, 0};
  return {code_point, length};
}

bool IsHostile(uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF;
}

}  // namespace

std::string EscapeForTerminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  auto sink = std::back_inserter(out);
  while (!text.empty()) {
    const Decoded c = DecodeFirst(text);
    if (c.length == 0) {
      fmt::format_to(sink, "\\x{:02x}", static_cast<uint8_t>(text[0]));
      text.remove_prefix(1);
      continue;
    }
    if (!IsHostile(c.code_point)) {
      out.append(text.substr(0, c.length));
    } else if (c.code_point == '\n') {
      out += "\\n";
    } else if (c.code_point == '\t') {
      out += "\\t";
    } else if (c.code_point < 0x80) {
      fmt::format_to(sink, "\\x{:02x}", c.code_point);
    } else {
      fmt::format_to(sink, "\\u{{{:x}}}", c.code_point);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = DecodeFirst(text);
    if (c.length == 0) {
      out += "\xEF\xBF\xBD";
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, c.length));
      text.remove_prefix(c.length);
    }
  }
  return out;
}

}  // namespace iprof::cli
