#include "agent/vm/budget/budget.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "writer/base/grouped.h"

namespace iprof::vm {
namespace {

constexpr double kFirstChoice = 1;
constexpr double kChoiceGrowth = 1.5;
constexpr double kMostChoicePeriod = 20;
// A shape is learnt in an interval of at least this length.
constexpr double kLeastInterval = 0.9;
// How long methods count after they have thawed.
constexpr double kThawedFor = 2;
constexpr double kMostForFirstThaw = 0.05;
constexpr double kMostForSwaps = 0.02;

uint64_t At(std::span<const uint64_t> counters, size_t index) {
  return index < counters.size() ? counters[index] : 0;
}

uint64_t Grown(std::span<const uint64_t> counters, std::span<const uint64_t> since, size_t index) {
  return At(counters, index) - std::min(At(counters, index), At(since, index));
}

std::string_view TextOf(WhyKept why) {
  switch (why) {
    case WhyKept::kLoop:
      return "a loop in the class runs all the time";
    case WhyKept::kUnsteady:
      return "calls did not do the same in two intervals";
    case WhyKept::kUncalled:
      return "the callers are not counted";
    case WhyKept::kMissing:
      return "the class is hidden, as those of lambdas and many scripts are, or was unloaded";
    case WhyKept::kUnchangeable:
      return "the JVM cannot change the class, or somebody else redefined it";
    case WhyKept::kSwapped:
      return "the class was changed too often already";
    case WhyKept::kDoesNotPay:
      return "taking them out has not paid yet";
  }
  return "";
}

void ZeroRange(std::vector<uint64_t>& counters, CounterRange range) {
  const auto begin = static_cast<size_t>(range.first);
  for (size_t i = begin; i < std::min(begin + range.count, counters.size()); ++i) counters[i] = 0;
}

}  // namespace

Budget::Budget(const Setting& setting, const CostMeter& meter)
    : setting_(setting),
      until_(setting.until > 0 ? setting.until : kEnoughForShape),
      meter_(meter),
      next_choice_s_(kFirstChoice),
      choice_period_s_(kFirstChoice),
      thaw_period_s_(setting.rearm_s) {}

void Budget::Measure(CostMeter::Reading reading, bool swapped) {
  reading.increments += taken_;
  meter_.Note(reading, swapped);
  if (swapped) return;  // the interval was in part measured with the methods
  if (is_new_choice_) is_settled_ = true;
  is_new_choice_ = false;
}

Budget::Act Budget::Next(double now_s, double interval_s) {
  if (IsThawDue(now_s)) return Act::kThaw;
  if (now_s < next_choice_s_ || interval_s < kLeastInterval) return Act::kWait;
  choice_period_s_ = std::min(choice_period_s_ * kChoiceGrowth, kMostChoicePeriod);
  next_choice_s_ = now_s + choice_period_s_;
  kept_ = {};
  return Act::kChoose;
}

bool Budget::IsThawDue(double now_s) {
  if (lives_.frozen() == 0) thaw_at_s_ = 0;
  return thaw_at_s_ > 0 && now_s >= thaw_at_s_ &&
         ThawPays({.recorded_s = meter_.measured_s(),
                   .swapped_s = meter_.swapped_s(),
                   .last_swap_s = meter_.last_swap_s()},
                  !has_thawed_);
}

void Budget::PlanThaw(double now_s) {
  if (thaw_period_s_ > 0 && thaw_at_s_ == 0) thaw_at_s_ = now_s + thaw_period_s_;
}

bool Budget::IsAnyHot(std::span<const uint64_t> counters, double now_s) const {
  if (setting_.overhead > 0 && !is_thawed_ && meter_.counting_share() <= setting_.overhead)
    return false;
  const double seconds = std::max(now_s - seen_at_s_, 1e-3);
  for (size_t i = 0; i < counters.size(); ++i) {
    if (counters[i] < until_) continue;
    // A method's counters together may be hot though none of them is.
    const auto grown = static_cast<double>(Grown(counters, seen_, i));
    if (grown > 0 && grown / seconds >= kIdle / 8) return true;
  }
  return false;
}

Budget::Choice Budget::Candidates(const iprof::ClassSource& classes,
                                  std::span<const uint64_t> counters, double now_s) const {
  const double seconds = std::max(now_s - seen_at_s_, 1e-3);
  Choice choice;
  for (size_t number = 0; number < classes.size(); ++number) {
    ClassRecord scratch;
    for (const CountedMethod& m : classes.Get(number, scratch).methods) {
      const auto first = static_cast<uint32_t>(m.first);
      // The counters of unloaded classes follow after all others.
      if (m.counters == 0 || first >= counters.size() || lives_.IsFrozen(m.first)) continue;
      Candidate candidate{.first = m.first, .class_name = {}, .method = {}};
      uint64_t increments = 0;
      for (uint32_t i = first; i < first + m.counters; ++i) {
        candidate.counted = std::max(candidate.counted, At(counters, i));
        increments += Grown(counters, seen_, i);
      }
      if (increments == 0) continue;
      candidate.class_name = classes.NameOf(number);
      candidate.increments_per_s = static_cast<double>(increments) / seconds;
      if (candidate.increments_per_s >= kIdle && candidate.counted >= until_)
        candidate.method = m.name;
      candidate.why = lives_.WhyNot(m.first, candidate.class_name, now_s);
      choice.candidates.push_back(std::move(candidate));
    }
  }
  return choice;
}

std::vector<CounterIndex> Budget::Choice::Hot() const {
  std::vector<CounterIndex> hot;
  for (const Candidate& candidate : candidates) {
    if (candidate.increments_per_s >= kIdle) hot.push_back(candidate.first);
  }
  return hot;
}

std::vector<Budget::Candidate> Budget::Choose(Choice choice, const ShapeHistory::Verdicts& verdicts,
                                              double now_s) {
  LeaveOut(choice.candidates, verdicts);
  std::vector<Candidate> chosen;
  double increments_per_s = 0;
  for (const size_t m : Ready(choice, until_)) {
    increments_per_s += choice.candidates[m].increments_per_s;
    chosen.push_back(std::move(choice.candidates[m]));
  }
  const double saved = increments_per_s * meter_.ns_per_increment() / 1e9;
  if (is_thawed_ || RoundPays(saved, now_s, meter_.next_swap_s())) return chosen;
  for (const Candidate& candidate : chosen) Keep(WhyKept::kDoesNotPay, candidate);
  return {};
}

// Of the hot methods, those that are not steady may not freeze, nor those of a class in which a loop runs.
void Budget::LeaveOut(std::vector<Candidate>& candidates, const ShapeHistory::Verdicts& verdicts) {
  const std::set<CounterIndex> steady(verdicts.steady.begin(), verdicts.steady.end());
  const std::set<CounterIndex> looping(verdicts.looping.begin(), verdicts.looping.end());
  std::set<std::string_view> held;
  for (const Candidate& candidate : candidates) {
    if (looping.contains(candidate.first)) held.insert(candidate.class_name);
  }
  for (Candidate& candidate : candidates) {
    if (held.contains(candidate.class_name)) {
      candidate.why = WhyKept::kLoop;
    } else if (!candidate.why && !steady.contains(candidate.first)) {
      candidate.why = WhyKept::kUnsteady;
    }
    if (candidate.why) Keep(*candidate.why, candidate);
  }
}

std::vector<size_t> Budget::Ready(const Choice& choice, uint64_t until) {
  const std::vector<Candidate>& methods = choice.candidates;
  std::vector<size_t> ready;
  for (size_t m = 0; m < methods.size(); ++m) {
    const Candidate& method = methods[m];
    if (!method.why && method.counted >= until && method.increments_per_s >= kIdle)
      ready.push_back(m);
  }
  std::stable_sort(ready.begin(), ready.end(), [&](size_t a, size_t b) {
    return methods[a].increments_per_s > methods[b].increments_per_s;
  });
  return ready;
}

bool Budget::RoundPays(double saved, double program_s, double round_s) {
  return saved > 0 && saved * kLongRun * program_s >= round_s;
}

bool Budget::ThawPays(const Spent& spent, bool is_first) {
  const double cost_s = 3 * spent.last_swap_s;
  if (is_first) return cost_s <= kMostForFirstThaw * spent.recorded_s;
  return spent.swapped_s + cost_s <= kMostForSwaps * spent.recorded_s;
}

void Budget::Chose(bool froze) { (froze ? is_new_choice_ : is_settled_) = true; }

void Budget::Saw(std::span<const uint64_t> counters, double now_s) {
  seen_.assign(counters.begin(), counters.end());
  seen_at_s_ = now_s;
}

void Budget::Freeze(const std::map<std::string, std::vector<CounterIndex>>& froze, double now_s) {
  for (const auto& [name, methods] : froze) lives_.Freeze(name, methods, now_s);
  PlanThaw(now_s);
  is_thawed_ = false;
}

void Budget::Thaw(const std::set<std::string, std::less<>>& but, double now_s) {
  thaw_at_s_ = 0;
  thaw_period_s_ *= 2;
  has_thawed_ = is_thawed_ = true;
  kept_ = {};
  ForgetChoice();
  lives_.Thaw(but, now_s);
}

void Budget::ThawEnded(std::span<const uint64_t> counters, double now_s) {
  Saw(counters, now_s);
  if (lives_.frozen() > 0) PlanThaw(now_s);
  next_choice_s_ = now_s + kThawedFor;
  choice_period_s_ = kFirstChoice;
}

void Budget::Open(std::span<const uint64_t> counters, CostMeter::Reading reading, double now_s) {
  ForgetChoice();
  Saw(counters, now_s);
  reading.increments += taken_;
  meter_.Skip(reading);
}

// Why methods kept their probes says nothing any more.
void Budget::Reset() {
  meter_.Restart();
  kept_ = {};
  ForgetChoice();
}

void Budget::Release(CounterRange range, std::span<const uint64_t> raw) {
  taken_ = std::accumulate(raw.begin(), raw.end(), taken_);
  lives_.Release(range);
  ZeroRange(seen_, range);
}

bool Budget::IsOverLimit() const {
  return setting_.overhead > 0 && is_settled_ && meter_.counting_share() > setting_.overhead;
}

std::string Budget::LimitText() const {
  const std::vector<KeptReason> kept = Kept();
  if (!IsOverLimit() || kept.empty()) return {};
  return fmt::format(
      "overhead={:.0f}% was not reached: counting costs about {:.1f} % of the program's time; {}",
      100 * setting_.overhead, 100 * meter_.counting_share(), DescribeKept(kept));
}

void Budget::Keep(WhyKept why, const Candidate& candidate) {
  if (candidate.method.empty()) return;
  Group& group = kept_[static_cast<size_t>(why)];
  if (group.methods++ > 0 && candidate.increments_per_s <= group.hottest) return;
  group.hottest = candidate.increments_per_s;
  group.example = candidate.class_name;
  std::replace(group.example.begin(), group.example.end(), '/', '.');
  group.example += '.';
  group.example += candidate.method;
}

std::vector<KeptReason> Budget::Kept() const {
  std::vector<KeptReason> reasons;
  for (size_t why = 0; why < kReasons; ++why) {
    const Group& group = kept_[why];
    if (group.methods == 0) continue;
    reasons.push_back(
        {fmt::format("{} ({})", TextOf(static_cast<WhyKept>(why)), group.example), group.methods});
  }
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const KeptReason& a, const KeptReason& b) { return a.methods > b.methods; });
  return reasons;
}

std::string DescribeKept(const std::vector<KeptReason>& reasons) {
  std::string text;
  for (const KeptReason& reason : reasons) {
    if (text.empty()) {
      text =
          fmt::format("{} {} because {}", Grouped(reason.methods),
                      reason.methods == 1 ? "method keeps its probes" : "methods keep their probes",
                      reason.what);
    } else {
      text += fmt::format(", and {} because {}", Grouped(reason.methods), reason.what);
    }
  }
  return text;
}

}  // namespace iprof::vm
