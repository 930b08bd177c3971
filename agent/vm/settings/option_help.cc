#include "agent/vm/settings/option_help.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "agent/vm/settings/option_details.h"
#include "agent/vm/settings/options.h"
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

std::string TableText() {
  std::string text =
      "iprofagent: writes GraalVM PGO profiles (.iprof) from any HotSpot JVM\n"
      "\n"
      "  java -agentpath:/path/to/libiprofagent.so[=option=value,...] ...\n"
      "\n";
  std::vector<Row> rows{{"option", "value", "default", "meaning"}};
  for (const OptionSpec& spec : OptionTable()) {
    rows.push_back(
        {std::string(spec.name), ValueSyntax(spec), DefaultOf(spec), std::string(spec.help)});
  }
  rows.push_back({"help", "", "", "prints this table and exits; help=OPTION explains one option"});
  size_t name = 0, value = 0, standard = 0;
  for (const Row& row : rows) {
    name = std::max(name, row.name.size());
    value = std::max(value, row.value.size());
    standard = std::max(standard, row.standard.size());
  }
  for (const Row& row : rows) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", row.name, name, row.value, value,
                        row.standard, standard, row.meaning);
  }
  text += "\n";
  for (const ModeSpec& mode : ModeTable()) {
    text += fmt::format("mode={} is short for {}\n", mode.name,
                        mode.options.empty() ? "the defaults" : mode.options);
  }
  return text;
}

}  // namespace

std::string HelpText(std::string_view option) {
  constexpr size_t kWidth = 100;
  if (option.empty()) return TableText();
  for (const OptionSpec& spec : OptionTable()) {
    if (spec.name != option) continue;
    return fmt::format("{}={}\ndefault: {}\n\n{}\n", spec.name, ValueSyntax(spec),
                       spec.default_value.empty() ? "none" : spec.default_value,
                       WrapText(Plain(DetailsOf(spec.name)), 0, kWidth));
  }
  return {};
}

std::string OptionReference() {
  std::string text = "| option | value | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const OptionSpec& spec : OptionTable()) {
    const std::string standard =
        spec.default_value.empty() ? "-" : fmt::format("`{}`", spec.default_value);
    text += fmt::format("| `{}` | {} | {} | {} |\n", spec.name, Cell(ValueSyntax(spec)), standard,
                        DetailsOf(spec.name));
  }
  return text;
}

}  // namespace iprof::vm
