// RunNote and RunList: where a profile comes from. They are the part "provenance" of the profile's
// section "iprofagent" (agent_section.h):
//   "provenance": {"runs":[{"agent":"0.1.0","program":"app.jar","start":"2026-11-24T23:35:27.120Z", …}]}
// A recording has one run; a merge has those of all its inputs. docs/format.md lists the members.
//
// RunNote is plain data, so that whoever knows a run can make its text: the agent, a harvest, or what
// reads a raw file that the agent left.
//
// Guarantees: RunNote::Parse reads what ToJson returns, also with additional members. ToJson leaves
// out what is not known: empty texts, times of 0, and the largest k of a snapshot. RunList keeps each run's text, so that members
// of later versions are not lost. Equal runs are one run; adding is commutative and associative. It
// writes the kMostRuns runs that ended last, and counts the others.
// Threads: any for RunNote; one per RunList. Failure: what is no note is nullopt, what is no list is
// false; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

// How exact the counts of the methods that ran are (writer/records/profile_assembly.h).
struct RunExactness {
  int64_t exact = 0;
  int64_t within_k = 0;   // off by k at most, k > 0
  int64_t unknown = 0;    // k is only a lower estimate
  int64_t largest_k = 0;  // 0: no method is within k, or k is not known
  // Not of a snapshot that was taken while threads were counting: calls that had not ended are in its
  // counts, and their number is unknown.
  bool KnowsK() const { return within_k <= 0 || largest_k > 0; }
  // For people: "exact but for races between threads; 6 methods may be off by up to 2, because exceptions
  // ended calls or calls had not ended". The number of exact methods is left out: it is that of the recording, and a
  // profile for an image build has fewer methods. `has_estimates`: methods were not counted all the time, and count as unknown.
  std::string Describe(bool has_estimates) const;
  // The second half. Empty: all methods are exact.
  std::string DescribeOthers(bool has_estimates) const;
  bool operator==(const RunExactness&) const = default;
};

// What was left out of a profile or changed in it, by name; no count is 0.
using RunLosses = std::vector<std::pair<std::string, int64_t>>;
// For people, by what became of it: "left out" "2 locks of unknown class", "set to 0" "71 counts that …".
std::vector<std::pair<std::string, std::string>> DescribeLosses(const RunLosses& losses);

struct RunNote {
  std::string run;           // its identity (RunId), which all files of the run have
  std::string agent;         // version of the agent, or of the tool that harvested
  std::string options;       // those that differ from the defaults, without folders
  std::string jvm_vendor;    // "Debian"
  std::string jvm_version;   // "17.0.15"
  std::string jvm_build;     // "17.0.15+6-Debian-1deb12u1"
  std::string architecture;  // "amd64"
  std::string program;       // main class, or name of the jar without its folder; no arguments
  std::string source;        // "counters", "methoddata", "both"
  std::string tables;        // "calls+branches"
  std::string begin;         // how the recording began, see below
  int64_t start_ms = 0;      // of the recorded window, in ms since 1970
  int64_t end_ms = 0;
  int64_t recorded_ms = 0;  // without pauses
  std::optional<RunExactness> exactness;
  RunLosses losses;
  bool operator==(const RunNote&) const = default;

  // Adds a loss unless it is 0; to one of that name, if there is one.
  void Lose(std::string_view what, uint64_t count);
  std::string ToJson() const;
  static std::optional<RunNote> Parse(std::string_view json);
};

inline constexpr std::string_view kBeginAtStart = "start";    // with the JVM
inline constexpr std::string_view kBeginLater = "later";      // by a command, or after a delay
inline constexpr std::string_view kBeginByAttach = "attach";  // the agent was loaded later

class RunList {
 public:
  static constexpr size_t kMostRuns = 100;

  // The runs of a profile; empty if it does not say.
  static RunList Of(const Profile& profile);

  void Add(const RunNote& run) { texts_.insert(run.ToJson()); }
  void Add(const RunList& other);
  // Adds the part's value. Adds nothing and returns false if the text is not such a value.
  bool AddJson(std::string_view json);

  // Neither runs nor runs that are only counted.
  bool empty() const { return texts_.empty() && older_ == 0; }
  size_t older() const { return older_; }  // runs that are only counted
  std::vector<RunNote> Runs() const;       // by start
  // Whether there is one run, and it says how exact its counts are.
  bool TellsExactness() const;
  // When the last run ended; 0 if that is not known.
  int64_t LastEndMs() const;
  std::string ToJson() const;

 private:
  std::set<std::string> texts_;
  size_t older_ = 0;
};

}  // namespace iprof
