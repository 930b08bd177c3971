#include "agent/vm/settings/option_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "writer/base/glob.h"

namespace iprof::vm {
namespace {

Status Bad(std::string message) { return Status(Code::kUsage, std::move(message)); }

// The number at the start of text, and the rest of text.
struct LeadingNumber {
  bool ok;
  int64_t value;
  std::string_view rest;
};

LeadingNumber ReadLeadingNumber(std::string_view text) {
  int64_t value = 0;
  const char* end = text.data() + text.size();
  if (text.empty() || text.front() < '0' || text.front() > '9') return {false, 0, text};
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc()) return {false, 0, text};
  return {true, value, text.substr(static_cast<size_t>(stop - text.data()))};
}

}  // namespace

bool MatchesAny(const PatternList& patterns, std::string_view text) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return GlobMatches(pattern, text); });
}

std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<bool> ParseYesNo(std::string_view text) {
  if (text == "y") return true;
  if (text == "n") return false;
  return Bad("must be y or n");
}

Result<size_t> ParseChoice(std::string_view text, std::string_view choices) {
  const std::vector<std::string_view> names = SplitAt(choices, "|");
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return i;
  }
  return Bad(fmt::format("must be one of {}", choices));
}

Result<int64_t> ParseNumber(std::string_view text, int64_t min, int64_t max) {
  const LeadingNumber number = ReadLeadingNumber(text);
  if (!number.ok || !number.rest.empty() || number.value < min || number.value > max) {
    return Bad(fmt::format("must be a whole number from {} to {}", min, max));
  }
  return number.value;
}

Result<int64_t> ParsePercent(std::string_view text, int64_t most) {
  const LeadingNumber number = ReadLeadingNumber(text);
  if (!number.ok || number.value > most || !(number.rest == "%" || (text == "0")))
    return Bad(fmt::format("must be a percentage between 0% and {}%", most));
  return number.value;
}

Result<Duration> ParseDuration(std::string_view text) {
  const LeadingNumber number = ReadLeadingNumber(text);
  int64_t unit_ns = 0;
  if (number.rest == "us") unit_ns = 1'000;
  if (number.rest == "ms") unit_ns = 1'000'000;
  if (number.rest == "s") unit_ns = 1'000'000'000;
  if (number.rest == "m") unit_ns = 60'000'000'000;
  if (number.rest == "h") unit_ns = 3'600'000'000'000;
  if (number.ok && number.rest.empty() && number.value == 0) unit_ns = 1;
  if (!number.ok || unit_ns == 0) return Bad("must be a number with a unit: us, ms, s, m or h");
  if (number.value > std::numeric_limits<int64_t>::max() / unit_ns) {
    return Bad("must be shorter than 292 years");
  }
  return Duration{number.value * unit_ns};
}

Result<ByteSize> ParseSize(std::string_view text) {
  const LeadingNumber number = ReadLeadingNumber(text);
  int shift = -1;
  if (number.rest.empty()) shift = 0;
  if (number.rest == "k" || number.rest == "K") shift = 10;
  if (number.rest == "m" || number.rest == "M") shift = 20;
  if (number.rest == "g" || number.rest == "G") shift = 30;
  if (!number.ok || shift < 0) return Bad("must be a number of bytes, or one with k, m or g");
  if (number.value > (std::numeric_limits<int64_t>::max() >> shift)) {
    return Bad("must be smaller than 8 exbibytes");
  }
  return ByteSize{number.value << shift};
}

Result<std::string> ParsePath(std::string_view text) {
  if (text.empty()) return Bad("must name a file");
  if (text.find('\0') != std::string_view::npos) return Bad("must not contain a zero byte");
  return std::string(text);
}

Result<PatternList> ParsePatternList(std::string_view text) {
  PatternList patterns;
  for (std::string_view part : SplitAt(text, ";+")) {
    if (part.empty()) return Bad("must be patterns joined by ';' or '+', none of them empty");
    patterns.emplace_back(part);
  }
  return patterns;
}

}  // namespace iprof::vm
