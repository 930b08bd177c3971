// JoinText: texts in one, with something between them.
//
//   JoinText({"a", "b", "c"}, ", ")      "a, b, c"
//   JoinText(std::vector<std::string>{}, ", ")      ""
//
// fmt::join does the same, but needs fmt/format.h. With that header, clang compiles all of fmt's formatting again for each
// source, which doubles the time that a package takes. For everything else, fmt/core.h is enough.
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
