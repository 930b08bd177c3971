// ThreadOption: --thread PATTERN, which keeps of a profile's samples those of some threads (writer/profile/sample_threads.h).
//
// Example: --thread 'http-*' keeps the samples of "http-nio-*-exec-*". Without '*' and '?', it is the whole name.
//
// Guarantees: counts stay as they are. Threads: main's, which parses the command line.
// Failure: Select warns, and returns nullopt: the profile does not know the threads of its samples, or none matches.
#pragma once

#include <optional>
#include <string>

#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"
#include "writer/profile/model.h"

namespace iprof::cli {

class ThreadOption {
 public:
  void AddTo(OptionList& options);
  // The profile without threads, with the samples of those that are wanted. `path` names it in messages.
  std::optional<Profile> Select(Console& console, const std::string& path, Profile profile) const;

 private:
  std::string pattern_;
};

// Whether the samples know their threads; warns if not.
bool KnowsThreads(Console& console, const std::string& path, const Profile& profile);
// "main"; what is not known has a name, too. Escaped.
std::string ShownThread(std::string_view name);

}  // namespace iprof::cli
