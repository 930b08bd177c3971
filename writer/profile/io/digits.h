// Numbers as base64 digits (A-Z a-z 0-9 + /), six bits each, for parts of the section "iprofagent" that have one number
// for each of thousands of methods.
//
// A hash has a fixed number of digits, its highest bits first. A small number has as many as it needs, five bits each,
// the lowest first; the sixth bit says that more follow. A signed number is doubled, and 1 added where it is negative.
//
// Guarantees: pure. DigitReader never reads outside its text.
// Threads: any; one thread per reader. Failure: a wrong digit is -1, or makes the reader fail; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iprof {

inline constexpr int kBitsOfDigit = 6;

int ValueOfDigit(char digit);  // -1: no digit

// The highest bits of a hash.
void AppendDigits(uint64_t hash, size_t digits, std::string* out);

void AppendSmall(uint64_t number, std::string* out);
void AppendSigned(int64_t number, std::string* out);

class DigitReader {
 public:
  explicit DigitReader(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return text_.empty(); }
  // Takes the next character if it is `c`.
  bool Consume(char c);
  uint64_t Small();  // 0 after a failure
  int64_t Signed();

 private:
  std::string_view text_;
  bool ok_ = true;
};

}  // namespace iprof
