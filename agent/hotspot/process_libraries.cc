#include "agent/hotspot/process_libraries.h"

#include <algorithm>
#include <charconv>

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

std::vector<Address> BasesOf(std::string_view file_name, std::string_view maps) {
  std::vector<Address> bases;
  while (!maps.empty()) {
    std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    // The form of a line: 7f0-7f1 r--p 00000000 08:01 1234   /path/of/libjvm.so (deleted)
    const std::string_view range = TakeWord(line);
    TakeWord(line);  // permissions
    const std::string_view offset = TakeWord(line);
    TakeWord(line);  // device
    TakeWord(line);  // inode
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    constexpr std::string_view kDeleted = " (deleted)";
    if (line.ends_with(kDeleted)) line.remove_suffix(kDeleted.size());
    const std::string_view name = line.substr(line.rfind('/') + 1);
    Address base = 0;
    Address at = 0;
    if (name == file_name && ReadHex(range.substr(0, range.find('-')), &base) &&
        ReadHex(offset, &at) && at == 0)
      bases.push_back(base);
  }
  return bases;
}

}  // namespace iprof::hotspot
