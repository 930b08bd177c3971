#include "writer/base/option_text.h"

#include <algorithm>

namespace iprof {

std::vector<std::string_view> SplitOptions(std::string_view text) {
  std::vector<std::string_view> items;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    items.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return items;
}

bool IsControlCharacter(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::string ShownOption(std::string_view text) {
  constexpr size_t kMost = 80;
  std::string shown(text.substr(0, kMost));
  std::replace_if(shown.begin(), shown.end(), IsControlCharacter, '?');
  return text.size() > kMost ? shown + "..." : shown;
}

}  // namespace iprof
