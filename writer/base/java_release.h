// FeatureRelease: the number of a Java release: 17 for "17.0.5", 8 for "1.8.0_402"; 0 if the text is no version.
//
// Guarantees: pure; any text. Threads: any. Failure: none.
#pragma once

#include <charconv>
#include <string_view>
#include <system_error>

namespace iprof {

inline int FeatureRelease(std::string_view version) {
  const auto number = [&version] {
    int value = 0;
    const auto parsed = std::from_chars(version.data(), version.data() + version.size(), value);
    if (parsed.ec != std::errc() || value < 0) return 0;
    version.remove_prefix(static_cast<size_t>(parsed.ptr - version.data()));
    return value;
  };
  const int first = number();
  if (first != 1 || !version.starts_with('.')) return first;
  version.remove_prefix(1);
  return number();
}

}  // namespace iprof
