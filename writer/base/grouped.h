// Grouped: a number for people, in groups of three digits: 1234567 becomes "1,234,567".
// Counted: the same with its noun: "1 class", "1,234 classes".
//
// Guarantees: any number. Threads: any. Failure: std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>

namespace iprof {

template <typename Number>
requires std::is_integral_v<Number> std::string Grouped(Number number) {
  std::string digits = std::to_string(number);
  const size_t first = digits.starts_with('-') ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3; at -= 3) digits.insert(at - 3, 1, ',');
  return digits;
}

template <typename Number>
std::string Counted(Number number, std::string_view one, std::string_view several) {
  std::string text = Grouped(number);
  text += ' ';
  return text += number == Number{1} ? one : several;
}

}  // namespace iprof
