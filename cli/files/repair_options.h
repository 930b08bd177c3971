// RepairOptions: the class files that `iprof convert` is given. Without --edges, they repair the profile (fitness/repair.h).
//
// Example: `--classpath new.jar --old-classpath old.jar` writes a branch of old.jar at 20 where new.jar has it, at 31.
//
// Guarantees: given() is false without --classpath and --jdk, and then there is nothing to repair. Threads: main's. Failure: as ClassPath: an element that cannot
// be opened or is damaged.
#pragma once

#include <optional>
#include <string>

#include "cli/files/fit_check.h"
#include "cli/files/fitness/repair.h"
#include "cli/terminal/console.h"
#include "cli/terminal/json_text.h"
#include "cli/terminal/option_list.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"

namespace iprof::cli {

class RepairOptions {
 public:
  void AddTo(OptionList& options);
  bool given() const { return fit_.given(); }
  bool has_old() const { return old_.given(); }
  const std::string& class_path() const { return fit_.class_path; }
  const std::string& jdk_home() const { return fit_.jdk_home; }
  // Old class files alone are of no use.
  Status FindContradiction() const;
  Result<fitness::RepairedProfile> Repair(const Profile& profile) const;

 private:
  FitOptions fit_;
  FitOptions old_;
};

// "12 positions moved; dropped: 30 entries with 0.4 % of the weight (the code differs: 30)".
std::string Describe(const fitness::RepairCounts& counts);
// As a member "repair" of the object that is open.
void PrintRepair(JsonText& json, const fitness::RepairCounts& counts);

}  // namespace iprof::cli
