#include "cli/files/sample_option.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/files/profile_files.h"
#include "cli/terminal/option_kinds.h"
#include "cli/terminal/terminal_text.h"
#include "writer/base/glob.h"
#include "writer/base/grouped.h"
#include "writer/base/time_period.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {

void SampleOption::AddTo(OptionList& options) {
  options
      .Add("--thread", pattern_,
           "Only samples of threads with this name, such as 'pool-*' (needs a profile that was "
           "recorded with threads=y)")
      .Takes("PATTERN");
  from_row_ = AddDuration(options, "--from", from_,
                          "Only samples from this time of the recording on; samples know it in "
                          "periods, from second 0, 1, 2, 3, 4, 6, 8, 12 and so on");
  to_row_ = AddDuration(options, "--to", to_, "Only samples before this time of the recording");
}

std::optional<Profile> SampleOption::Select(Console& console, const std::string& path,
                                            Profile profile) const {
  if (has_window()) {
    std::optional<Profile> selected = SelectTime(console, path, std::move(profile));
    if (!selected) return std::nullopt;
    profile = std::move(*selected);
  }
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

std::optional<Profile> SampleOption::SelectTime(Console& console, const std::string& path,
                                                Profile profile) const {
  if (!has_window()) return profile;
  if (!KnowsPeriods(console, path, profile)) return std::nullopt;
  constexpr int64_t kSecondMs = 1000;
  const auto from = static_cast<uint64_t>(from_.count() / kSecondMs);
  const uint64_t to = to_row_.given()
                          ? static_cast<uint64_t>((to_.count() + kSecondMs - 1) / kSecondMs)
                          : UINT64_MAX;
  if (from >= to) {
    console.Warn("--from is not before --to, so there are no samples");
    return std::nullopt;
  }
  Profile selected = SamplesOfPeriods(profile, from, to);
  const std::vector<PeriodSamples> periods = PeriodsOf(selected);
  if (periods.empty()) {
    std::string known;
    for (const PeriodSamples& period : PeriodsOf(profile))
      known += (known.empty() ? "" : ", ") + ShownPeriod(period.begin);
    console.Warn(
        fmt::format("{} has no samples of that time, but of: {}", NameOfInput(path), known));
    return std::nullopt;
  }
  const uint32_t first = BeginOf(PeriodAt(from));
  if (first < from)
    console.Warn(fmt::format("samples know their time in periods: these are those from {} s on",
                             Grouped(first)));
  const uint32_t last = PeriodAt(to - 1);
  if (to_row_.given() && last < kLastPeriod && BeginOf(last + 1) > to)
    console.Warn(fmt::format("samples know their time in periods: these are those up to {} s",
                             Grouped(BeginOf(last + 1))));
  return selected;
}

bool KnowsThreads(Console& console, const std::string& path, const Profile& profile) {
  if (KnowsThreads(profile)) return true;
  console.Warn(NameOfInput(path) +
               " does not say which threads its samples are of: record with threads=y");
  return false;
}

bool KnowsPeriods(Console& console, const std::string& path, const Profile& profile) {
  if (!PeriodsOf(profile).empty()) return true;
  console.Warn(NameOfInput(path) +
               (profile.entry_count(Table::kSamples) == 0
                    ? " has no samples"
                    : " does not say when its samples were taken: an earlier version or another "
                      "program recorded them"));
  return false;
}

std::string ShownThread(std::string_view name) {
  return name.empty() ? "(not known)" : EscapeForTerminal(name);
}

std::string ShownPeriod(uint32_t begin) {
  const uint32_t period = PeriodAt(begin);
  if (period == kLastPeriod) return fmt::format("from {} s on", Grouped(begin));
  return fmt::format("{} s to {} s", Grouped(begin), Grouped(BeginOf(period + 1)));
}

}  // namespace iprof::cli
