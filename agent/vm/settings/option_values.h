// The value kinds of agent options, each parsed from text by one pure function.
//
// Why: every option of one kind must accept the same spellings and fail with the same words, so no
// option parses its own value. A parser takes the bare value and returns it or a failed Status
// whose message says what was expected ("must be y or n"); the caller puts the option's name in
// front. Callable from any thread; no global state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"

namespace iprof::vm {

// A duration option's value. 0 is legal; the option's own range says whether it makes sense there.
struct Duration {
  int64_t ns = 0;
  bool operator==(const Duration&) const = default;
};

// A memory or file size option's value.
struct ByteSize {
  int64_t bytes = 0;
  bool operator==(const ByteSize&) const = default;
};

// Glob patterns ('*' any characters, '?' one), joined by ';' or '+' (which needs no quotes in a
// shell).
using PatternList = std::vector<std::string>;

// The parts of text between separators (any of these characters); always at least one, empty parts
// included.
std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators);

// "y", "n"; HPROF's habit. "yes", "no", "true" and "false" are refused so that scripts stay
// uniform.
Result<bool> ParseYesNo(std::string_view text);

// One of the choices ("a|b|c"); the result is its position.
Result<size_t> ParseChoice(std::string_view text, std::string_view choices);

// A whole number between min and max, decimal.
Result<int64_t> ParseNumber(std::string_view text, int64_t min, int64_t max);

// "250us", "10ms", "5s"; a unit is required unless the number is 0.
Result<Duration> ParseDuration(std::string_view text);

// "4096", "64k", "10m", "2g" (powers of 1024, either case).
Result<ByteSize> ParseSize(std::string_view text);

// A file name: not empty.
Result<std::string> ParsePath(std::string_view text);

// "com.acme.*;tool.jar" or "com.acme.*+tool.jar": no pattern may be empty.
Result<PatternList> ParsePatternList(std::string_view text);

}  // namespace iprof::vm
