// ReportModel: the figures of an HTML report: for each method what its page shows, and the flame graph. A report is about
// one profile, or compares two (--diff); the first is then the old one.
//
// Guarantees: methods and types of both profiles are matched by name. Entries of one position are added up over all
// calling contexts, and a branch's successors by outcome (branch_outcomes.h), as `iprof show --method` and the consumer do.
// A sample counts once in a total, in an edge between two methods and at a position, also with recursion. Methods are
// ordered by weight, largest first, then by name. Sums saturate. Where samples know their thread (writer/profile/sample_threads.h),
// each thread has a flame graph of its own; elsewhere threads make no difference.
// Threads: one per object; const methods may run in parallel after Finish. Failure: none but std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/views/report/flame_tree.h"
#include "cli/views/report/sides.h"
#include "writer/profile/model.h"

namespace iprof {

// A branch, a call site with its receivers, or a type check.
struct ReportSite {
  struct Outcome {
    int64_t key;  // a successor's bci, or the number of a type in names()
    Counts count{};
  };
  Table table;
  Bci bci;
  Counts total{};
  std::vector<Outcome> outcomes;  // largest first, then by key
};

// Samples at a position: in it, and in it or below it.
struct ReportPosition {
  Bci bci;
  Counts self{};
  Counts total{};
};

// A caller or callee, as far as stacks and calling contexts show it.
struct ReportEdge {
  MethodIndex other;
  Counts samples{};
  Counts calls{};
};

// By samples, then by calls, largest first, then by name.
void OrderEdges(std::vector<ReportEdge>& edges, const Profile& names);

struct ReportMethod {
  MethodIndex method;  // in names()
  Counts calls{};
  Counts self{};   // samples in it
  Counts total{};  // samples in it or below it
  Counts branches{};
  Counts receivers{};
  double weight = 0;                      // the largest of its shares of all tables
  std::vector<ReportSite> sites;          // by table, then by bci
  std::vector<ReportPosition> positions;  // by bci
  std::vector<ReportEdge> callers;        // in their order
  std::vector<ReportEdge> callees;
};

class ReportModel {
 public:
  // Adds the next profile; at most kMostSides.
  void Add(const Profile& profile);
  // After the last profile.
  void Finish();

  size_t sides() const { return sides_; }
  // Types and methods of all profiles that have figures, with their notes and the last one's code hashes. It has no
  // entries.
  const Profile& names() const { return names_; }
  const std::vector<ReportMethod>& methods() const { return methods_; }
  const FlameTree& flames() const { return flames_; }
  const std::map<std::string, FlameTree>& flames_of_threads() const { return flames_of_threads_; }
  // Those in which samples were taken, by number (writer/base/time_period.h).
  const std::set<uint32_t>& periods() const { return periods_; }
  // The classes of all monitors, most frequent first.
  const std::vector<ReportSite::Outcome>& monitors() const { return monitors_; }
  Counts TotalOf(Table table) const { return totals_[static_cast<size_t>(table)]; }

 private:
  using Sites = std::map<std::pair<Table, Bci>, std::map<int64_t, Counts>>;
  using Edges = std::map<MethodIndex, std::pair<Counts, Counts>>;  // samples, calls
  struct Gathered {
    Counts calls{}, self{}, total{}, branches{}, receivers{};
    Sites sites;
    std::map<Bci, std::pair<Counts, Counts>> positions;
    Edges callers, callees;
  };

  ReportMethod Finished(MethodIndex method, Gathered& gathered) const;

  size_t sides_ = 0;
  Profile names_;
  std::vector<Gathered> gathered_;  // by MethodIndex
  std::vector<ReportMethod> methods_;
  std::map<int64_t, Counts> monitors_by_type_;
  std::vector<ReportSite::Outcome> monitors_;
  std::array<Counts, kTableCount> totals_{};
  FlameTree flames_;
  std::map<std::string, FlameTree> flames_of_threads_;
  std::set<uint32_t> periods_;
};

}  // namespace iprof
