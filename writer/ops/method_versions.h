// VersionedProfile: adds up profiles in which the same method may have different code, as after a
// rolling deployment or an update of the JDK.
//
// Why: a bytecode position means nothing in other code. If the positions of two versions of a
// method were added up, an `if` could get three outcomes, and a receiver the classes of another
// call. And a sample at a position behind the end of a method's code aborts an image build.
//
// The versions of a method are told apart by the hashes of their code (Profile::CodeHash). Until
// Finish, each version is a method of its own. Finish keeps the positions of one, with their notes:
//  - Calls and monitors of all versions are added up.
//  - Branches, receivers and type checks of the other versions are left out.
//  - Samples of all versions are added up. A sample in another version moves to bci 0, which every
//    code has.
//  - A stack ends before a caller of another version; so does a context of any other table.
//  - A stack of work that only a JVM does (image_use.h) is left out instead: the callers that it would lose say so.
//
// Counts of a method without a hash are added to the version that is kept, as if their code were
// the same. So are its samples, unless some method of its class has different code in the inputs:
// then it is not known to which version of the class the positions belong, and samples and callers
// are treated as those of another version. A method has no hash if it is only on stacks, as a loop
// that ran before an attach, and in profiles that have no hashes at all; the report has those whose
// branches were so added up. In the latter, most stacks would be lost for nothing if every method
// without a hash were treated so.
//
// Guarantees: the result depends only on the multiset of what was added, with its counts, and not
// on order or grouping. Adding a profile n times is the same as adding it with n times its counts.
// No position of a version that is known to be another one is in the result, except bci 0. In
// classes whose code differs, samples and callers have only positions of the version that is kept.
// Memory: the sum of the profiles, and a few bytes for each method. In Finish also the result.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "writer/profile/model.h"

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
  int64_t samples = 0;                // that moved to bci 0, or whose stacks were cut or left out
  // Methods that have branches, receivers or type checks with a hash and without one: their code
  // may have differed.
  size_t doubtful_methods = 0;
  std::vector<std::string>
      doubtful_examples{};  // by name: those with the most counts without a hash
};

// The tables whose counts say how heavy a version of a method is.
bool IsOfMethod(Table table);

class VersionedProfile {
 public:
  // Gives the counts of a table's entries their final values.
  using Weigh = std::function<int64_t(Table table, int64_t count)>;

  // `newest_ms`: when the profile was recorded; 0: not known. `times`: how often the order of first calls counts.
  void Add(const Profile& input, int64_t newest_ms, const Weigh& weigh, int64_t times = 1);
  void Add(VersionedProfile&& other);

  // Not in canonical order, and without extra keys. The object is then empty.
  Profile Finish(PreferredVersion preferred, VersionReport* report);

 private:
  struct Version {
    bool is_used = false;  // an entry of a method's table has it as its innermost frame
    int64_t newest_ms = 0;
  };

  Profile sum_;                    // names of methods begin with their version
  std::vector<Version> versions_;  // by method of the sum
};

}  // namespace iprof
