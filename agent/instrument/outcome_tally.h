// OutcomeTally: counts what happened to classes and methods, for the report.
//
// Why: what cannot be instrumented is left unchanged, and the profile's reader must know how much
// that was, and why.
//
// Guarantees: every class and method is counted under one reason. Threads: any, at any time; a
// report during instrumentation shows the counts of some moment. Failure: none.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/classfile/reason.h"
#include "agent/instrument/probes/counter_space.h"
#include "writer/records/effort.h"

namespace iprof::instrument {

// What happened to a method.
struct MethodOutcome {
  classfile::Reason reason = classfile::Reason::kNoCode;
  Effort effort;
  // if set, the method is left unchanged for this reason
  std::optional<Refusal> counters_refused;
  bool sites_refused = false;
  // left unchanged, because the class's loader may not find the counters
  bool out_of_reach = false;
  bool left_out = false;  // of branches or sites, some were left out because of its length
  bool nothing_to_count = false;
};

class OutcomeTally {
 public:
  // A class was left unchanged because of something in it.
  void NoteUnreadable(classfile::Reason reason) { ++classes_left_[static_cast<size_t>(reason)]; }
  // A class was left unchanged because the memory budget is used up.
  void NoteNoRoom() { ++classes_no_room_; }
  void NoteClass(const std::vector<MethodOutcome>& methods);

  static bool AnyBeyondCap(const std::vector<MethodOutcome>& methods);
  uint64_t methods_without_sites() const { return methods_without_sites_; }

  struct Sums {
    uint64_t classes_counted = 0;
    uint64_t classes_left_alone = 0;  // although they have code
    uint64_t methods_counted = 0;
    uint64_t methods_left_alone = 0;  // although they have code
  };
  Sums sums() const;

  // How classes and methods were counted.
  std::string Report() const;
  // For a user: the classes and methods that were left unchanged, by reason.
  std::string LeftAlone() const;

 private:
  using Count = std::atomic<uint64_t>;

  void NoteMethod(const MethodOutcome& outcome);

  Count classes_instrumented_{0};
  Count classes_without_code_{0};
  Count classes_without_counters_{0};
  Count classes_no_room_{0};
  Count classes_no_method_counted_{0};
  std::array<Count, classfile::kReasonCount> classes_left_{};
  Count methods_instrumented_{0};
  Count methods_compact_{0};
  Count methods_trimmed_{0};
  Count methods_calls_only_{0};
  Count methods_no_sites_{0};
  Count methods_without_sites_{0};
  Count methods_beyond_cap_{0};
  Count methods_not_ready_{0};
  Count methods_out_of_reach_{0};
  std::array<Count, classfile::kReasonCount> methods_left_{};
};

}  // namespace iprof::instrument
