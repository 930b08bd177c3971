#include "cli/files/filter_options.h"

#include <fmt/core.h>

#include <string_view>
#include <utility>

#include "cli/files/profile_files.h"
#include "writer/profile/io/event_part.h"

namespace iprof::cli {
namespace {

// Patterns may be joined, as in the agent's options.
constexpr std::string_view kSeparators = "+;";

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  for (size_t begin = 0;;) {
    const size_t end = text.find_first_of(kSeparators, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string ProblemOf(const std::string& text) {
  if (text.find(',') != std::string::npos)
    return fmt::format("'{}' contains a comma; join several with '+'", text);
  for (const std::string& part : Split(text)) {
    if (part.empty()) return fmt::format("'{}' has an empty part", text);
  }
  return {};
}

std::vector<std::string> SplitAll(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    for (std::string& part : Split(text)) all.push_back(std::move(part));
  }
  return all;
}

}  // namespace

void FilterOptions::AddTo(OptionList& options) {
  const auto add = [&](const std::string& name, std::vector<std::string>& values,
                       const std::string& takes, const std::string& description) {
    options.Add(name, values, description + " (repeatable, or joined by '+')")
        .OneValueEach()
        .Takes(takes)
        .Check(ProblemOf);
  };
  add("--include", include_, "PATTERN",
      "Only classes whose whole name matches, such as 'com.acme.*'");
  add("--exclude", exclude_, "PATTERN", "Leave out classes whose whole name matches");
  add("--package", packages_, "NAME", "Only classes of this package and those below it");
  options.AddFlag("--app", app_, "Only classes outside the JDK");
}

ProfileFilter FilterOptions::filter() const {
  return {.include = SplitAll(include_),
          .exclude = SplitAll(exclude_),
          .packages = SplitAll(packages_),
          .app = app_};
}

void WarnIfNothingMatches(Console& console, const std::string& path, const Profile& profile,
                          const ProfileFilter& filter) {
  for (const MethodIndex method : MethodsOf(profile)) {
    if (filter.Wants(profile, method)) return;
  }
  const EventTables events = EventsOf(profile);
  for (const EventTables::Method& method : events.methods()) {
    if (filter.Wants(method.type)) return;
  }
  console.Warn(
      fmt::format("{} has no class that matches: {}", NameOfInput(path), filter.Describe()));
}

Profile PartOf(Console& console, const std::string& path, Profile profile,
               const ProfileFilter& filter) {
  if (filter.empty()) return profile;
  WarnIfNothingMatches(console, path, profile, filter);
  return FilterProfile(profile, filter);
}

Result<Profile> ReadPart(Console& console, const std::string& path, const ProfileFilter& filter) {
  Result<Profile> profile = ReadInput(console, path);
  if (!profile.ok()) return profile;
  return PartOf(console, path, std::move(*profile), filter);
}

}  // namespace iprof::cli
