#include "writer/names/thread_names.h"

#include "writer/names/type_names.h"

namespace iprof {

std::string FoldedThreadName(std::string_view modified_utf8) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string folded;
  for (const char c : modified_utf8) {
    if (!is_digit(c)) {
      folded += c;
    } else if (!folded.ends_with('*')) {
      folded += '*';
    }
    if (folded.size() > 4 * kMostThreadName) break;
  }
  if (folded.empty()) return "(no name)";
  folded = ToUtf8(folded);
  if (folded.size() <= kMostThreadName) return folded;
  size_t end = kMostThreadName;
  while (end > 0 && (static_cast<unsigned char>(folded[end]) & 0xc0) == 0x80) --end;
  return folded.substr(0, end) + "...";
}

}  // namespace iprof
