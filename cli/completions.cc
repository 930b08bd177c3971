// Completion scripts for bash, zsh and fish, from the command definitions. All quoted text comes
// from our own definitions, never from user input. The quoting is complete nevertheless, so that a
// description may contain quotes and brackets.
#include <fmt/core.h>

#include "cli/reference.h"
#include "writer/base/join_text.h"

namespace iprof::cli {
namespace {

std::string Replaced(std::string_view text, char what, std::string_view with) {
  std::string out;
  for (const char c : text) {
    if (c == what) {
      out += with;
    } else {
      out += c;
    }
  }
  return out;
}

// 'text' for sh, zsh: a quote ends the string, an escaped quote follows, a new string starts.
std::string ShellQuoted(std::string_view text) { return "'" + Replaced(text, '\'', "'\\''") + "'"; }

std::string FishQuoted(std::string_view text) {
  return "'" + Replaced(Replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
}

// Brackets and colons structure a zsh argument spec.
std::string ZshText(std::string_view text) {
  return Replaced(Replaced(Replaced(text, '[', "\\["), ']', "\\]"), ':', "\\:");
}

bool TakesFiles(const CommandDoc& command) {
  for (const PositionalDoc& positional : command.positionals) {
    if (positional.value == "FILE") return true;
  }
  return false;
}

std::string CommandNames(const std::vector<CommandDoc>& commands) {
  std::vector<std::string_view> names;
  for (const CommandDoc& command : commands) names.push_back(command.name);
  return JoinText(names, " ");
}

std::string BashValueReply(const OptionDoc& option) {
  if (const auto choices = option.Choices(); !choices.empty()) {
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$current\"))", JoinText(choices, " "));
  }
  if (option.value.ends_with("FILE")) return "COMPREPLY=($(compgen -f -- \"$current\"))";
  if (option.value == "DIR") return "COMPREPLY=($(compgen -d -- \"$current\"))";
  return "COMPREPLY=()";
}

std::string ZshAction(const std::string& value, const std::vector<std::string>& choices) {
  if (!choices.empty()) return fmt::format("({})", JoinText(choices, " "));
  if (value.ends_with("FILE")) return "_files";
  if (value == "DIR") return "_files -/";
  return " ";
}

}  // namespace

std::string BashCompletion() {
  const std::vector<CommandDoc> commands = DescribeAll();
  std::string out = fmt::format(
      "# bash completion for iprof; generated from the tool's own definitions.\n"
      "_iprof() {{\n"
      "  local current=\"${{COMP_WORDS[COMP_CWORD]}}\" previous=\"${{COMP_WORDS[COMP_CWORD-1]}}\"\n"
      "  local command=\"${{COMP_WORDS[1]}}\"\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '{}' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  if [ \"$previous\" = '=' ] && [ \"$COMP_CWORD\" -gt 2 ]; then\n"
      "    previous=\"${{COMP_WORDS[COMP_CWORD-2]}}\"\n"
      "  fi\n"
      "  if [ \"$current\" = '=' ]; then current=''; fi\n"
      "  case \"$command\" in\n",
      CommandNames(commands));
  for (const CommandDoc& command : commands) {
    out += fmt::format("    {})\n      case \"$previous\" in\n", command.name);
    std::string flags;
    for (const OptionDoc& option : command.options) {
      if (option.hidden) continue;
      for (const std::string& flag : option.flags) flags += (flags.empty() ? "" : " ") + flag;
      if (option.value.empty()) continue;
      std::string pattern;
      for (const std::string& flag : option.flags) pattern += (pattern.empty() ? "" : "|") + flag;
      out += fmt::format("        {}) {}; return ;;\n", pattern, BashValueReply(option));
    }
    out += fmt::format(
        "      esac\n"
        "      case \"$current\" in\n"
        "        -*) COMPREPLY=($(compgen -W '{}' -- \"$current\")) ;;\n",
        flags);
    if (command.name == "help") {
      out += fmt::format("        *) COMPREPLY=($(compgen -W '{}' -- \"$current\")) ;;\n",
                         CommandNames(commands));
    } else if (TakesFiles(command)) {
      out += "        *) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n";
    }
    out += "      esac\n      ;;\n";
  }
  out += "  esac\n}\ncomplete -o filenames -F _iprof iprof\n";
  return out;
}

std::string ZshCompletion() {
  const std::vector<CommandDoc> commands = DescribeAll();
  std::string out =
      "#compdef iprof\n"
      "# zsh completion for iprof; generated from the tool's own definitions.\n"
      "_iprof() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (const CommandDoc& command : commands) {
    out += "    " + ShellQuoted(command.name + ":" + ZshText(command.summary)) + "\n";
  }
  out +=
      "  )\n"
      "  if (( CURRENT == 2 )); then\n"
      "    _describe 'command' commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandDoc& command : commands) {
    out += fmt::format("    {})\n      _arguments -s -S", command.name);
    for (const OptionDoc& option : command.options) {
      if (option.hidden) continue;
      for (const std::string& flag : option.flags) {
        std::string spec = (option.repeatable ? "*" : "") + flag;
        if (!option.value.empty() && flag.starts_with("--")) spec += "=";
        spec += "[" + ZshText(option.description) + "]";
        if (!option.value.empty()) {
          spec += ":" + ZshText(option.value) + ":" + ZshAction(option.value, option.Choices());
        }
        out += " \\\n        " + ShellQuoted(spec);
      }
    }
    if (command.name == "help") {
      out += " \\\n        " + ShellQuoted("1:command:(" + CommandNames(commands) + ")");
    } else if (TakesFiles(command)) {
      out += " \\\n        '*:profile:_files'";
    }
    out += "\n      ;;\n";
  }
  out += "  esac\n}\n_iprof \"$@\"\n";
  return out;
}

std::string FishCompletion() {
  const std::vector<CommandDoc> commands = DescribeAll();
  std::string out =
      "# fish completion for iprof; generated from the tool's own definitions.\n"
      "complete -c iprof -f\n";
  for (const CommandDoc& command : commands) {
    out += fmt::format("complete -c iprof -n __fish_use_subcommand -a {} -d {}\n", command.name,
                       FishQuoted(command.summary));
  }
  for (const CommandDoc& command : commands) {
    const std::string condition =
        FishQuoted(fmt::format("__fish_seen_subcommand_from {}", command.name));
    for (const OptionDoc& option : command.options) {
      if (option.hidden) continue;
      out += "complete -c iprof -n " + condition;
      for (const std::string& flag : option.flags) {
        out += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
      }
      if (!option.value.empty()) {
        out += " -r";
        if (const auto choices = option.Choices(); !choices.empty()) {
          out += " -a " + FishQuoted(JoinText(choices, " "));
        } else if (option.value.ends_with("FILE")) {
          out += " -F";
        } else if (option.value == "DIR") {
          out += " -a '(__fish_complete_directories)'";
        }
      }
      out += " -d " + FishQuoted(option.description) + "\n";
    }
    if (command.name == "help") {
      out +=
          "complete -c iprof -n " + condition + " -a " + FishQuoted(CommandNames(commands)) + "\n";
    } else if (TakesFiles(command)) {
      out += "complete -c iprof -n " + condition + " -F\n";
    }
  }
  return out;
}

}  // namespace iprof::cli
