// The description of every command and option, read from the same CLI11 definitions that parse the
// command line. Help, man page and completions are printed from it, so they always match the
// parser.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/command.h"

namespace iprof::cli {

struct OptionDoc {
  std::vector<std::string> flags;  // "-n", "--topn"
  std::string value;               // type name: N, FILE, text|json; empty for a flag
  std::string description;
  bool repeatable = false;
  bool hidden = false;  // accepted, but not listed

  // The possible words, if the value is one of a few.
  std::vector<std::string> Choices() const;
};

struct PositionalDoc {
  std::string name;
  std::string value;
  std::string description;
  bool required = false;
  bool repeatable = false;
};

struct CommandDoc {
  std::string name;
  std::string summary;
  std::string description;
  std::vector<Example> examples;
  std::vector<OptionDoc> options;
  std::vector<PositionalDoc> positionals;

  // "iprof show [OPTION]... FILE"
  std::string Synopsis() const;
};

CommandDoc Describe(const CommandEntry& entry);
// Every command that is not hidden.
std::vector<CommandDoc> DescribeAll();

// The texts of --help of one command, of `iprof help` and of the generated files.
std::string HelpText(const CommandDoc& command);
std::string OverviewText();
std::string ManPage();
std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

// The exit codes and environment variables, for help and man page.
struct Fact {
  std::string_view name;
  std::string_view meaning;
};
std::span<const Fact> ExitCodeFacts();
std::span<const Fact> EnvironmentFacts();

}  // namespace iprof::cli
