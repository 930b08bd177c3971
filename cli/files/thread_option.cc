#include "cli/files/thread_option.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "cli/files/profile_files.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/glob.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {

void ThreadOption::AddTo(OptionList& options) {
  options
      .Add("--thread", pattern_,
           "Only samples of threads with this name, such as 'pool-*' (needs a profile that was "
           "recorded with threads=y)")
      .Takes("PATTERN");
}

std::optional<Profile> ThreadOption::Select(Console& console, const std::string& path,
                                            Profile profile) const {
  if (pattern_.empty()) return WithoutThreads(std::move(profile));
  if (!KnowsThreads(console, path, profile)) return std::nullopt;
  const auto wants = [&](std::string_view name) {
    return !name.empty() && GlobMatches(pattern_, name);
  };
  std::string names;
  for (const ThreadSamples& thread : ThreadsOf(profile)) {
    if (wants(thread.name)) return SamplesOfThreads(profile, wants);
    names += (names.empty() ? "" : ", ") + ShownThread(thread.name);
  }
  console.Warn(fmt::format("{} has no samples of threads that match '{}', but of: {}",
                           NameOfInput(path), pattern_, names));
  return std::nullopt;
}

bool KnowsThreads(Console& console, const std::string& path, const Profile& profile) {
  if (ThreadFrames(profile).any()) return true;
  console.Warn(NameOfInput(path) +
               " does not say which threads its samples are of: record with threads=y");
  return false;
}

std::string ShownThread(std::string_view name) {
  return name.empty() ? "(not known)" : EscapeForTerminal(name);
}

}  // namespace iprof::cli
