// SampleOption: --thread PATTERN, --from TIME and --to TIME, which keep some of a profile's samples: those of some threads, and
// those that were taken then (writer/profile/sample_threads.h).
//
// Example: --thread 'http-*' --to 10s keeps the samples of "http-nio-*-exec-*" in seconds 0 to 11 of the recording: second 10 is in
// the period from 8 on. Without '*' and '?', a pattern is the whole name.
//
// Guarantees: counts stay as they are. Threads: main's, which parses the command line.
// Failure: the selections warn, and return nullopt: the profile does not know what is asked for, or nothing matches.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"
#include "writer/profile/model.h"
#include "writer/profile/sample_threads.h"

namespace iprof::cli {

class SampleOption {
 public:
  void AddTo(OptionList& options);
  bool has_window() const { return from_row_.given() || to_row_.given(); }
  // What a profile must be read with.
  SampleLabels labels() const {
    return has_window() ? SampleLabels::kThreadsAndPeriods : SampleLabels::kThreads;
  }
  // The profile without labels, with the samples that are wanted. `path` names it in messages.
  std::optional<Profile> Select(Console& console, const std::string& path, Profile profile) const;
  // The same by time alone, with labels.
  std::optional<Profile> SelectTime(Console& console, const std::string& path,
                                    Profile profile) const;

 private:
  std::string pattern_;
  OptionRow from_row_;
  OptionRow to_row_;
  std::chrono::milliseconds from_{0};
  std::chrono::milliseconds to_{0};
};

// Whether the samples know their threads, or the periods in which they were taken; warns if not.
bool KnowsThreads(Console& console, const std::string& path, const Profile& profile);
bool KnowsPeriods(Console& console, const std::string& path, const Profile& profile);
// "main"; what is not known has a name, too. Escaped.
std::string ShownThread(std::string_view name);
// "4 s to 6 s", "from 49,152 s on"
std::string ShownPeriod(uint32_t begin);

}  // namespace iprof::cli
