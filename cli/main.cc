// iprof: finds the command, parses its options, runs it, and turns every failure into a
// message and an exit code. Everything about a command is in its own file; commands.cc has the
// table of commands.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "cli/entries.h"
#include "cli/files/file_entries.h"
#include "cli/reference.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/option_list.h"
#include "cli/usage_errors.h"

namespace iprof::cli {
namespace {

ExitCode UsageError(Console& console, const std::string& message, std::string_view command) {
  const std::string where = command.empty() ? "" : " " + std::string(command);
  return console.Error(
      Status(Code::kUsage, fmt::format("{} (see 'iprof{} --help')", message, where)));
}

std::string UnexpectedArgument(const CLI::App& app, const CommandDoc& doc) {
  const CLI::Option* const output = app.get_option_no_throw("--output");
  return DescribeUnexpected(doc, app.remaining(), output != nullptr && output->count() != 0);
}

// CLI11 parses an argument "[a,b]" as a list of two, and no setting changes this. "./[a,b]" names
// the same file. Values of options are not changed.
void ProtectBrackets(const CLI::App& app, std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].starts_with('[') || !arguments[i].ends_with(']')) continue;
    const CLI::Option* before = i == 0 ? nullptr : app.get_option_no_throw(arguments[i - 1]);
    const bool is_value = before != nullptr && !before->get_positional() &&
                          arguments[i - 1].starts_with('-') && before->get_items_expected_max() > 0;
    if (!is_value) arguments[i].insert(0, "./");
  }
}

// "--output=~/x": most shells expand a '~' only where a word begins.
void ExpandHome(std::vector<std::string>& arguments) {
  const char* const home = std::getenv("HOME");
  if (home == nullptr) return;
  for (std::string& argument : arguments) {
    const size_t value = argument.find('=') + 1;  // 0 if there is none
    if (value > 0 && argument.starts_with("--") && argument.compare(value, 2, "~/") == 0)
      argument.replace(value, 1, home);
  }
}

ExitCode RunCommand(const CommandEntry& entry, std::vector<std::string> arguments,
                    Console& console) {
  CLI::App app;
  OptionList options(app);
  std::string color = "auto";
  const std::unique_ptr<Command> command = entry.create();
  command->Define(options);
  AddEverywhere(options, color);
  ProtectBrackets(app, arguments);
  ExpandHome(arguments);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    console.Write(HelpText(Describe(entry)));
    return ExitCode::kOk;
  } catch (const CLI::ExtrasError&) {
    return UsageError(console, UnexpectedArgument(app, Describe(entry)), entry.name);
  } catch (const CLI::RequiredError& error) {
    return UsageError(console, DescribeMissing(Describe(entry), error.what()), entry.name);
  } catch (const CLI::ParseError& error) {
    return UsageError(console, error.what(), entry.name);
  }
  console.SetColor(ParseColor(color));
  return command->Run(console);
}

ExitCode Dispatch(std::vector<std::string> arguments, Console& console) {
  if (!arguments.empty() && arguments.front() == "--") arguments.erase(arguments.begin());
  if (arguments.empty())
    return UsageError(console, "a command is missing, as in 'iprof show app.iprof'", "");
  std::string name = arguments.front();
  arguments.erase(arguments.begin());
  if (name == "-h" || name == "--help") name = "help";
  if (name == "-V" || name == "--version") name = "version";
  const CommandEntry* entry = FindCommand(name);
  if (entry == nullptr && NamesProfile(name)) {  // `iprof app.iprof`
    arguments.insert(arguments.begin(), name);
    entry = &kShowEntry;
  }
  return entry == nullptr ? UsageError(console, DescribeUnknownCommand(name), "")
                          : RunCommand(*entry, std::move(arguments), console);
}

}  // namespace
}  // namespace iprof::cli

int main(int argc, char** argv) {
  // A closed pipe must give EPIPE instead of a signal, so that output files are still finished and
  // we choose the exit code.
  std::signal(SIGPIPE, SIG_IGN);
  // A limit for the size of files (ulimit -f) must give EFBIG: the temporary file is removed then.
  std::signal(SIGXFSZ, SIG_IGN);
  iprof::cli::Console console;
  iprof::cli::ExitCode code;
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    code = iprof::cli::Dispatch(arguments, console);
  } catch (const std::bad_alloc&) {
    code = console.Error(iprof::Status(iprof::Code::kIo, "out of memory"));
  }
  return static_cast<int>(console.Finish(code));
}
