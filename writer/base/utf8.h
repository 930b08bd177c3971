// The kinds of UTF-8 in profiles: strict in files, "modified" from the JVM, lone surrogates from
// Java strings.
//
// Inside the library a name is UTF-8 in which a lone surrogate (legal in a Java string, not in
// UTF-8) has its three-byte form; the writer turns it into a \uXXXX escape.
//
// Guarantees: pure; any bytes may be passed. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace iprof {

// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
bool IsUtf8(std::string_view text);

// Reads one code point at text[at]; surrogates in three-byte form count as code points. Returns its
// length, or 0 if the bytes are not a code point.
size_t DecodeCodePoint(std::string_view text, size_t at, uint32_t* code_point);

void AppendCodePoint(uint32_t code_point, std::string* out);

// Converts modified UTF-8 (C0 80, surrogate pairs of three bytes each), or any other bytes,
// to the library's form. Invalid bytes become U+FFFD. Text that already has that form is
// returned unchanged.
std::string NormalizeUtf8(std::string_view text);

inline bool IsSurrogate(uint32_t code_point) { return (code_point & 0xfffff800u) == 0xd800u; }
inline bool IsHighSurrogate(uint32_t code_point) { return (code_point & 0xfffffc00u) == 0xd800u; }
inline bool IsLowSurrogate(uint32_t code_point) { return (code_point & 0xfffffc00u) == 0xdc00u; }
inline uint32_t JoinSurrogates(uint32_t high, uint32_t low) {
  return 0x10000u + ((high - 0xd800u) << 10) + (low - 0xdc00u);
}

}  // namespace iprof
