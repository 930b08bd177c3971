// HarvestNote: says of a profile that its numbers come from HotSpot's own counters (MethodData), and
// how far they can be trusted. It is a part of the profile's section "iprofagent"
// (agent_section.h):
//   "harvest": {"source":"methoddata","estimator":"none","without_methoddata_permille":83, …}
// The note of a merge names all sources and estimators of its inputs, joined by "+": exact counts
// are "counters". Its numbers are the largest of any input. A note of earlier versions lacks the last ones.
//
// Guarantees: Parse reads what ToJson returns, also with additional members. Anything else is no
// note. Uniting is commutative, associative and idempotent.
// Threads: any; pure functions. Failure: what is not a note is nullopt; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"

namespace iprof {

// Sources of counts, as a note has them.
inline constexpr std::string_view kMethodDataSource = "methoddata";
inline constexpr std::string_view kBothSources = "both";  // exact in some classes
inline constexpr std::string_view kExactSource = "counters";
inline constexpr std::string_view kNoEstimator = "none";

// No processor executes more calls and branches than this in a nanosecond of its time.
inline constexpr double kMostEventsPerNs = 8;

struct HarvestNote {
  static constexpr int64_t kUnknownAge = -1;  // as any number below 0
  static constexpr int64_t kUnknownCpu = -1;

  std::string source{kMethodDataSource};
  std::string estimator{kNoEstimator};  // how calls and weights were estimated; none: not at all
  int64_t without_data_permille = 0;    // methods that ran and have no MethodData, of all that ran
  int64_t left_out_permille = 0;        // MethodDatas that did not pass the checks
  int64_t type_width = 0;               // classes that HotSpot records at a site
  int64_t recursive_groups = 0;         // of methods, whose calls are less certain
  int64_t jvm_age_s = kUnknownAge;
  int64_t cpu_ms =
      kUnknownCpu;  // processor time that the JVM had used; unknown of a merge of several
  bool estimate_refused = false;  // it had more calls and branches than fit into that time
  int64_t harvests = 1;           // that were united
  std::string time;               // UTC, "2026-11-22T23:35:27Z"
  // Of source "both": the patterns of the classes that were counted exactly, and the methods in them
  // that ran. The rest is HotSpot's.
  std::string exact_classes;
  int64_t exact_methods = 0;
  bool trained =
      false;  // counts of an AOT cache's training run are among these, and cannot be told
  // What HotSpot had, and what was left out of it.
  int64_t methods_with_data = 0;     // that passed the checks
  int64_t methods_without_data = 0;  // that ran
  int64_t methods_failed = 0;        // whose MethodDatas did not pass the checks
  int64_t methods_trained = 0;       // that an AOT cache brought counts for, which were subtracted
  int64_t methods_trained_unknown = 0;  // that were left out because this failed
  int64_t sites_left_out = 0;           // with too many classes, or with classes without a name
  int64_t lambdas_left_out = 0;         // without a name in an image
  int64_t classes_left_out = 0;         // other generated ones
  bool operator==(const HarvestNote&) const = default;

  std::string ToJson() const;
  static std::optional<HarvestNote> Parse(std::string_view json);
  // The note of a profile; nullopt: it has none.
  static std::optional<HarvestNote> Of(const Profile& profile);
  // Whether the profile is a merge of counts that are not all exact, not all estimates, and not all
  // raw.
  bool IsMixed() const;
  // Adds what the note of another input of a merge says, or that an input had exact counts.
  void Unite(const HarvestNote& other);
  void UniteExact();
  // Whether so many calls and branches can have been executed.
  bool CanHold(double events) const;
  // Adds what was left out to the losses of the run.
  void AddLosses(RunNote* run) const;
  // For people: "methoddata, calls estimated (flow-1), …".
  std::string Describe() const;
};

}  // namespace iprof
