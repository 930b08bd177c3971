// AssembleProfile: makes a profile from counters. It evaluates every method's derivation and adds
// types, methods, calls and branches to the model.
//
// Guarantees: no dangling references, no negative counts, no entries without counts. The same
// classes and counters give the same profile for every order of loading. The result says how
// many counts are exact, within a bound, or of unknown error.
//
// Intrinsic candidates: the compiler replaces them at the call, so their entry counters miss calls. If their call sites
// show that (ReplacedMethods), the calls of the sites are reported. What such a method does inside was counted only where it
// was not replaced: branches and the classes at sites are multiplied by the same factor, unless too few entries were
// counted to know it. So all of it is estimated, and replaced_calls says how much.
//
// Exceptions: a branch is left out, and its method named, if exceptions may have changed its
// derived counts by more than 1 % of its executions. So no share in the profile is wrong by more.
//
// Versions: calls of classes with the same name and different bytes (several loaders, redefinition)
// are added up. Branches are added up if the method's instructions are the same; otherwise only
// those of the version called most often are written, and the method's code hash is that version's.
// A version whose code is not known is that version only if there is no other.
//
// Other agents (CountedMethod::origin): a method that another agent added is left out of the
// profile. If it changed a method, calls and monitors are right and are written; positions are
// wrong and are dropped.
//
// Sites: a site is left out and named if the classes of more objects than max_lost allows are
// unknown, because the consumer takes the listed classes for all that there are. Where it is kept, the profile's notes
// have the rest (PositionNotes). Monitors go to one
// global entry; the monitor count of a static synchronized method is its number of calls.
//
// Threads: one. Needs no JVM.
// Failure: records that cannot be read are left out and counted. Throws nothing but std::bad_alloc;
// the profile is then incomplete.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "writer/base/lost_share.h"
#include "writer/profile/model.h"
#include "writer/records/class_record.h"
#include "writer/records/context_entries.h"
#include "writer/records/counted_values.h"
#include "writer/records/effort.h"
#include "writer/records/live_frame_count.h"
#include "writer/records/method_record.h"
#include "writer/records/type_counts.h"

namespace iprof {

// The report lines on methods that had no room for all of their branches and receivers, the hottest
// first, in any order of Note.
class TrimmedMethods {
 public:
  // `calls`: how often the method ran; also 0 if calls are not counted.
  void Note(std::string name, uint64_t calls, const LeftOut& left_out);

  // Empty if there are none. Names at most twenty methods, those that ran first.
  std::string Report() const;

 private:
  struct Method {
    std::string name;
    uint64_t calls;
    LeftOut left_out;
  };
  std::vector<Method> methods_;
};

// The counts of the JVM.
struct AssemblyInput {
  std::span<const uint64_t> counters;
  const TypeCounts& types;
  const LiveFrameCount& live_frames;
  std::span<const NumberedCounter> more_counters = {};  // see CountedValues
  std::span<const uint16_t> first_seen = {};            // FirstSeen::by_counter
  const ContextSamples* contexts = nullptr;             // see ContextEntries; null: none were taken
};

struct AssemblyOptions {
  bool calls = true;
  bool branches = true;
  bool monitors = false;
  // Whether records name the callees of all calls, and not only of those that compilers may replace.
  bool names_all_callees = false;
  bool call_edges = false;      // calls by caller (calls_by_caller.h); needs names_all_callees
  double max_lost = kMostLost;  // a site that lost a larger share of its objects is left out
  bool operator==(const AssemblyOptions&) const = default;
};

// What is estimated of a method.
struct MethodEstimate {
  uint64_t calls = 0;       // those of its calls that are estimated
  uint64_t executions = 0;  // that were counted, and that its estimated counts follow

  // Of a method that has this name, too.
  void Add(const MethodEstimate& more);
  bool operator==(const MethodEstimate&) const = default;
};
using MethodEstimates =
    std::map<std::string, MethodEstimate>;  // as Profile::DescribeMethod names them

// Methods that were without probes for a while: their counts are in part estimated.
struct EstimatedMethods {
  MethodEstimates calls;
  uint64_t unnamed = 0;  // with estimates that are not in `calls`
  uint64_t lost = 0;     // whose estimates could not be read: their counts lack them

  // How many methods have estimates. The others were counted whenever they ran.
  uint64_t with_estimates() const {
    const auto has_any = [](const auto& method) { return method.second.calls > 0; };
    return static_cast<uint64_t>(std::count_if(calls.begin(), calls.end(), has_any)) + unnamed;
  }
  bool operator==(const EstimatedMethods&) const = default;
};

// A method whose call sites were executed more often than it was called.
struct ExcessCalls {
  MethodIndex method{};
  uint64_t calls = 0;
  double at_sites = 0;  // executions of its call sites
  uint64_t sites = 0;
  bool operator==(const ExcessCalls&) const = default;
};

// What is said about calls by caller (calls_by_caller.h).
struct EdgeFigures {
  uint64_t written = 0;  // entries with a caller
  int64_t calls = 0;     // of all methods
  // Of these, with a known caller, also where the edge was too light to be written.
  int64_t explained = 0;
  int64_t agree = 0;  // of these, of methods whose call sites show as many, within 0.1 %
  std::vector<ExcessCalls> excess;  // by more than 0.1 %; the most calls too many first
  bool operator==(const EdgeFigures&) const = default;
};

// The outcome: what was left out and why, and how exact the counts are.
struct AssemblyResult {
  uint64_t methods_exact = 0;
  uint64_t methods_bounded = 0;    // within k, k > 0
  uint64_t methods_unknown = 0;    // k is only a lower estimate
  uint64_t methods_estimated = 0;  // none of these; see NoteEstimated
  uint64_t methods_replaced =
      0;  // none of these: call sites, or those in replaced methods, show more calls
  uint64_t largest_k = 0;
  uint64_t clamps = 0;
  uint64_t virtual_threads = 0;  // started; k does not include the frames of live ones
  uint64_t damaged_records = 0;
  uint64_t branches_left_out = 0;                       // exceptions may have changed their counts
  uint64_t branches_left_out_methods = 0;               // methods that contain them
  std::vector<std::string> branches_left_out_examples;  // the methods with the most exceptions
  // Of the replaced methods, as Profile::DescribeMethod names them: calls that their entries did not count.
  std::map<std::string, uint64_t> replaced_calls;
  uint64_t sites_written = 0;
  uint64_t sites_left_out = 0;
  uint64_t monitors_lost = 0;  // monitor entries whose object's class could not be kept
  std::vector<std::string> sites_left_out_examples;
  uint64_t versions_dropped = 0;   // methods whose branches another version replaced
  uint64_t positions_dropped = 0;  // methods that another agent changed, and that ran
  TrimmedMethods trimmed;
  EdgeFigures edges;                            // with AssemblyOptions::call_edges
  ContextFigures contexts;                      // with AssemblyInput::contexts
  EstimatedMethods estimated;                   // the counts came with these estimates
  std::unordered_set<MethodKey> added_methods;  // methods that another agent added

  // The counts came with estimates of these methods.
  void NoteEstimated(EstimatedMethods methods) {
    NoteEstimated(methods.with_estimates() + methods.lost);
    estimated = std::move(methods);
  }
  // So many methods are estimated: they were without probes for a while. How far they are off is not known.
  // They are taken from the exact ones, as far as there are such, so that no estimate is called exact. The rest
  // is among the others, or did not run, and counts there: each method that ran counts once.
  void NoteEstimated(uint64_t methods) {
    const uint64_t taken = std::min(methods_exact, methods);
    methods_exact -= taken;
    methods_estimated += taken;
  }

  // Whether this method was left out, because another agent added it to its class.
  bool WasAdded(InternalName class_name, std::string_view name, std::string_view descriptor) const {
    return !added_methods.empty() &&
           added_methods.contains(MethodKey(class_name, name, descriptor));
  }
};

// The classes of a profile in the order of their names; versions of one name in the order of their
// hashes. They are decoded on request: decoded all at once, they would take many times the memory
// of the table.
class ClassSource {
 public:
  virtual ~ClassSource() = default;
  virtual size_t size() const = 0;
  virtual std::string_view NameOf(size_t number) const = 0;
  // The class, with the origins of its methods. It is in `scratch`, or valid as long as
  // this object.
  virtual const ClassRecord& Get(size_t number, ClassRecord& scratch) const = 0;
  // The record of a method with counters, of a class that Get returned; false if it is damaged. It is decoded
  // from the class's bytes, unless a source has it in another form.
  virtual bool GetRecord(const ClassRecord& klass, const CountedMethod& method,
                         MethodRecord* record) const;
};

// Writes into the profile; returns how exact its counts are.
AssemblyResult AssembleProfile(const ClassSource& sorted_classes, const AssemblyInput& input,
                               const AssemblyOptions& options, Profile& profile);

// Classes in memory, in any order. They must outlive this object.
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
