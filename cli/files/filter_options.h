// The options that select a part of a profile by class: --include, --exclude, --package, --app. ReadPart reads a
// profile and keeps that part.
//
// Guarantees: every command has the same options with the same meaning (writer/ops/profile_filter.h).
// Threads: main's, which parses the command line.
// Failure: ReadPart fails as ReadInput (profile_files.h). It warns if the part is empty because no class matches.
#pragma once

#include <string>
#include <vector>

#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"
#include "writer/ops/profile_filter.h"

namespace iprof::cli {

class FilterOptions {
 public:
  void AddTo(OptionList& options);
  ProfileFilter filter() const;  // after parsing

 private:
  std::vector<std::string> include_;
  std::vector<std::string> exclude_;
  std::vector<std::string> packages_;
  bool app_ = false;
};

// The part of a profile that was read from `path`, with ReadPart's warning.
Profile PartOf(Console& console, const std::string& path, Profile profile,
               const ProfileFilter& filter);
Result<Profile> ReadPart(Console& console, const std::string& path, const ProfileFilter& filter);

// Warns if the filter wants none of the profile's classes.
void WarnIfNothingMatches(Console& console, const std::string& path, const Profile& profile,
                          const ProfileFilter& filter);

}  // namespace iprof::cli
