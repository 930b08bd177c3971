// Command: one subcommand of iprof. CommandEntry: its row in the table from which main, help, man
// page and completions are made.
//
// A command is a thin layer: it declares its options, calls one operation of writer/, and prints
// the result. To add one, derive from Command, define its CommandEntry, declare it in file_entries.h
// or live_entries.h, and add it to commands.cc and CMakeLists.txt.
//
// Guarantees: nothing else in the tool depends on a single command.
// Threads: one; everything here is called from main's thread.
// Failure: Run prints a message and returns the exit code. main reports std::bad_alloc.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "cli/terminal/console.h"
#include "cli/terminal/exit_code.h"
#include "cli/terminal/option_list.h"

namespace iprof::cli {

class Command {
 public:
  virtual ~Command() = default;
  // Binds options to members. Completions offer what the type names say: FILE, DIR, or words joined
  // by '|'.
  virtual void Define(OptionList& options) = 0;
  virtual ExitCode Run(Console& console) = 0;
};

struct Example {
  std::string_view command;
  std::string_view what;
};

struct CommandEntry {
  std::string_view name;
  std::string_view summary;      // one line, no full stop
  std::string_view description;  // paragraphs, separated by a blank line
  std::span<const Example> examples;
  std::unique_ptr<Command> (*create)();
  bool hidden = false;  // not in help, man page and completions
};

}  // namespace iprof::cli
