// ProfileAssembly: from counters to a profile: evaluates every method's derivation and adds types,
// methods, calls and branches to the model.
//
// Guarantees: nothing dangles, no negative counts, no entries without counts; the same classes and
// counters give the same profile, whatever the order of loading. What each count is worth (exact,
// within a bound, unknown) is summed up.
//
// Intrinsic candidates: the compiler replaces them at the call, so that their entry counters miss
// calls. Where the sites that can only mean such a method were surely executed more often than it
// was entered (each site's count less the error that it may have), their sum is reported.
//
// Exceptions: a branch whose derived counts they may have moved by more than 1 % of its executions
// is left out, and its method is named. No share that is written is further from the truth.
//
// Versions: classes of one name with different bytes (several loaders, redefinition) add their
// calls up. Branches add up where the method's instructions are the same; otherwise those of the
// version called most often are written.
//
// Other agents (CountedMethod::origin): a method that another agent added is left out of the profile;
// of one that it changed the calls and monitors are right and written, the positions are not and are
// dropped.
//
// Sites: where more objects lost their class than max_lost allows, the listed classes would mislead
// (the consumer takes them for all there are): the site is left out and named. Monitors go to one
// global entry; those of static synchronized methods are the method's calls.
//
// One thread; no JVM.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "writer/methods/class_record.h"
#include "writer/methods/live_frame_count.h"
#include "writer/methods/trimmed_methods.h"
#include "writer/methods/type_counts.h"
#include "writer/model/model.h"

namespace iprof {

// What the JVM counted.
struct AssemblyInput {
  std::span<const uint64_t> counters;
  const TypeCounts& types;
  const LiveFrameCount& live_frames;
};

struct AssemblyOptions {
  bool calls = true;
  bool branches = true;
  bool monitors = false;
  double max_lost = 0.02;  // a site that lost a larger share of its objects is left out
};

// What became of it: what was left out and why, and what the counts are worth.
struct AssemblyResult {
  uint64_t methods_exact = 0;
  uint64_t methods_bounded = 0;  // within k, k > 0
  uint64_t methods_unknown = 0;  // k is only a lower estimate
  uint64_t largest_k = 0;
  uint64_t clamps = 0;
  uint64_t virtual_threads = 0;  // that began: k leaves out the frames of those that live
  uint64_t damaged_records = 0;
  uint64_t branches_left_out = 0;                       // exceptions may have moved their counts
  uint64_t branches_left_out_methods = 0;               // that they are in
  std::vector<std::string> branches_left_out_examples;  // the methods with the most exceptions
  uint64_t intrinsics_corrected = 0;  // methods whose sites told more than their entries
  uint64_t sites_written = 0;
  uint64_t sites_left_out = 0;
  uint64_t monitors_lost = 0;  // monitors entered whose object's class could not be kept
  std::vector<std::string> sites_left_out_examples;
  uint64_t versions_dropped = 0;   // methods whose branches another version's replaced
  uint64_t positions_dropped = 0;  // methods that another agent changed, and that ran
  TrimmedMethods trimmed;
  std::unordered_set<MethodKey> added_methods;  // another agent's own

  // Whether this method was left out, because another agent added it to its class.
  bool WasAdded(InternalName class_name, std::string_view name, std::string_view descriptor) const {
    return !added_methods.empty() &&
           added_methods.contains(MethodKey(class_name, name, descriptor));
  }
};

// The classes of a profile in the order of their names, versions of one name in that of their hashes.
// They are decoded when they are asked for: all of them at once would take many times what a table
// keeps.
class ClassSource {
 public:
  virtual ~ClassSource() = default;
  virtual size_t size() const = 0;
  virtual std::string_view NameOf(size_t number) const = 0;
  // The class, with the origins of its methods; in `scratch`, or elsewhere for as long as this object
  // lives.
  virtual const ClassRecord& Get(size_t number, ClassRecord& scratch) const = 0;
};

// Writes into the profile; returns what its counts are worth.
AssemblyResult AssembleProfile(const ClassSource& sorted_classes, const AssemblyInput& input,
                               const AssemblyOptions& options, Profile& profile);

// Classes that stand in memory, in whatever order they came. They must outlive this object.
class RecordedClasses final : public ClassSource {
 public:
  explicit RecordedClasses(std::vector<const ClassRecord*> classes);
  size_t size() const override { return classes_.size(); }
  std::string_view NameOf(size_t number) const override { return classes_[number]->name; }
  const ClassRecord& Get(size_t number, ClassRecord& /*scratch*/) const override {
    return *classes_[number];
  }

 private:
  std::vector<const ClassRecord*> classes_;
};

}  // namespace iprof
