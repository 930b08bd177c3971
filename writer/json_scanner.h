// JsonScanner: JSON tokens from a stream, at the speed of the memory.
//
// Guarantees: accepts exactly RFC 8259 (strict numbers, escapes and UTF-8; a lone surrogate escape
// is kept in three-byte form because Java strings may hold one). One window over the input, which
// grows only for a string that does not fit; no recursion. The first failure sticks: status() then
// holds it and every function says false. All failures name file, byte offset, JSON path, what was
// found and what was expected. Used by ParseProfile and nobody else; one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "writer/byte_stream.h"
#include "writer/profile_events.h"
#include "writer/status.h"

namespace iprof {

class JsonScanner {
 public:
  // `place` is where the parser is; read when a failure is reported, and for its JSON path only.
  // `base_offset` is the offset of the source's first byte in the file.
  JsonScanner(ByteSource& source, std::string_view name, const Place& place, uint64_t base_offset);
  JsonScanner(const JsonScanner&) = delete;
  JsonScanner& operator=(const JsonScanner&) = delete;

  const Status& status() const { return status_; }
  // Offset of the next byte.
  uint64_t offset() const { return window_offset_ + static_cast<uint64_t>(at_ - window_.get()); }

  // Skips white space; the next byte, or '\0' at the end and after a failure.
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
  // Same, else fails with `expected`.
  bool Expect(char c, const char* expected) { return Consume(c) || Fail(expected); }

  // The string that starts here, unescaped; valid until the next call of this scanner.
  bool ReadString(std::string_view* text);

  enum class Number { kInteger, kTooLarge, kFraction, kFailed };
  // The number that starts here ('-' or a digit). kTooLarge: an integer that 64 bits do not hold;
  // kFraction: has a fraction or an exponent; then number_text() has its spelling (shortened).
  Number ReadInteger(int64_t* value);
  const std::string& number_text() const { return scratch_; }

  // Reads over one value of any kind. With `raw`, its text is appended there (white space around it
  // is not).
  bool SkipValue(std::string* raw = nullptr);
  // Nothing but white space is left.
  bool ExpectEnd();

  bool Fail(const char* expected);
  // A few bytes of what comes next, for messages.
  std::string Preview();

 private:
  bool FailWith(Code code, std::string found, const char* expected);
  // Brings more input behind the bytes from `keep` on, which move to the window's front; at_ then
  // points there. False when there is no more.
  bool Refill(const char* keep);
  char PeekSlow();
  char Byte() { return at_ == end_ ? ByteSlow() : *at_; }  // '\0' at the end
  char ByteSlow();
  bool Unescape(std::string_view text);
  Number ReadNumberSlow(int64_t* value);
  bool SkipDigits();
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
