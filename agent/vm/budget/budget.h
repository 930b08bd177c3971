// Budget: which methods lose their probes, when, and when they get them back, so that counting costs no more than it
// may.
//
//  - Methods are chosen a second after the start, and then ever more rarely, up to every 20 seconds: in the beginning
//    most of them get hot. A method that has counted `until` freezes if it is steady, hottest first; with a
//    limit (`overhead`), only as many as are needed. A method that counts slowly stays: it costs nothing, and its exact
//    counts keep the estimates of others true.
//  - A round of swaps pays once the chosen methods have cost as much as the compilers' work, which the round will make
//    them do again. How long the program will run is not known. With this rule, freezing never costs much more
//    than twice what the better choice would have cost: to freeze at once, or never.
//  - A period (`rearm_s`) after the first methods froze, they thaw for two seconds, so that a new phase of the program is
//    noticed; the next period is twice as long. The compilers then do the work of a round twice, and until
//    the methods freeze again counting costs as much. The first time, that may take a tenth of the recording; later
//    all swaps together may take a fiftieth.
//
// Example: overhead=5%, and all methods count 30 million increments a second, of which 20 million cost 5 %. One counts
// 12 million, and freezes; the others stay. Had the class of this one been changed three times already, the next ones
// would freeze.
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
  static constexpr double kIdle = 20'000;
  // Enough increments to know a method's shape.
  static constexpr uint64_t kEnoughForShape = 10'000;

  struct Setting {
    uint64_t until = 0;   // increments of one counter; 0: as many as a shape needs
    double overhead = 0;  // share of the program's time; 0: no limit
    double rearm_s = 0;   // 0: methods stay frozen
  };
  struct Time {
    double program_s = 0;  // since the start, or the process's CPU time if that is less
    double wall_s = 0;     // since the start
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
    uint64_t since_swap = 0;       // increments
    double increments_per_s = 0;   // of all its counters
    std::optional<WhyKept> why{};  // it may not freeze
  };
  struct Choice {
    std::vector<Candidate> candidates;
    double limit =
        -1;  // increments per second that all together may go on with; negative: no limit
    // Those whose shapes matter.
    std::vector<CounterIndex> Hot() const;
  };
  // Whether there may be methods to freeze. Takes less time than the candidates.
  bool IsAnyHot(std::span<const uint64_t> counters, double now_s) const;
  Choice Candidates(const iprof::ClassSource& classes, std::span<const uint64_t> counters,
                    Time now) const;
  // The methods that shall freeze now, hottest first; none if it does not pay. `verdicts`: on the hot ones.
  std::vector<Candidate> Choose(Choice choice, const ShapeHistory::Verdicts& verdicts);
  // One of them keeps its probes after all.
  void Keep(WhyKept why, const Candidate& candidate);
  // A choice has ended, and these counters belong to it. `froze`: methods lose their probes now.
  void Chose(bool froze);
  void Saw(std::span<const uint64_t> counters, Time now);

  // These methods freeze, by class, and the classes will be swapped.
  void Freeze(const std::map<std::string, std::vector<CounterIndex>>& froze,
              std::span<const uint64_t> counters, double now_s);
  // All thaw but those of these classes. ThawEnded once their classes were swapped, or refused.
  void Thaw(const std::set<std::string, std::less<>>& but, double now_s);
  void ThawEnded(std::span<const uint64_t> counters, Time now);

  // The recording goes on after a pause.
  void Open(std::span<const uint64_t> counters, CostMeter::Reading reading, Time now);
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
  // Why hot methods kept their probes at the last choice; most methods first.
  std::vector<KeptReason> Kept() const;
  size_t bytes() const { return (seen_.capacity() + swapped_.capacity()) * sizeof(uint64_t); }

  // The parts of the rules above.
  static std::vector<size_t> Hottest(const Choice& choice, uint64_t until);
  // Processor time that the increments of the chosen methods took since the last swap, and that of the compilers.
  static bool RoundPays(double counted_s, double compiled_s);
  struct Spent {
    double recorded_s = 0;   // the recording so far
    double swapped_s = 0;    // what the compilers took because of all swaps so far
    double last_swap_s = 0;  // and because of the last one
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
  Time seen_at_;
  std::vector<uint64_t> swapped_;  // at the last swap
  uint64_t taken_ = 0;             // increments of counters that were released

  double next_choice_s_;
  double choice_period_s_;
  double thaw_period_s_;
  double thaw_at_s_ = 0;     // 0: no method is frozen
  bool has_thawed_ = false;  // methods thawed before
  bool is_new_choice_ = false;
  bool is_settled_ = false;
};

}  // namespace iprof::vm
