#include "agent/settings/option_values.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

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

struct Unit {
  std::string_view name;
  int64_t factor;
};
constexpr Unit kTimeUnits[] = {{"us", 1'000},
                               {"ms", 1'000'000},
                               {"s", 1'000'000'000},
                               {"m", 60'000'000'000},
                               {"h", 3'600'000'000'000}};
constexpr Unit kSizeUnits[] = {{"", 1}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}};

// How people write units that we spell otherwise.
struct Spelling {
  std::string_view written;  // in lower case
  std::string_view unit;
};
constexpr Spelling kTimeSpellings[] = {
    {"us", "us"},     {"usec", "us"}, {"micros", "us"}, {"ms", "ms"},  {"msec", "ms"},
    {"millis", "ms"}, {"s", "s"},     {"sec", "s"},     {"secs", "s"}, {"second", "s"},
    {"seconds", "s"}, {"m", "m"},     {"min", "m"},     {"mins", "m"}, {"minute", "m"},
    {"minutes", "m"}, {"h", "h"},     {"hr", "h"},      {"hour", "h"}, {"hours", "h"},
};
constexpr Spelling kSizeSpellings[] = {
    {"", ""},    {"b", ""},    {"k", "k"}, {"kb", "k"}, {"kib", "k"}, {"m", "m"},
    {"mb", "m"}, {"mib", "m"}, {"g", "g"}, {"gb", "g"}, {"gib", "g"},
};

const Unit* UnitNamed(std::span<const Unit> units, std::string_view name) {
  const auto found =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return u.name == name; });
  return found == units.end() ? nullptr : &*found;
}

// "1.5 MB" in a unit that `spellings` knows, as a whole number with one of our units; else empty.
std::string Respelled(std::string_view text, std::span<const Spelling> spellings,
                      std::span<const Unit> units, std::string_view default_unit) {
  constexpr int64_t kMostWhole = 1'000'000;
  constexpr int kMostDigits = 3;
  const LeadingNumber whole = ReadLeadingNumber(text);
  if (!whole.ok || whole.value > kMostWhole) return {};
  std::string_view rest = whole.rest;
  int64_t thousandths = whole.value * 1000;
  const bool has_fraction = rest.starts_with('.');
  if (has_fraction) {
    const LeadingNumber fraction = ReadLeadingNumber(rest.substr(1));
    const size_t digits = rest.size() - 1 - fraction.rest.size();
    if (!fraction.ok || digits > kMostDigits) return {};
    int64_t scale = 1;
    for (size_t i = digits; i < kMostDigits; ++i) scale *= 10;
    thousandths += fraction.value * scale;
    rest = fraction.rest;
  }
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  std::string written(rest);
  std::transform(written.begin(), written.end(), written.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto spelling = std::find_if(spellings.begin(), spellings.end(),
                                     [&](const Spelling& s) { return s.written == written; });
  const bool is_default = written.empty() && !default_unit.empty();
  if (!is_default && spelling == spellings.end()) return {};
  const Unit* const unit = UnitNamed(units, is_default ? default_unit : spelling->unit);
  if (unit == nullptr) return {};
  if (!has_fraction) return fmt::format("{}{}", whole.value, unit->name);
  if (thousandths == 0 || unit->factor > std::numeric_limits<int64_t>::max() / thousandths)
    return {};
  const int64_t total = unit->factor * thousandths;
  for (size_t u = units.size(); u-- > 0;) {
    if (total % (1000 * units[u].factor) == 0)
      return fmt::format("{}{}", total / (1000 * units[u].factor), units[u].name);
  }
  return {};
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
    return Bad(fmt::format("must be a whole percentage between 0% and {}%", most));
  return number.value;
}

Result<Duration> ParseDuration(std::string_view text) {
  const LeadingNumber number = ReadLeadingNumber(text);
  const Unit* const unit = UnitNamed(kTimeUnits, number.rest);
  int64_t unit_ns = unit == nullptr ? 0 : unit->factor;
  if (number.ok && number.rest.empty() && number.value == 0) unit_ns = 1;
  if (!number.ok || unit_ns == 0) return Bad("must be a number with a unit: us, ms, s, m or h");
  if (number.value > std::numeric_limits<int64_t>::max() / unit_ns) {
    return Bad("must be shorter than 292 years");
  }
  return Duration{number.value * unit_ns};
}

Result<Interval> ParseInterval(std::string_view text) {
  if (text == "auto") return Interval{.is_auto = true};
  const Result<Duration> fixed = ParseDuration(text);
  if (!fixed.ok()) return Bad("must be auto, or a number with a unit: us, ms, s, m or h");
  return Interval{.fixed = *fixed};
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

std::string NearestDuration(std::string_view text, std::string_view default_unit) {
  return Respelled(text, kTimeSpellings, kTimeUnits, default_unit);
}

std::string NearestSize(std::string_view text) {
  return Respelled(text, kSizeSpellings, kSizeUnits, "");
}

Result<std::string> ParsePath(std::string_view text) {
  if (text.empty()) return Bad("must name a file");
  if (text.find('\0') != std::string_view::npos) return Bad("must not contain a zero byte");
  return std::string(text);
}

Result<PatternList> ParsePatternList(std::string_view text) {
  PatternList patterns;
  for (std::string_view part : SplitAt(text, ";+")) {
    if (part.empty()) return Bad("must be patterns joined by '+' or ';', none of them empty");
    patterns.emplace_back(part);
  }
  return patterns;
}

}  // namespace iprof::vm
