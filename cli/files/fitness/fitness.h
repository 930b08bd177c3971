// CheckFitness: whether an image build can use a profile for given classes.
//
// The builder finds a record by names and positions. If the program or the JDK has changed since the
// profile was taken, it does not find a record, or applies it to other code, without a warning. So
// each record is compared with the class files:
//  - Does the method exist? If it does, the record is *relevant*.
//  - Is its code the same, by the hash in the profile? Is the position an if, switch, call or type
//    check, as the table says? Are the successors those of the instruction? Can receivers be objects
//    of the classes that they are said to be? If all is so, the record is *applicable*.
//
// What counts:
//  - A record of receivers or type checks counts in parts, by class.
//  - Of an `if`, one right successor is enough, because the builder gives the other one the rest.
//    (Images write positions of their compiler for some.) Of a switch, all must be right.
//  - Callers in a context must exist and be calls. (Other instructions make a JVM load or initialise a class,
//    too, but an image has no call there.)
//  - Lambdas and proxies have no class files. Their names are checked, apart from the other records:
//    a build knows them only under the names of its own JDK (writer/names/generated_names.h). The
//    class that makes a lambda must exist. Classes that libraries make while the program runs are apart, too: they are not
//    stale, and an image does not have them.
//  - Monitors have no position, and no build reads them; they are left out.
//  - Classes of a JDK or of the program are not judged if the class path has nothing of it.
//
// Guarantees: deterministic; sums saturate. Reads only class files that the profile names, and their
// supertypes.
// Threads: one. Failure: class files that cannot be read are reasons of stale methods. Throws nothing
// but std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/classpath/class_path.h"
#include "writer/names/stable_names.h"
#include "writer/profile/model.h"

namespace iprof::fitness {

// Why records of a method do not fit, the worst reason first.
enum class Misfit : uint8_t {
  kNone,
  kNoClass,
  kBadClass,
  kNoMethod,
  kOtherCode,
  kOtherInstruction,
  kOtherSuccessors,
  kOtherReceivers,
  kOtherName,  // of a lambda or proxy
};
// "the class does not exist"
std::string_view Describe(Misfit misfit);
// "no-class"; for programs
std::string_view NameOf(Misfit misfit);

struct FitShare {
  size_t entries = 0;
  int64_t weight = 0;
  int64_t relevant = 0;
  int64_t applicable = 0;
};

struct PackageShare {
  std::string name;  // empty: no package
  FitShare share;
};

struct StaleMethod {
  std::string method;  // DescribeMethod's text
  Misfit reason = Misfit::kNone;
  std::string detail;  // about the first record, for example "12 is no if or switch, but iload_1"
  size_t entries = 0;
  int64_t weight = 0;
};

// What is not judged: entries and weight.
struct Apart {
  size_t entries = 0;
  int64_t weight = 0;
};

struct Fitness {
  FitShare total;  // without `generated` and `unjudged`
  std::array<FitShare, kTableCount> tables;
  std::vector<PackageShare> packages;  // the heaviest first
  std::vector<StaleMethod> stale;      // the heaviest first
  Apart generated;                     // in lambdas and proxies, and other classes that a JVM makes
  Apart misnamed;                      // of these: whose names the build does not know
  Apart run_time;           // of these: that an image does not have, such as those of CGLIB
  Apart unjudged;           // in classes of a JDK, or of the program, if the class path has none
  size_t without_hash = 0;  // methods whose code could not be compared

  // The share of the weight that a build can use, also of lambdas whose names it does not know; 0 if nothing was
  // compared.
  double Applicability() const;
};

struct FitnessOptions {
  bool has_application = true;        // the class path has more than a JDK
  NamingRule rule = NamingRule::k25;  // how the build names lambdas
  std::optional<NamingRule> profile_rule =
      std::nullopt;  // how those of the profile are named, if it says so
};

// Whether one entry fits.
struct EntryFit {
  Misfit misfit = Misfit::kNone;
  size_t fitting_frames = 0;  // from the innermost one on
  // With kOtherReceivers: the classes of which there can be no objects there.
  std::vector<TypeIndex> wrong_types = {};
};
using EntryVisitor = std::function<void(Table table, EntryIndex entry, const EntryFit& fit)>;
// Of each entry, also of monitors. Everything that is not judged fits.
void ForEachEntryFit(const Profile& profile, const classpath::ClassPath& classes,
                     const FitnessOptions& options, const EntryVisitor& visit);

// Of all declared methods and types those that the class path has, or of which it is not known.
struct Existing {
  std::vector<bool> methods;
  std::vector<bool> types;
};
Existing FindExisting(const Profile& profile, const classpath::ClassPath& classes,
                      const FitnessOptions& options);

Fitness CheckFitness(const Profile& profile, const classpath::ClassPath& classes,
                     const FitnessOptions& options);

}  // namespace iprof::fitness
