// ClassNotes: source lines, names of callees and lengths of code from class files, for profiles that have none: options
// --classes and --jdk, and what they do to a profile that was read.
//
// Guarantees: adds notes (Profile::notes) of positions that have none, and the length of a method's code, with its hash. A method whose code is known to be another than
// the class file's gets none. Nothing else of the profile changes.
// Threads: main's. Failure: as ClassPath: an element that cannot be opened or is damaged, or a damaged class. Methods
// with other code are counted in a warning.
#pragma once

#include <string>

#include "cli/classpath/class_path.h"
#include "cli/terminal/console.h"
#include "cli/terminal/option_list.h"
#include "writer/profile/model.h"

namespace iprof::cli {

// The class files for a profile, as its JVM saw them (multi-release jars). Both places may be empty.
Result<classpath::ClassPath> OpenClasses(const Profile& profile, const std::string& class_path,
                                         const std::string& jdk_home);

class ClassFileOptions {
 public:
  void AddTo(OptionList& options);
  bool given() const { return !classes_.empty() || !jdk_.empty(); }
  const std::string& classes() const { return classes_; }
  const std::string& jdk() const { return jdk_; }
  Status AddNotes(Console& console, Profile& profile) const;
  // The class files for a profile; none if no option was given.
  Result<classpath::ClassPath> Open(const Profile& profile) const;

 private:
  std::string classes_;
  std::string jdk_;
};

}  // namespace iprof::cli
