#include "cli/usage_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cli/entries.h"
#include "cli/files/profile_names.h"
#include "writer/base/nearest_name.h"

namespace iprof::cli {
namespace {

constexpr std::string_view kNoVerbose = "nothing prints more; 'iprof --version' prints the version";

bool AsksForVerbose(std::string_view option) { return option == "-v" || option == "--verbose"; }

// ", as in 'iprof diff old.iprof new.iprof'"
std::string AsInExample(const CommandDoc& command) {
  return command.examples.empty() ? std::string()
                                  : fmt::format(", as in '{}'", command.examples.front().command);
}

// The end of the sentence; empty if there is nothing to suggest.
std::string InsteadOf(const CommandDoc& command, const std::string& option) {
  const bool is_letter = option.size() == 2 && option[1] != '-';
  const std::string_view word = std::string_view(option).substr(is_letter ? 1 : 2);
  std::vector<std::string> flags;
  for (const OptionDoc& each : command.options) {
    if (!each.hidden) flags.insert(flags.end(), each.flags.begin(), each.flags.end());
  }
  const auto starts = [&](const std::string& flag) {
    return flag.starts_with("--" + option.substr(1));
  };
  if (const auto found = std::find_if(flags.begin(), flags.end(), starts);
      is_letter && found != flags.end())
    return fmt::format("; did you mean '{}'?", *found);
  for (const PositionalDoc& each : command.positionals) {
    if (is_letter ? each.name.starts_with(word) : each.name == word)
      return fmt::format(": give the {} without an option{}", each.name, AsInExample(command));
  }
  if (AsksForVerbose(option)) return fmt::format(": {}", kNoVerbose);
  const std::string_view nearest = NearestName(option, flags);
  return nearest.empty() ? std::string() : fmt::format("; did you mean '{}'?", nearest);
}

bool HasOutput(const CommandDoc& command) {
  return std::any_of(command.options.begin(), command.options.end(), [](const OptionDoc& option) {
    return std::find(option.flags.begin(), option.flags.end(), "--output") != option.flags.end();
  });
}

}  // namespace

std::string DescribeUnexpected(const CommandDoc& command, std::span<const std::string> extras,
                               bool has_output) {
  if (extras.empty()) return "unexpected argument";
  if (extras.size() > 1 && extras.front() == "--")
    return fmt::format("unexpected argument '{}' behind '--'", extras[1]);
  const std::string& given = extras.front();
  if (given.starts_with('-') && given != "-") {
    const std::string option = given.substr(0, given.find('='));
    return fmt::format("unknown option '{}'{}", option, InsteadOf(command, option));
  }
  const bool may_be_output = HasOutput(command) && !has_output;
  return fmt::format(
      "unexpected argument '{0}'{1}", given,
      may_be_output ? fmt::format("; if it is the output, write '-o {}'", given) : "");
}

std::string DescribeMissing(const CommandDoc& command, std::string_view problem) {
  return fmt::format("{}{}", problem, AsInExample(command));
}

std::string DescribeUnknownCommand(const std::string& name) {
  if (AsksForVerbose(name)) return fmt::format("unknown option '{}': {}", name, kNoVerbose);
  std::vector<std::string> names;
  for (const CommandEntry& entry : Commands()) {
    if (!entry.hidden) names.emplace_back(entry.name);
  }
  const std::string_view nearest = NearestName(name, names);
  const bool is_option = name.starts_with('-');
  const std::string instead =
      !nearest.empty() ? fmt::format("; did you mean '{}'?", nearest)
      : is_option      ? ": options come after a command, as in 'iprof show --app app.iprof'"
                       : std::string();
  return fmt::format("unknown {} '{}'{}", is_option ? "option" : "command", name, instead);
}

bool NamesProfile(const std::string& name) {
  std::error_code not_there;
  return HasProfileName(name) || std::filesystem::is_regular_file(name, not_there);
}

}  // namespace iprof::cli
