// RecordCheck: whether single records of a profile fit the classes of a ClassStore.
//
// Guarantees, threads and failure: as CheckFitness, which adds up what this finds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/fitness/class_store.h"
#include "cli/fitness/fitness.h"
#include "writer/model/model.h"

namespace iprof::fitness {

// What was found about a frame or record.
struct Verdict {
  Misfit misfit = Misfit::kNone;
  std::string detail;
  MethodIndex method = kNoMethod;  // whose class or code it is about
  bool is_relevant = false;        // its method exists
  bool is_generated = false;       // in a class that a JVM makes, and not judged further
  bool is_unjudged = false;        // the class path has no such classes
  int64_t applicable = 0;          // of the record's weight
};

class RecordCheck {
 public:
  RecordCheck(const Profile& profile, ClassStore& classes, const FitnessOptions& options)
      : profile_(profile), classes_(classes), options_(options), methods_(profile.method_count()) {}

  Verdict Check(Table table, EntryIndex entry);
  // Methods that were looked up and whose code could not be compared.
  size_t without_hash() const { return without_hash_; }

 private:
  // What is known of a method of the profile.
  struct Known {
    bool is_checked = false;
    Verdict verdict;
    LoadedMethod* loaded = nullptr;  // if it exists
  };

  Known& Method(MethodIndex method);
  Verdict CheckMethod(MethodIndex method, LoadedMethod** loaded);
  Verdict CheckGenerated(MethodIndex method, std::string_view type);
  Verdict ClassVerdict(MethodIndex method, const StoredClass& stored, std::string_view name) const;
  Verdict CheckPosition(Table table, EntryIndex entry, const Frame& frame);
  Verdict CheckCaller(Table table, const Frame& frame);
  bool IsFolded(EntryIndex entry, const Site& site) const;
  void CheckSuccessors(EntryIndex entry, const Site& site, Verdict* verdict) const;
  void CheckTypes(Table table, EntryIndex entry, const Site& site, Verdict* verdict);
  // What is wrong with objects of this class at the site; empty if nothing is.
  std::string TypeProblem(std::string_view type, const std::string& owner);

  const Profile& profile_;
  ClassStore& classes_;
  const FitnessOptions& options_;
  std::vector<Known> methods_;
  size_t without_hash_ = 0;
};

}  // namespace iprof::fitness
