// ProfileFilter: which part of a profile the user wants to see, by class; FilterProfile makes that part.
//
// A class is wanted if it matches an include pattern or lies in one of the packages (if any are given), is outside the
// JDK (with `app`), and matches no exclude pattern. Patterns are those of the agent's include= and exclude=: they
// match the whole name of the class with dots; '*' stands for any characters, '?' for one.
//
// An entry is kept if the class of its method is wanted; its callers do not matter. A sample is kept, as the whole
// stack, if the class of any of its frames is wanted; so are allocations and waits. Of the locked classes, those that are wanted are kept.
//
// FilterForBuild is for what is written for an image build, which may be given only a piece of a stack. It leaves out
// samples of which that piece has no wanted class. Example: acme.Main calls other.Task by reflection, so a build is given
// the piece "other.Task.run". A filter for acme.* keeps the stack for people, and leaves it out for a build.
//
// Guarantees: an empty filter wants every class. Both functions keep types, methods and entries in their order, with
// their file ids; they leave out methods that are neither wanted nor named by a kept entry. Extra keys are kept, but of
// estimates only those of methods that have calls (estimate_note.h). The input is not changed.
// Threads: any; const methods may run in parallel. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

struct ProfileFilter {
  std::vector<std::string> include = {};
  std::vector<std::string> exclude = {};
  std::vector<std::string> packages = {};  // with their subpackages
  bool app = false;                        // only what is outside the JDK

  bool empty() const { return include.empty() && exclude.empty() && packages.empty() && !app; }
  bool Wants(std::string_view class_name) const;
  bool Wants(const Profile& profile, MethodIndex method) const {
    return Wants(profile.TypeName(profile.DeclaringType(method)));
  }
  // "com.acme.* without *Test", for a heading.
  std::string Describe() const;
};

Profile FilterProfile(const Profile& from, const ProfileFilter& filter);
Profile FilterForBuild(const Profile& from, const ProfileFilter& filter);

}  // namespace iprof
