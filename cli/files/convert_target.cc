#include "cli/files/convert_target.h"

#include <fmt/core.h>

#include <algorithm>

#include "writer/base/join_text.h"
#include "writer/base/nearest_name.h"
#include "writer/base/option_text.h"
#include "writer/profile/io/format_version.h"

namespace iprof::cli {
namespace {

// What people type, and what they get.
struct Hint {
  std::string_view word;
  std::string_view instead;
};
constexpr std::string_view kFlameGraph =
    "'iprof report' draws a flame graph in a page; 'collapsed' is the input of other tools that "
    "draw one";
constexpr Hint kHints[] = {
    {"html", "an HTML page is written by 'iprof report'"},
    {"report", "an HTML page is written by 'iprof report'"},
    {"json", "did you mean 'pretty'?"},
    {"text", "'iprof show' prints a profile as text"},
    {"txt", "'iprof show' prints a profile as text"},
    {"folded", "did you mean 'collapsed'?"},
    {"stacks", "did you mean 'collapsed'?"},
    {"flamegraph", kFlameGraph},
    {"flame", kFlameGraph},
    {"svg", kFlameGraph},
    {"proto", "did you mean 'pprof'?"},
    {"pb.gz", "did you mean 'pprof'?"},
    {"info", "did you mean 'lcov'?"},
    {"coverage", "did you mean 'lcov', or 'jacoco'?"},
    {"xml", "did you mean 'jacoco'?"},
    {"gzip", "--gzip compresses the output, or a name that ends in .gz"},
    {"gz", "--gzip compresses the output, or a name that ends in .gz"},
};

constexpr std::string_view kDataSet = "parquet";

// "iprof@1.0.0 or iprof@1.1.0"
std::string VersionsOf(std::string_view name, std::string_view separator) {
  std::vector<std::string> versions;
  for (const std::string_view version : kFormatVersions)
    versions.push_back(fmt::format("{}@{}", name, version));
  return JoinText(versions, separator);
}

std::string Refusal(std::string_view text) {
  const std::vector<std::string> names = ConvertTarget::Names();
  const auto* const hint = std::find_if(std::begin(kHints), std::end(kHints),
                                        [&](const Hint& each) { return each.word == text; });
  const std::string refusal =
      fmt::format("'{}' is not one of {}", ShownOption(text), JoinText(names, ", "));
  if (hint != std::end(kHints)) return fmt::format("{}; {}", refusal, hint->instead);
  if (ParseFormatVersion(text).ok())
    return fmt::format("{}; did you mean 'iprof@{}'?", refusal, text);
  const std::string_view nearest = NearestName(text, names);
  return nearest.empty() ? refusal : fmt::format("{}; did you mean '{}'?", refusal, nearest);
}

}  // namespace

std::string ConvertTarget::Parse(std::string_view text, ConvertTarget& target) {
  target = {};
  const size_t at = text.find('@');
  const std::string_view name = text.substr(0, at);
  if (name == "pretty" || name == "iprof") {
    target.pretty = name == "pretty";
    if (at == std::string_view::npos) return {};
    target.version = text.substr(at + 1);
    if (ParseFormatVersion(target.version).ok()) return {};
    return fmt::format("'{}' names no version that can be written: {} can", ShownOption(text),
                       VersionsOf(name, " and "));
  }
  if (text == kDataSet) {
    target.data_set = true;
    return {};
  }
  if (const ExportFormat* const format = FindExportFormat(name);
      format != nullptr && format->parse != nullptr) {
    target.other = format;
    return at == std::string_view::npos ? std::string()
                                        : format->parse(text.substr(at + 1), target.options);
  }
  target.other = FindExportFormat(text);
  return target.other != nullptr ? std::string() : Refusal(text);
}

std::vector<std::string> ConvertTarget::Names() {
  std::vector<std::string> names{"pretty", "iprof"};
  for (const ExportFormat& format : ExportFormats()) names.emplace_back(format.name);
  names.emplace_back(kDataSet);
  return names;
}

std::string ConvertTarget::Description() {
  std::string text =
      "pretty: one type, method or entry a line; iprof: minified; both also in "
      "a version of the format, " +
      VersionsOf("iprof", " or ");
  for (const ExportFormat& format : ExportFormats())
    text += fmt::format("; {}: {}", format.name, format.help);
  text += fmt::format("; {}: one count a row, in the folder of a data set", kDataSet);
  return text;
}

}  // namespace iprof::cli
