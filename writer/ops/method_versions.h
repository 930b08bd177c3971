// VersionedProfile: adds up profiles in which the same method may have different code, as after a
// rolling deployment or an update of the JDK.
//
// Why: a bytecode position means nothing in other code. If the positions of two versions of a method
// were added up, an `if` could get three outcomes, and a receiver the classes of another call.
//
// The versions of a method are told apart by the hashes of their code (Profile::CodeHash). Finish
// keeps the positions of one: branches, receivers and type checks. Calls of all versions are added
// up. So are samples and monitors: stacks of samples keep their positions, because a stack's methods
// say where the time went whatever the positions are.
//
// Counts of a method without a hash are added to the version that is kept, as if their code were the
// same.
//
// Guarantees: the result depends only on the multiset of what was added, with its counts, and not on
// order or grouping. Adding a profile n times is the same as adding it with n times its counts.
// Memory: one more profile for each further version of some method.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "writer/model/model.h"

namespace iprof {

// Which version of a method keeps its positions. If that leaves several, the other criterion
// decides, and then the smaller hash.
enum class PreferredVersion : uint8_t {
  kHeaviest,  // the one with the largest sum of calls, branches, receivers and type checks
  kNewest,    // the one that was recorded last
};

// What Finish found.
struct VersionReport {
  size_t methods = 0;                 // that had different code
  std::vector<std::string> examples;  // of them, by name: those with the most counts left out
};

class VersionedProfile {
 public:
  // Gives the counts of a table's entries their final values.
  using Weigh = std::function<int64_t(Table table, int64_t count)>;

  // `newest_ms`: when the profile was recorded; 0: not known.
  void Add(const Profile& input, int64_t newest_ms, const Weigh& weigh);
  // Takes the profile without copying if it is the first.
  void Add(Profile&& input, int64_t newest_ms);
  void Add(VersionedProfile&& other);

  // Not in canonical order, and without extra keys. The object is then empty.
  Profile Finish(PreferredVersion preferred, VersionReport* report);

 private:
  // Of the counts of one method in one layer.
  struct Version {
    bool is_used = false;
    uint64_t hash = 0;
    int64_t newest_ms = 0;
  };
  // A profile with one version of each method.
  struct Layer {
    Profile profile;
    std::vector<Version> versions;  // by method
  };

  void Add(const Profile& input, const std::vector<Version>& versions, bool has_rest,
           const Weigh& weigh);
  static std::vector<Version> VersionsIn(const Profile& profile, int64_t newest_ms);

  std::vector<Layer> layers_;  // samples and monitors are in the first
};

}  // namespace iprof
