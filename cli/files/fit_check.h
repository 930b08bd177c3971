// FitCheck: `iprof check --classpath`: compares a profile with class files (cli/files/fitness), and prints
// what was found.
//
// Guarantees: percentages are rounded down, so that 100.0 % means everything. Names are escaped for
// terminals. Threads: one. Failure: a Status that names the class path's element or the JDK.
#pragma once

#include <optional>
#include <string>

#include "cli/classpath/class_path.h"
#include "cli/files/fitness/fitness.h"
#include "cli/terminal/console.h"
#include "cli/terminal/json_text.h"
#include "writer/base/status.h"
#include "writer/ops/advice.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/model.h"

namespace iprof::cli {

struct FitOptions {
  std::string class_path;  // as the java command takes it; may be empty
  std::string jdk_home;    // may be empty
  // For which JDK lambdas must have their names; empty: that in jdk_home, or the profile's target.
  std::optional<ImageTarget> target;

  bool given() const { return !class_path.empty() || !jdk_home.empty(); }
};

// The class files, and how a profile is compared with them.
struct FitClasses {
  std::optional<classpath::ClassPath> classes;
  fitness::FitnessOptions options;
  int names_jdk = 0;             // for which JDK lambdas must have their names
  std::string jdk_version;       // of the JDK that is compared with; empty: none
  std::string recorded_version;  // of the JVM of the newest run, as far as the profile says it
};
Result<FitClasses> OpenFitClasses(const Profile& profile, const FitOptions& options);

struct FitResult {
  fitness::Fitness fitness;
  int names_jdk = 0;
  std::string jdk_version;
  std::string recorded_version;
};

// What AdviseOn (writer/ops/advice.h) wants to know of it.
FitFacts FactsOf(const fitness::Fitness& fit);

Result<FitResult> CheckFit(const Profile& profile, const FitOptions& options);

struct FitPrinting {
  bool summary_only = false;
  size_t most_stale = 0;  // 0: all
};
void PrintFit(Console& console, const std::string& name, const FitResult& result,
              const FitPrinting& printing);
// As a member "fit" of the object that is open.
void PrintFit(JsonText& json, const FitResult& result, const FitPrinting& printing);

}  // namespace iprof::cli
