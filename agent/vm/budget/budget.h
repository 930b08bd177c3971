// Budget: which methods lose their probes, when, and when they get them back, so that counting costs no more than it
// may.
//
//  - Methods are chosen a second after the start, and then ever more rarely, up to every 20 seconds. A method is ready
//    once it has counted `until` and is steady. One that counts slowly stays: it costs nothing, and its exact counts keep
//    the estimates of others true.
//  - While counting costs more than the limit (`overhead`), all ready methods freeze in one round, if that pays. HotSpot
//    forgets the code and the profiles of the classes of a round, and most of the program warms up again. So one large round
//    costs little more than a small one.
//  - A round pays if it saves more than it costs in kLongRun times the time that the program has run. It costs what the last
//    swap cost, or at first as much as the program's own warm-up. How long the program will run is not known, but a budget
//    is for long runs, and a round costs less the earlier it is.
//  - A period (`rearm_s`) after the first methods froze, they thaw for two seconds, so that a new phase of the program is
//    noticed, and freeze again. The next period is twice as long. This costs two rounds, and the counting between. The first
//    time, that may take a twentieth of the recording; later all swaps together may take a fiftieth.
//
// Example: overhead=5%. After 8 seconds the compilers have worked for 3, and counting costs 60 %, nearly all of it in ready
// methods. A round costs 6 seconds, and saves 0.35 each second, so 28 in the next 80: they freeze. At 14 seconds the
// program is warm again, and the rest costs 2 %. No other method freezes before that is more than 5 %.
//
// Guarantees: pure: it knows no JVM and reads no clock.
// Threads: one at a time; the owner locks. Failure: throws std::bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/vm/budget/cost_meter.h"
#include "agent/vm/budget/method_life.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/shape_history.h"

namespace iprof::vm {

// Why methods keep their probes, for a user. `what` is part of a sentence: "a loop in the class runs all the time
// (Solo.main)", with the hottest of them.
struct KeptReason {
  std::string what;
  uint64_t methods = 0;
  bool operator==(const KeptReason&) const = default;
};
// "3 methods keep their probes because a loop in the class runs all the time (Solo.main), and 1 because …";
// empty: nothing.
std::string DescribeKept(const std::vector<KeptReason>& reasons);

class Budget {
 public:
  // Below this, a method's increments per second cost less than one part in 100,000 of a processor.
  static constexpr double kIdle = 5'000;
  static constexpr double kLongRun = 10;
  // Enough increments to know a method's shape.
  static constexpr uint64_t kEnoughForShape = 10'000;

  struct Setting {
    uint64_t until = 0;   // increments of one counter; 0: as many as a shape needs
    double overhead = 0;  // share of the program's time; 0: no limit
    double rearm_s = 0;   // 0: methods stay frozen
  };
  enum class Act : uint8_t { kWait, kChoose, kThaw };

  Budget(const Setting& setting, const CostMeter& meter);

  // What counting has cost until now; `reading` is without the counters that were released. `swapped`: classes were
  // swapped since the last call.
  void Measure(CostMeter::Reading reading, bool swapped);
  // What to do now, `interval_s` after the begin of an interval (FrozenCounts). The times of the next choices follow.
  Act Next(double now_s, double interval_s);

  // A method that counts.
  struct Candidate {
    CounterIndex first{};
    std::string class_name;
    std::string method;            // empty unless it is hot and has counted enough
    uint64_t counted = 0;          // its largest counter
    double increments_per_s = 0;   // of all its counters
    std::optional<WhyKept> why{};  // it may not freeze
  };
  struct Choice {
    std::vector<Candidate> candidates;
    // Those whose shapes matter.
    std::vector<CounterIndex> Hot() const;
  };
  // Whether there may be methods to freeze. Takes less time than the candidates.
  bool IsAnyHot(std::span<const uint64_t> counters, double now_s) const;
  Choice Candidates(const iprof::ClassSource& classes, std::span<const uint64_t> counters,
                    double now_s) const;
  // The methods that shall freeze now, hottest first; none if it does not pay. `verdicts`: on the hot ones.
  std::vector<Candidate> Choose(Choice choice, const ShapeHistory::Verdicts& verdicts,
                                double now_s);
  // One of them keeps its probes after all.
  void Keep(WhyKept why, const Candidate& candidate);
  // A choice has ended, and these counters belong to it. `froze`: methods lose their probes now.
  void Chose(bool froze);
  void Saw(std::span<const uint64_t> counters, double now_s);

  // These methods freeze, by class, and the classes will be swapped.
  void Freeze(const std::map<std::string, std::vector<CounterIndex>>& froze, double now_s);
  // All thaw but those of these classes. ThawEnded once their classes were swapped, or refused.
  void Thaw(const std::set<std::string, std::less<>>& but, double now_s);
  void ThawEnded(std::span<const uint64_t> counters, double now_s);

  // The recording goes on after a pause.
  void Open(std::span<const uint64_t> counters, CostMeter::Reading reading, double now_s);
  // What was recorded so far is forgotten.
  void Reset();
  // Counters that had these values will belong to other methods.
  void Release(CounterRange range, std::span<const uint64_t> raw);

  MethodLives& lives() { return lives_; }
  const MethodLives& lives() const { return lives_; }
  const CostMeter& meter() const { return meter_; }
  // Whether counting costs more than `overhead` because of the last choice. Not before the first one of a recording,
  // not while all methods count again, and not before a second was measured without the methods that froze since.
  bool IsOverLimit() const;
  // For a user, if it is over the limit: what its increments cost, and why methods keep their probes; empty: nothing.
  std::string LimitText() const;
  // Why hot methods kept their probes at the last choice; most methods first.
  std::vector<KeptReason> Kept() const;
  size_t bytes() const { return seen_.capacity() * sizeof(uint64_t); }

  // The parts of the rules above.
  static std::vector<size_t> Ready(const Choice& choice, uint64_t until);
  // `saved`: processors that counting takes in the methods of the round.
  static bool RoundPays(double saved, double program_s, double round_s);
  struct Spent {
    double recorded_s = 0;   // the recording so far
    double swapped_s = 0;    // what all swaps cost so far
    double last_swap_s = 0;  // and the last one
  };
  static bool ThawPays(const Spent& spent, bool is_first);

 private:
  struct Group {
    uint64_t methods = 0;
    double hottest = 0;  // of the example
    std::string example;
  };
  static constexpr size_t kReasons = static_cast<size_t>(WhyKept::kDoesNotPay) + 1;

  void LeaveOut(std::vector<Candidate>& candidates, const ShapeHistory::Verdicts& verdicts);
  bool IsThawDue(double now_s);
  void PlanThaw(double now_s);
  void ForgetChoice() { is_new_choice_ = is_settled_ = false; }

  const Setting setting_;
  const uint64_t until_;
  CostMeter meter_;
  MethodLives lives_;
  std::array<Group, kReasons> kept_;  // at the last choice

  std::vector<uint64_t> seen_;  // the counters at the last choice
  double seen_at_s_ = 0;
  uint64_t taken_ = 0;  // increments of counters that were released

  double next_choice_s_;
  double choice_period_s_;
  double thaw_period_s_;
  double thaw_at_s_ = 0;     // 0: no method is frozen
  bool has_thawed_ = false;  // methods thawed before
  bool is_thawed_ = false;   // and nothing froze since
  bool is_new_choice_ = false;
  bool is_settled_ = false;
};

}  // namespace iprof::vm
