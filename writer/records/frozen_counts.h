// FrozenCounts: what methods without probes would have counted.
//
// A method is frozen when enough is known of it: its probes are taken out, and its counters stand
// still. Its callers show how often it is called from then on. Time is divided into intervals, in
// each of which the same methods are frozen:
//
//  - In the interval before a method freezes, it still counts. What it counted then is its shape:
//    increments of each counter, and executions of each call, per entry. Only a method whose shape was the
//    same in the interval before that one is steady and should freeze.
//  - Calls that can run nothing else run it, and so do those others (virtual ones) whose receivers
//    say so (CallTargets). Of the rest of the virtual calls it gets the share that it had of them in
//    that interval. The entries that no call explains (reflection, handles, the
//    JVM) come from outside.
//  - In a later interval, the method's entries are those calls by callers that still count, and by
//    frozen callers, by their shapes and their receivers before they froze. What comes from
//    outside grows like the calls that are explained. Its counters grow by the entries times its
//    shape.
//
// Example: while main called f 10 times, f's two counters grew by 6 and 4, and then f froze. In the next interval main, which still
// counts, calls f 30 times: f's counters grow by 18 and 12, to 24 and 16.
//
// So frozen counts follow the exact counts and receivers of the callers that still count. They do not
// notice when a shape changes; for that, a method thaws for a while and freezes again.
//
// A frozen method whose old code still runs goes on counting, and so do its calls. An estimate is only what
// is missing: the estimated entries less those that were counted in the same interval.
//
// Guarantees: estimates are finite, not negative, and end at kMostEstimate. Through frozen callers alone
// a method gets at most kMostGrowth times the entries per second that it had. Counts of other methods are
// never touched. Without frozen methods, nothing is read.
// Threads: one at a time; the owner locks.
// Failure: throws std::bad_alloc; then the last interval may be missing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "writer/flow/flow_solver.h"
#include "writer/records/class_record.h"
#include "writer/records/count_window.h"
#include "writer/records/counter_range.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/shape_history.h"
#include "writer/records/type_counts.h"

namespace iprof {

class FrozenCounts {
 public:
  static constexpr double kMostEstimate = kMostTotal;
  static constexpr double kMostGrowth = 1000;
  static constexpr size_t kMostNamesOfUnloaded = 20'000;

  // `most_names`: of methods of unloaded classes, whose estimates are named.
  explicit FrozenCounts(size_t most_names = kMostNamesOfUnloaded) : most_names_(most_names) {}

  // The counts of the JVM at some time. Counters only grow.
  struct Moment {
    const ClassSource& classes;
    std::span<const uint64_t> counters;  // classes whose counters are beyond it are left out
    double seconds = 0;                  // since some fixed time
    // The classes that sites saw, read after the counters. Null: not known.
    const TypeCounts* types = nullptr;
  };

  // Begins the first interval, and forgets all estimates. What is frozen stays frozen.
  void Restart(std::span<const uint64_t> counters, double seconds,
               const TypeCounts* types = nullptr);
  // Begins the next interval, and keeps nothing of what was counted since the last one. No method is steady
  // then.
  void Skip(std::span<const uint64_t> counters, double seconds, const TypeCounts* types = nullptr);
  // Ends an interval and begins the next one.
  void Advance(const Moment& now);
  // About methods that count, in the current interval. A method that did not count in the interval before is
  // compared with what it did when it froze last.
  ShapeHistory::Verdicts Examine(const ClassSource& classes, std::span<const uint64_t> counters,
                                 std::span<const CounterIndex> methods) const;
  // As Advance, and these methods freeze. Those that were not entered in the interval do not, nor
  // those whose entries are mostly from outside.
  // Returns the methods that froze.
  std::vector<CounterIndex> Freeze(const Moment& now, std::span<const CounterIndex> methods);
  // These methods count again. The interval must have just begun.
  void Thaw(std::span<const CounterIndex> methods);

  // Adds the estimates to counts of the recording; with `now` also those of the current interval. Returns the methods
  // that were ever frozen, with their estimated entries (at least one if any of their counters has an estimate), and
  // from how many executions their shapes are: the fewest, if they froze several times.
  // A method's sites see, per entry, the classes that they saw in the interval before it froze, each time that it
  // froze; where these are not known, the classes' shares stay as they were counted.
  MethodEstimates AddTo(RawCounts& counts) const { return Apply(estimated_, counts); }
  MethodEstimates AddTo(const Moment& now, RawCounts& counts) const;

  // For counters that will belong to other methods: adds their estimates to the values, and forgets
  // the methods but for their estimated calls, and what ReleaseSite needs. The interval must have just begun, or it
  // is missing.
  void Release(CounterRange range, std::span<uint64_t> values);
  // How many methods with estimates were released without their names, because there were too many. A method that
  // was released several times counts as often.
  uint64_t unnamed() const { return unnamed_; }
  // For a site that will belong to another method, after its counters: adds the estimates to the classes that it saw, and
  // forgets it.
  void ReleaseSite(uint32_t site, TypeCounts& seen);

  bool IsFrozen(CounterIndex first) const;
  size_t frozen() const { return frozen_; }
  // How many methods are or were frozen and have counters.
  size_t known() const { return methods_.size(); }
  size_t bytes() const;

 private:
  // A method that is or was frozen.
  struct Method {
    std::string name;  // as profiles show it
    uint32_t counters = 0;
    uint32_t first_site = 0;
    uint32_t sites = 0;
    bool is_frozen = false;
    std::vector<uint64_t> shape;  // increments in the last interval in which it counted
    double entries = 0;           // in that interval
    double fewest = 0;            // entries of all the intervals before it froze
    double known_share = 0;       // of the calls that are known to run it; hardly ever below 1
    double virtual_share = 0;     // of virtual calls of which nothing is known
    double outside_per_s = 0;
    double explained_per_s = 0;
    bool knows_objects = false;  // those at its sites in that interval are in objects_
    double settled = 0;  // of its estimated entries: those whose objects are in settled_objects_
  };
  using Methods = std::map<uint32_t, Method>;  // by first counter
  struct Estimates {
    std::vector<double> increments;    // by counter
    std::map<uint32_t, double> calls;  // by first counter of the method
  };

  struct Calls;
  struct Flow;
  class Meter;
  // What makes the estimate of what a site saw: what was counted times `scale`, objects_ times `objects`, and
  // settled_objects_.
  struct SiteEstimate {
    double scale = 1;
    double objects = 0;
  };
  static double Explained(const Method& method, const Calls& calls);
  std::optional<TypeCounts> ObjectsSince(const TypeCounts* types) const;
  void ForgetObjects(const Method& method);
  void SettleObjects(uint32_t first, Method& method);
  Flow Measure(const Moment& now, std::span<const CounterIndex> freezing) const;
  static void Solve(Flow& flow);
  static void AddEntries(const Flow& flow, Estimates& estimates);
  bool Calibrate(const Flow& flow, CounterIndex first, Method method);
  void Begin(std::span<const uint64_t> counters, double seconds, const TypeCounts* types);
  static MethodEstimate EstimateOf(const Estimates& estimates, uint32_t first,
                                   const Method& method);
  MethodEstimates Apply(const Estimates& estimates, RawCounts& counts) const;
  static SiteEstimate EstimateSites(const Estimates& estimates, uint32_t first,
                                    const Method& method, std::span<const uint64_t> counted);
  void ApplyObjects(const SiteEstimate& estimate, uint32_t site, TypeCounts& types) const;
  // `values`: from `at` on those of the method.
  void LeaveSites(uint32_t first, const Method& method, std::span<const uint64_t> values,
                  size_t at);

  const size_t most_names_;
  Methods methods_;
  size_t frozen_ = 0;
  std::vector<uint64_t> last_;  // the counters when the interval began
  ShapeHistory history_;
  double last_s_ = 0;
  // The classes at sites when the interval began; nullopt: not known.
  std::optional<TypeCounts> last_types_{std::in_place};
  TypeCounts objects_;          // at sites of frozen methods, in the interval before they froze
  TypeCounts settled_objects_;  // estimated with the objects_ of earlier times that methods froze
  Estimates estimated_;         // of earlier intervals
  std::map<uint32_t, SiteEstimate> leaving_;  // sites whose methods are gone
  MethodEstimates released_;                  // those of methods that are gone
  uint64_t unnamed_ = 0;  // methods that are gone and have estimates, but are not in released_
};

}  // namespace iprof
