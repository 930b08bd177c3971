#include "cli/option_kinds.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "writer/base/nearest_name.h"

namespace iprof::cli {
namespace {

std::string Join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += separator;
    out += word;
  }
  return out;
}

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
  if (share > 1) return fmt::format("'{}' is more than 1 (100%)", text);
  return {};
}

// Parses a decimal number, also with leading zeros. Returns what is wrong with the text, or an
// empty string.
std::string ParseCount(const std::string& text, size_t& count) {
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, count);
  if (parsed.ec == std::errc() && parsed.ptr == end) return {};
  return fmt::format("'{}' is not a whole number of 0 or more", text);
}

}  // namespace

CLI::Option* AddChoice(CLI::App& app, const std::string& name, std::string& value,
                       const std::vector<std::string>& choices, const std::string& description) {
  return app.add_option(name, value, description)
      ->type_name(Join(choices, "|"))
      ->check([choices](const std::string& given) -> std::string {
        for (const std::string& choice : choices) {
          if (given == choice) return {};
        }
        const std::string_view nearest = NearestName(given, choices);
        const std::string hint =
            nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
        return fmt::format("'{}' is not one of {}{}", given, Join(choices, ", "), hint);
      });
}

CLI::Option* AddFormat(CLI::App& app, std::string& format) {
  return AddChoice(app, "--format", format, {"text", "json"}, "Output format (default: text)");
}

CLI::Option* AddTarget(CLI::App& app, std::string& target) {
  std::vector<std::string> jdks;
  for (const ImageTarget each : kImageTargets) jdks.push_back(std::to_string(JdkOf(each)));
  return AddChoice(app, "--target", target, jdks,
                   "The JDK of the GraalVM that builds the image (default: what the profile says, "
                   "or " +
                       jdks.back() + ")");
}

ImageTarget TargetOf(const std::string& target, const std::optional<ImageNote>& note) {
  for (const ImageTarget each : kImageTargets) {
    if (target == std::to_string(JdkOf(each))) return each;
  }
  return note ? note->target : kNewestImageTarget;
}

CLI::Option* AddProfile(CLI::App& app, const std::string& name, std::string& path,
                        const std::string& description) {
  return app.add_option(name, path, description)->required()->type_name("FILE");
}

CLI::Option* AddShare(CLI::App& app, const std::string& name, double& share,
                      const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&share](const std::string& text) {
            double parsed = 0;
            if (ParseShare(text, parsed).empty()) share = parsed;
          },
          description)
      ->type_name("SHARE")
      ->check([](const std::string& text) {
        double ignored = 0;
        return ParseShare(text, ignored);
      });
}

CLI::Option* AddCount(CLI::App& app, const std::string& name, size_t& count,
                      const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&count](const std::string& text) {
            size_t parsed = 0;
            if (ParseCount(text, parsed).empty()) count = parsed;
          },
          description)
      ->type_name("N")
      ->check([](const std::string& text) {
        size_t ignored = 0;
        return ParseCount(text, ignored);
      });
}

void AddEverywhere(CLI::App& app, std::string& color) {
  AddChoice(app, "--color", color, {"auto", "always", "never"},
            "Colour the output (default: auto, on a terminal unless NO_COLOR is set)");
  app.set_help_flag("-h,--help", "Print this help and exit");
}

ColorMode ParseColor(const std::string& color) {
  return color == "always"  ? ColorMode::kAlways
         : color == "never" ? ColorMode::kNever
                            : ColorMode::kAuto;
}

}  // namespace iprof::cli
