// JoinText: texts in one, with something between them.
//
//   JoinText({"a", "b", "c"}, ", ")      "a, b, c"
//   JoinText(std::vector<std::string>{}, ", ")      ""
//
// fmt::join does the same. It needs fmt/format.h, and with it each source compiles all of fmt's formatting again:
// half of the time of a package. fmt/core.h is enough for everything else.
//
// Threads: any. Failure: throws std::bad_alloc.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace iprof {

template <typename Texts>
std::string JoinText(const Texts& texts, std::string_view separator) {
  std::string joined;
  bool is_first = true;
  for (const std::string_view text : texts) {
    if (!is_first) joined += separator;
    joined += text;
    is_first = false;
  }
  return joined;
}

inline std::string JoinText(std::initializer_list<std::string_view> texts,
                            std::string_view separator) {
  return JoinText<std::initializer_list<std::string_view>>(texts, separator);
}

}  // namespace iprof
