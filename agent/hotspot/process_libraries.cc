#include "agent/hotspot/process_libraries.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace iprof::hotspot {
namespace {

// Removes the next word from the line and returns it.
std::string_view TakeWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

bool ReadHex(std::string_view text, Address* value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<MappedPart> MappedParts(std::string_view maps) {
  std::vector<MappedPart> parts;
  while (!maps.empty()) {
    std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    // The form of a line: 7f0-7f1 r--p 00000000 08:01 1234   /path/of/libjvm.so (deleted)
    const std::string_view range = TakeWord(line);
    const std::string_view permissions = TakeWord(line);
    const std::string_view offset = TakeWord(line);
    TakeWord(line);  // device
    TakeWord(line);  // inode
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const size_t dash = range.find('-');
    MappedPart part;
    Address end = 0;
    if (!line.starts_with('/') || dash == std::string_view::npos ||
        !ReadHex(range.substr(0, dash), &part.at) || !ReadHex(range.substr(dash + 1), &end) ||
        end < part.at || !ReadHex(offset, &part.offset)) {
      continue;
    }
    constexpr std::string_view kDeleted = " (deleted)";
    part.is_deleted = line.ends_with(kDeleted);
    if (part.is_deleted) line.remove_suffix(kDeleted.size());
    part.size = end - part.at;
    part.path = line;
    part.is_writable = permissions.substr(0, 2).ends_with('w');
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Address> BasesOf(std::string_view file_name, std::string_view maps) {
  std::vector<Address> bases;
  for (const MappedPart& part : MappedParts(maps)) {
    if (part.offset == 0 &&
        std::string_view(part.path).substr(part.path.rfind('/') + 1) == file_name)
      bases.push_back(part.at);
  }
  return bases;
}

}  // namespace iprof::hotspot
