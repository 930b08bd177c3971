// The man page iprof(1) in troff, from the command definitions.
#include <fmt/core.h>

#include "cli/reference.h"

namespace iprof::cli {
namespace {

// Escapes text so that troff prints it literally: '-' must remain a minus, and a line must not
// start with a control character.
std::string Troff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if (c == '\'') {
      out += "\\(aq";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string Paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = text.find("\n\n");
    out += Troff(text.substr(0, end)) + "\n";
    if (end == std::string_view::npos) break;
    out += ".PP\n";
    text.remove_prefix(end + 2);
  }
  return out;
}

std::string OptionHead(const OptionDoc& option) {
  std::string head;
  for (const std::string& flag : option.flags) {
    if (!head.empty()) head += ", ";
    head += "\\fB" + Troff(flag) + "\\fR";
  }
  if (!option.value.empty()) head += " \\fI" + Troff(option.value) + "\\fR";
  return head;
}

void AppendCommand(std::string& out, const CommandDoc& command) {
  out += fmt::format(".SS {}\n", Troff(command.name));
  out += fmt::format(".B {}\n.PP\n", Troff(command.Synopsis()));
  out += Paragraphs(command.description);
  for (const PositionalDoc& positional : command.positionals) {
    out +=
        fmt::format(".TP\n\\fI{}\\fR\n{}\n", Troff(positional.name), Troff(positional.description));
  }
  for (const OptionDoc& option : command.options) {
    if (option.hidden) continue;
    out += fmt::format(".TP\n{}\n{}\n", OptionHead(option), Troff(option.description));
  }
}

void AppendFacts(std::string& out, std::span<const Fact> facts) {
  for (const Fact& fact : facts) {
    out += fmt::format(".TP\n.B {}\n{}\n", Troff(fact.name), Troff(fact.meaning));
  }
}

}  // namespace

std::string ManPage() {
  std::string out = fmt::format(".TH IPROF 1 \"\" \"iprof {}\" \"User Commands\"\n", IPROF_VERSION);
  out +=
      ".SH NAME\niprof \\- look at, check, merge and compare GraalVM PGO profiles\n"
      ".SH SYNOPSIS\n.B iprof\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIFILE\\fR]...\n"
      ".SH DESCRIPTION\n"
      "iprof works on the profiles (.iprof) that GraalVM\\(aqs native\\-image reads with "
      "\\fB\\-\\-pgo\\fR.\n"
      "It reads format versions 0.4.0 and 1.x, plain or gzipped;\n"
      "a file named \\fB\\-\\fR is standard input or output.\n"
      "The order of the output is always the same, so that outputs can be compared.\n"
      "Control characters in names are escaped.\n"
      "It also lists the running JVMs, and records profiles in them.\n"
      ".SH COMMANDS\n";
  const std::vector<CommandDoc> commands = DescribeAll();
  for (const CommandDoc& command : commands) AppendCommand(out, command);
  out += ".SH \"EXIT STATUS\"\n";
  AppendFacts(out, ExitCodeFacts());
  out += ".SH ENVIRONMENT\n";
  AppendFacts(out, EnvironmentFacts());
  out += ".SH EXAMPLES\n";
  for (const CommandDoc& command : commands) {
    for (const Example& example : command.examples) {
      out += fmt::format(".TP\n.B {}\n{}\n", Troff(example.command), Troff(example.what));
    }
  }
  out += ".SH \"SEE ALSO\"\n.BR native\\-image (1)\n";
  return out;
}

}  // namespace iprof::cli
