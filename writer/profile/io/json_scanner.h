// JsonScanner: reads JSON tokens from a stream, at the speed of memory.
//
// Guarantees: accepts exactly RFC 8259 (strict numbers, escapes and UTF-8; a lone surrogate escape
// is kept in three-byte form, because Java strings may contain one). It has one window over the
// input, which grows only for a string that does not fit, and does not recurse. ParseProfile uses
// it, and the readers of extra keys' values.
// Threads: one.
// Failure: the first failure is final: status() returns it, and all functions return false. It
// names the file, byte offset, JSON path, what was found and what was expected. Throws nothing but
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"
#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/profile_events.h"

namespace iprof {

// A key as real files spell it, with quotes and colon and no space in between: at most 16 bytes,
// compared as two words.
class KeySpelling {
 public:
  consteval explicit KeySpelling(std::string_view text) : text_(text) {
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t shift = 8 * (i % 8);
      words_[i / 8] |= static_cast<uint64_t>(static_cast<unsigned char>(text[i])) << shift;
      masks_[i / 8] |= uint64_t{0xff} << shift;
    }
  }
  constexpr std::string_view key() const { return text_.substr(1, text_.size() - 3); }
  constexpr size_t size() const { return text_.size(); }
  // Reads 16 bytes.
  bool Matches(const char* at) const {
    uint64_t words[2];
    std::memcpy(words, at, sizeof(words));
    return (words[0] & masks_[0]) == words_[0] && (words[1] & masks_[1]) == words_[1];
  }

 private:
  std::string_view text_;
  uint64_t words_[2] = {};
  uint64_t masks_[2] = {};
};

class JsonScanner {
 public:
  // `place` is where the parser is; it is read only to report the JSON path of a failure.
  // `base_offset` is the offset of the source's first byte in the file.
  JsonScanner(ByteSource& source, std::string_view name, const Place& place, uint64_t base_offset);
  JsonScanner(const JsonScanner&) = delete;
  JsonScanner& operator=(const JsonScanner&) = delete;

  const Status& status() const { return status_; }
  // Offset of the next byte.
  uint64_t offset() const { return window_offset_ + static_cast<uint64_t>(at_ - window_.get()); }

  // Skips white space and returns the next byte; '\0' at the end and after a failure.
  char Peek() {
    if (static_cast<unsigned char>(*at_) > ' ') return *at_;
    return PeekSlow();
  }
  // Takes the next byte if it is `c`.
  bool Consume(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  // The same, but fails with `expected` if the byte is another.
  bool Expect(char c, const char* expected) { return Consume(c) || Fail(expected); }

  // Takes the key if it comes next in exactly this spelling: the fast path for usual files.
  bool ConsumeKey(const KeySpelling& key) {
    if (!key.Matches(at_)) return false;
    at_ += key.size();
    return true;
  }

  // Appends integers as long as they have the form "12,34,", without signs and spaces, and leaves
  // the rest to ReadInteger: the fast path through long records.
  void ReadPlainIntegers(std::vector<int64_t>* values);

  // The string that starts here, unescaped; valid until the next call of this scanner.
  bool ReadString(std::string_view* text);
  // The value that comes next, if it is a string or an integer.
  bool ReadText(std::string* text);
  bool ReadWhole(int64_t* value);
  // The array that comes next: read() takes an element.
  template <typename Read>
  bool ReadArray(const Read& read) {
    if (!Consume('[')) return false;
    if (Consume(']')) return true;
    do {
      if (!read()) return false;
    } while (Consume(','));
    return Consume(']');
  }

  enum class Number { kInteger, kTooLarge, kFraction, kFailed };
  // The number that starts here ('-' or a digit). kTooLarge: an integer of more than 64 bits.
  // kFraction: it has a fraction or an exponent; number_text() returns its spelling (shortened).
  Number ReadInteger(int64_t* value);
  const std::string& number_text() const { return scratch_; }

  // Skips one value of any kind. Appends its text to `raw`, if given, without the white space
  // around it.
  bool SkipValue(std::string* raw = nullptr);
  // Expects only white space until the end.
  bool ExpectEnd();

  bool Fail(const char* expected);
  // The next few bytes, for messages.
  std::string Preview();

 private:
  bool FailWith(Code code, std::string found, const char* expected);
  // Moves the bytes from `keep` on to the window's front and appends more input; at_ then points to
  // the front. False at the end of the input.
  bool Refill(const char* keep);
  char PeekSlow();
  char Byte() { return at_ == end_ ? ByteSlow() : *at_; }  // '\0' at the end
  char ByteSlow();
  bool Unescape(std::string_view text);
  Number ReadNumberSlow(int64_t* value);
  bool SkipKey();
  bool SkipScalar(char first);

  ByteSource& source_;
  std::string name_;
  const Place& place_;
  size_t capacity_;
  std::unique_ptr<char[]> window_;  // followed by kPadding zero bytes, which stop every fast loop
  uint64_t window_offset_;
  const char* at_;
  const char* end_;
  bool source_ended_ = false;
  Status status_;
  std::string scratch_;
  std::string* capture_ = nullptr;
  const char* capture_from_ = nullptr;
};

}  // namespace iprof
