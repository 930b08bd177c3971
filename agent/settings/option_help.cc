#include "agent/settings/option_help.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "agent/settings/option_details.h"
#include "agent/settings/options.h"
#include "writer/base/wrap_text.h"

namespace iprof::vm {
namespace {

struct Row {
  std::string name, value, standard, meaning;
};

std::string DefaultOf(const OptionSpec& spec) {
  return spec.default_value.empty() ? "-" : std::string(spec.default_value);
}

// Markdown without its marks: of a link only its text.
std::string Plain(std::string_view markdown) {
  std::string text;
  for (size_t at = 0; at < markdown.size(); ++at) {
    const char c = markdown[at];
    if (c == '`' || c == '[') continue;
    if (c == ']') {
      const size_t end = markdown.find(')', at);
      const bool is_link = markdown.substr(at).starts_with("](") && end != std::string_view::npos;
      if (is_link) at = end;
      continue;
    }
    text += c;
  }
  return text;
}

// What a table's cell shows of a value's syntax.
std::string Cell(std::string syntax) {
  for (size_t at = 0; (at = syntax.find('|', at)) != std::string::npos; at += 2)
    syntax.insert(at, "\\");
  return "`" + syntax + "`";
}

using Rows = std::vector<Row>;

Rows RowsFor(Audience audience) {
  Rows rows{{"option", "value", "default", "meaning"}};
  for (const OptionSpec& spec : OptionTable()) {
    if (spec.audience != audience) continue;
    rows.push_back(
        {std::string(spec.name), ValueSyntax(spec), DefaultOf(spec), std::string(spec.help)});
  }
  return rows;
}

// Lines whose columns begin at the same places.
std::string Aligned(const Rows& rows) {
  size_t name = 0, value = 0, standard = 0;
  for (const Row& row : rows) {
    name = std::max(name, row.name.size());
    value = std::max(value, row.value.size());
    standard = std::max(standard, row.standard.size());
  }
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", row.name, name, row.value, value,
                        row.standard, standard, row.meaning);
  }
  return text;
}

std::string Modes() {
  std::string text;
  for (const ModeSpec& mode : ModeTable()) {
    text += fmt::format("mode={} is short for {}\n", mode.name,
                        mode.options.empty() ? "the defaults" : mode.options);
  }
  return text;
}

std::string UsersText() {
  Rows rows = RowsFor(Audience::kUsers);
  rows.push_back({"help", "", "", "print this and exit; help=OPTION explains one option"});
  return "iprofagent: writes GraalVM PGO profiles (.iprof) from any HotSpot JVM\n"
         "\n"
         "  java -agentpath:/path/to/libiprofagent.so[=option=value,...] ...\n"
         "\n" +
         Aligned(rows) + "\n" + Modes();
}

std::string ExpertsText() {
  return "Options that few users need:\n\n" + Aligned(RowsFor(Audience::kExperts));
}

std::string MoreText() {
  const auto more = std::ranges::count(OptionTable(), Audience::kExperts, &OptionSpec::audience);
  return fmt::format("help={} also shows {} options that few users need\n", kHelpAboutAll, more);
}

// One part of the reference: a Markdown table.
std::string ReferenceTable(Audience audience) {
  std::string text = "| option | value | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const OptionSpec& spec : OptionTable()) {
    if (spec.audience != audience) continue;
    const std::string standard =
        spec.default_value.empty() ? "-" : fmt::format("`{}`", spec.default_value);
    text += fmt::format("| `{}` | {} | {} | {} |\n", spec.name, Cell(ValueSyntax(spec)), standard,
                        DetailsOf(spec.name));
  }
  return text;
}

}  // namespace

std::string HelpText(std::string_view about) {
  constexpr size_t kWidth = 100;
  if (about.empty()) return UsersText() + "\n" + MoreText();
  if (about == kHelpAboutAll) return UsersText() + "\n" + ExpertsText();
  for (const OptionSpec& spec : OptionTable()) {
    if (spec.name != about) continue;
    return fmt::format("{}={}\ndefault: {}\n\n{}\n", spec.name, ValueSyntax(spec),
                       spec.default_value.empty() ? "none" : spec.default_value,
                       WrapText(Plain(DetailsOf(spec.name)), 0, kWidth));
  }
  return {};
}

std::string OptionReference() {
  return "## Options that most users need\n\n" + ReferenceTable(Audience::kUsers) +
         "\n## Options that few users need\n\n" +
         "Their defaults are right for nearly all programs. Other pages name the option to change "
         "where it helps.\n\n" +
         ReferenceTable(Audience::kExperts);
}

}  // namespace iprof::vm
