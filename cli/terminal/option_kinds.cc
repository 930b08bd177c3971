#include "cli/terminal/option_kinds.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "agent/settings/option_values.h"
#include "writer/base/join_text.h"
#include "writer/base/nearest_name.h"
#include "writer/profile/io/format_version.h"

namespace iprof::cli {
namespace {

// Accepts a finite number >= 0, optionally followed by '%'. Returns what is wrong with the text, or
// an empty string.
std::string ParseShare(const std::string& text, double& share) {
  std::string_view digits = text;
  const bool percent = digits.ends_with('%');
  if (percent) digits.remove_suffix(1);
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, share);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(share) || share < 0) {
    return fmt::format("'{}' is not a share: a number from 0 to 1, or a percentage such as 5%",
                       text);
  }
  if (percent) share /= 100;
  if (share <= 1) return {};
  const bool is_percentage = !percent && share <= 100;
  return fmt::format("'{}' is more than 1 (100%){}", text,
                     is_percentage ? fmt::format("; did you mean '{}%'?", text) : std::string());
}

// Parses a decimal number, also with leading zeros. Returns what is wrong with the text, or an
// empty string.
std::string ParseCount(const std::string& text, size_t& count) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count);
  if (parsed.ec == std::errc() && parsed.ptr == end) return {};
  return fmt::format("'{}' is not a whole number of 0 or more", text);
}

// Parses "500ms", "30s", "10m", "2h". Returns what is wrong with the text, or an empty string.
std::string ParseTime(const std::string& text, std::chrono::milliseconds& time) {
  constexpr int64_t kMostHours = 24 * 366;
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  const std::string_view unit(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  int64_t unit_ms = 0;
  if (unit == "ms") unit_ms = 1;
  if (unit == "s") unit_ms = 1'000;
  if (unit == "m") unit_ms = 60'000;
  if (unit == "h") unit_ms = 3'600'000;
  if (parsed.ec != std::errc() || unit_ms == 0 || number <= 0 ||
      number > kMostHours * 3'600'000 / unit_ms) {
    const std::string nearest = number < 0 ? std::string() : vm::NearestDuration(text, "s");
    const bool is_known = !nearest.empty() && !nearest.starts_with('0') && !nearest.ends_with("us");
    return fmt::format("'{}' is not a time such as 500ms, 30s, 10m or 2h{}", text,
                       is_known ? fmt::format("; did you mean '{}'?", nearest) : std::string());
  }
  time = std::chrono::milliseconds(number * unit_ms);
  return {};
}

}  // namespace

OptionRow AddDuration(OptionList& options, const std::string& name, std::chrono::milliseconds& time,
                      const std::string& description) {
  return options
      .AddParsed(
          name, [&time](const std::string& text) { return ParseTime(text, time); }, description)
      .Takes("TIME");
}

OptionRow AddChoice(OptionList& options, const std::string& name, std::string& value,
                    const std::vector<std::string>& choices, const std::string& description) {
  return options.Add(name, value, description)
      .Takes(JoinText(choices, "|"))
      .Check([choices](const std::string& given) -> std::string {
        for (const std::string& choice : choices) {
          if (given == choice) return {};
        }
        const std::string_view nearest = NearestName(given, choices);
        const std::string hint =
            nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
        return fmt::format("'{}' is not one of {}{}", given, JoinText(choices, ", "), hint);
      });
}

std::vector<std::string> WrittenVersions() {
  return {kFormatVersions.begin(), kFormatVersions.end()};
}

OptionRow AddOutputVersion(OptionList& options, std::string& version,
                           const std::string& description) {
  std::vector<std::string> versions = WrittenVersions();
  versions.insert(versions.begin(), "auto");
  return AddChoice(options, "--output-version", version, versions, description);
}

OptionRow AddFormat(OptionList& options, std::string& format,
                    const std::vector<std::string>& others) {
  std::vector<std::string> formats{"text", "json"};
  formats.insert(formats.end(), others.begin(), others.end());
  return AddChoice(options, "--format", format, formats, "Output format (default: text)");
}

OptionRow AddProfile(OptionList& options, const std::string& name, std::string& path,
                     const std::string& description) {
  return options.Add(name, path, description).Required().Takes("FILE");
}

OptionRow AddShare(OptionList& options, const std::string& name, double& share,
                   const std::string& description) {
  return options
      .AddParsed(
          name, [&share](const std::string& text) { return ParseShare(text, share); }, description)
      .Takes("SHARE");
}

OptionRow AddCount(OptionList& options, const std::string& name, size_t& count,
                   const std::string& description) {
  return options
      .AddParsed(
          name, [&count](const std::string& text) { return ParseCount(text, count); }, description)
      .Takes("N");
}

void AddEverywhere(OptionList& options, std::string& color) {
  AddChoice(options, "--color", color, {"auto", "always", "never"},
            "Colour the output (default: auto, on a terminal unless NO_COLOR is set)");
  options.AddHelp("-h,--help", "Print this help and exit");
}

ColorMode ParseColor(const std::string& color) {
  return color == "always"  ? ColorMode::kAlways
         : color == "never" ? ColorMode::kNever
                            : ColorMode::kAuto;
}

}  // namespace iprof::cli
