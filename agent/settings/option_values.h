// The kinds of option values. One pure function parses each kind.
//
// Why: every option of a kind must accept the same spellings and fail with the same words, so no
// option parses its own value.
//
// Guarantees: a parser gets only the value; the caller adds the option's name to the message.
// Threads: any; no global state.
// Failure: a Status whose message says what was expected ("must be y or n").
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "writer/base/status.h"

namespace iprof::vm {

// A duration. 0 is legal here; the option's own range says whether it is allowed.
struct Duration {
  int64_t ns = 0;
  bool operator==(const Duration&) const = default;
};

// A time between samples that the agent may choose.
struct Interval {
  bool is_auto = false;
  Duration fixed{};  // unless it is auto
  bool operator==(const Interval&) const = default;
};

// A memory or file size.
struct ByteSize {
  int64_t bytes = 0;
  bool operator==(const ByteSize&) const = default;
};

// Glob patterns ('*' any characters, '?' one), joined by '+' or ';' ('+' needs no quotes in a shell).
using PatternList = std::vector<std::string>;

// Whether one of the patterns matches the whole text.
bool MatchesAny(const PatternList& patterns, std::string_view text);

// Splits text at each of the separator characters. Returns at least one part; parts may be empty.
std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators);

// "y" or "n", as in HPROF. "yes", "no", "true" and "false" are refused, so that scripts stay
// uniform.
Result<bool> ParseYesNo(std::string_view text);

// One of the choices ("a|b|c"). Returns its index.
Result<size_t> ParseChoice(std::string_view text, std::string_view choices);

// A whole number between min and max, decimal.
Result<int64_t> ParseNumber(std::string_view text, int64_t min, int64_t max);

// "5%": a whole number between 0 and most; the sign is required unless the number is 0.
Result<int64_t> ParsePercent(std::string_view text, int64_t most);

// "250us", "10ms", "5s", "2m", "1h"; a unit is required unless the number is 0.
Result<Duration> ParseDuration(std::string_view text);

// "auto", or as ParseDuration.
Result<Interval> ParseInterval(std::string_view text);

// "4096", "64k", "10m", "2g" (powers of 1024, either case).
Result<ByteSize> ParseSize(std::string_view text);

// What was probably meant by a text that is no duration: another spelling of a unit ("5 min"), a
// fraction ("1.5s"), or no unit, which then is the default one. Empty if it is not clear.
std::string NearestDuration(std::string_view text, std::string_view default_unit);

// What was probably meant by a text that is no size ("100MB", "1.5g"). Empty if it is not clear.
std::string NearestSize(std::string_view text);

// A file name: not empty.
Result<std::string> ParsePath(std::string_view text);

// "com.acme.*;tool.jar" or "com.acme.*+tool.jar". No pattern may be empty.
Result<PatternList> ParsePatternList(std::string_view text);

}  // namespace iprof::vm
