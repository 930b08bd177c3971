#include "cli/reference.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>

#include "cli/entries.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/option_list.h"
#include "writer/base/join_text.h"
#include "writer/base/wrap_text.h"

namespace iprof::cli {
namespace {

constexpr Fact kExitCodes[] = {
    {"0", "success"},
    {"1",
     "findings: check saw violations or methods that do not fit, advise has doubts, diff "
     "--exit-code saw differences, "
     "merge or recover left inputs out, merge --strict saw other code, show --method matched "
     "nothing"},
    {"2", "usage: an unknown command or option, or arguments that contradict each other"},
    {"3",
     "bad input: a file is not a profile that iprof reads, or the agent cannot or may not run in a "
     "process"},
    {"4",
     "the operating system refused to open, read or write something, or was out of memory; a JVM "
     "did not answer; or another attach came first"},
    {"5", "no samples: top, or convert --to collapsed, found none in the profile"},
    {"6", "advise: an image build should not use the profile"},
    {"70", "a bug in iprof"},
};

constexpr Fact kEnvironment[] = {
    {"NO_COLOR", "if set and not empty, switches colour off unless --color=always is given"},
    {"TERM", "'dumb' switches colour and the progress bar off"},
};

std::string WrapParagraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find("\n\n");
    out += WrapText(text.substr(0, end), 0, 80) + "\n\n";
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 2);
  }
  return out;
}

void AppendEntry(std::string& out, std::string_view head, std::string_view text) {
  constexpr size_t kColumn = 28;
  out += fmt::format("  {}", head);
  if (head.size() + 4 > kColumn) {
    out += '\n';
    out.append(kColumn, ' ');
  } else {
    out.append(kColumn - 2 - head.size(), ' ');
  }
  out += WrapText(text, kColumn, 100) + "\n";
}

}  // namespace

std::span<const Fact> ExitCodeFacts() { return kExitCodes; }
std::span<const Fact> EnvironmentFacts() { return kEnvironment; }

std::vector<std::string> OptionDoc::Choices() const {
  std::vector<std::string> words;
  if (value.find('|') == std::string::npos) return words;
  size_t at = 0;
  for (size_t bar = value.find('|'); bar != std::string::npos; bar = value.find('|', at)) {
    words.push_back(value.substr(at, bar - at));
    at = bar + 1;
  }
  words.push_back(value.substr(at));
  return words;
}

std::string CommandDoc::Synopsis() const {
  std::string out = "iprof " + name + " [OPTION]...";
  for (const PositionalDoc& positional : positionals) {
    const std::string name_and_dots = positional.name + (positional.repeatable ? "..." : "");
    out += positional.required ? " " + name_and_dots : " [" + name_and_dots + "]";
  }
  return out;
}

CommandDoc Describe(const CommandEntry& entry) {
  CommandDoc doc;
  doc.name = entry.name;
  doc.summary = entry.summary;
  doc.description = entry.description;
  doc.examples.assign(entry.examples.begin(), entry.examples.end());
  CLI::App app;
  OptionList options(app);
  std::string color = "auto";
  const std::unique_ptr<Command> command = entry.create();
  command->Define(options);
  AddEverywhere(options, color);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      PositionalDoc positional;
      positional.name = option->get_name(true);
      positional.value = option->get_type_name();
      positional.description = option->get_description();
      positional.required = option->get_required();
      positional.repeatable = option->get_items_expected_max() > 1;
      doc.positionals.push_back(positional);
      continue;
    }
    OptionDoc described;
    for (const std::string& name : option->get_snames()) described.flags.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) described.flags.push_back("--" + name);
    if (option->get_items_expected_max() > 0) described.value = option->get_type_name();
    described.description = option->get_description();
    described.repeatable = option->get_items_expected_max() > 1;
    described.hidden = option->get_group().empty();
    doc.options.push_back(described);
  }
  return doc;
}

std::vector<CommandDoc> DescribeAll() {
  std::vector<CommandDoc> docs;
  for (const CommandEntry& entry : Commands()) {
    if (!entry.hidden) docs.push_back(Describe(entry));
  }
  return docs;
}

std::string HelpText(const CommandDoc& command) {
  std::string out =
      fmt::format("Usage: {}\n\n{}", command.Synopsis(), WrapParagraphs(command.description));
  if (!command.positionals.empty()) {
    out += "Arguments:\n";
    for (const PositionalDoc& positional : command.positionals) {
      AppendEntry(out, positional.name + (positional.repeatable ? "..." : ""),
                  positional.description);
    }
    out += '\n';
  }
  out += "Options:\n";
  for (const OptionDoc& option : command.options) {
    if (option.hidden) continue;
    std::string head = JoinText(option.flags, ", ");
    if (!option.value.empty()) head += " " + option.value;
    AppendEntry(out, head, option.description);
  }
  if (!command.examples.empty()) {
    out += "\nExamples:\n";
    for (const Example& example : command.examples) {
      out += fmt::format("  {}\n      {}\n", example.command, example.what);
    }
  }
  return out;
}

std::string OverviewText() {
  std::string out =
      "Usage: iprof COMMAND [OPTION]... [FILE]...\n\n"
      "Looks at, checks, merges and compares GraalVM PGO profiles (.iprof), and loads the agent\n"
      "that makes them into running JVMs.\n"
      "A FILE may be gzipped; '-' is standard input or output.\n\nCommands:\n";
  for (const CommandDoc& command : DescribeAll()) AppendEntry(out, command.name, command.summary);
  out += "\nExit codes:\n";
  for (const Fact& fact : ExitCodeFacts()) AppendEntry(out, fact.name, fact.meaning);
  out += "\nSee also 'iprof help COMMAND', 'iprof COMMAND --help' and 'man iprof'.\n";
  return out;
}

}  // namespace iprof::cli
