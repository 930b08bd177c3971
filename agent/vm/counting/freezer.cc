#include "agent/vm/counting/freezer.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/vm/counting/named_classes.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/own_jvm.h"

namespace iprof::vm {
namespace {

// With overhead= alone: enough increments to know a method's shape.
constexpr uint64_t kEnoughForShape = 10'000;

constexpr double kLookPeriod = 1;
// A shape is learnt in an interval of at least this length.
constexpr std::chrono::milliseconds kLeastInterval{900};
constexpr double kChoiceGrowth = 1.5;
constexpr double kMostChoicePeriod = 20;

// How long to wait for a harvest of classes that another thread does.
constexpr std::chrono::milliseconds kHarvestPatience{1000};

const TypeCounts* AddressOf(const std::optional<TypeCounts>& types) {
  return types ? &*types : nullptr;
}

double ToSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

uint64_t SumOf(std::span<const uint64_t> counters) {
  uint64_t sum = 0;
  for (const uint64_t counter : counters) sum += counter;
  return sum;
}

uint64_t At(const std::vector<uint64_t>& counters, size_t index) {
  return index < counters.size() ? counters[index] : 0;
}

}  // namespace

Freezer::Freezer(const Parts& parts, const FreezeSetting& setting)
    : vm_(parts.vm),
      log_(parts.log),
      instrumenter_(parts.instrumenter),
      store_(parts.store),
      mutex_(parts.mutex),
      setting_(setting),
      until_(setting.until > 0 ? setting.until : kEnoughForShape),
      meter_(CostMeter::CalibrateIncrement(), setting.counts_types),
      next_choice_s_(kFirstChoice),
      choice_period_s_(kFirstChoice),
      rearm_(ToSeconds(setting.rearm)) {
  meter_.Skip(CostMeter::ReadClocks());
}

double Freezer::Seconds() const {
  const double cpu = static_cast<double>(CostMeter::ProcessCpuNanoseconds() - start_cpu_ns_) / 1e9;
  return std::min(ToSeconds(Clock::now() - start_), cpu);
}

bool Freezer::Work(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, uint64_t own_cpu_ns,
                   const Hooks& hooks) {
  if (Seconds() < next_look_s_) return false;
  const LocalFrame frame(jni);
  Swap swap;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !store_.is_open())
      return false;  // a profile is being made, or nothing is recorded
    swap = Look(jvmti, jni, guard, own_cpu_ns);
    NoteFigures();
  }
  if (swap.classes != nullptr) {
    Swapped swapped;
    Run(jvmti, jni, guard, *swap.classes, hooks, swapped);
    if (swap.again != nullptr) {
      RunAgain(jvmti, jni, guard, *swap.again, hooks, swapped);
      FinishThaw(jvmti, jni, swap.methods, swapped);
    } else if (!swapped.refused.empty()) {
      FinishFreeze(swap.methods, swapped);
    }
  }
  const std::lock_guard lock(figures_mutex_);
  figures_.methods = instrumenter_.frozen().size();
  if (retransformer_) figures_.swap = retransformer_->outcome();
  return swap.classes != nullptr;
}

Freezer::Swap Freezer::Look(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, uint64_t own_cpu_ns) {
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  CostMeter::Reading reading = CostMeter::ReadClocks();
  reading.increments = taken_ + SumOf(counters);
  reading.thread_cpu_ns = own_cpu_ns;
  meter_.Note(reading, has_swapped_);
  // An interval with a swap was in part measured with the methods.
  if (!has_swapped_) choice_.Measured();
  has_swapped_ = false;
  const double now = Seconds();
  next_look_s_ = now + kLookPeriod;
  if (rearm_.IsDue(now, frozen_in_.size()) && ThawPays({.recorded_s = meter_.measured_s(),
                                                        .swapped_s = meter_.swapped_s(),
                                                        .last_swap_s = meter_.last_swap_s(),
                                                        .is_first = rearm_.is_first()}))
    return Thaw(jvmti, jni, guard);
  if (now < next_choice_s_ || Clock::now() - interval_begin_ < kLeastInterval) return {};
  choice_period_s_ = std::min(choice_period_s_ * kChoiceGrowth, kMostChoicePeriod);
  next_choice_s_ = now + choice_period_s_;
  if (!IsAnyHot(counters)) {
    kept_.Clear();
    choice_.Chose(false);
    Saw(counters);
    Advance(jvmti, jni, counters);
    return {};
  }
  Swap swap = Freeze(jvmti, jni, guard, counters);
  choice_.Chose(swap.classes != nullptr);
  return swap;
}

// Shapes are compared from one choice to the next.
void Freezer::Advance(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<uint64_t>& counters) {
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  const auto classes = instrumenter_.Classes(counters, TypeCounts());
  counts_.Advance({*classes, counters, Seconds(), AddressOf(types)});
  interval_begin_ = Clock::now();
}

// Whether there may be methods to freeze.
bool Freezer::IsAnyHot(const std::vector<uint64_t>& counters) const {
  if (setting_.overhead > 0 && meter_.last_share() <= setting_.overhead) return false;
  const double seconds = std::max(Seconds() - seen_s_, 1e-3);
  for (size_t i = 0; i < counters.size(); ++i) {
    if (counters[i] < until_) continue;
    const uint64_t before = At(seen_, i);
    // A method's counters together may be hot though none of them is.
    if (counters[i] > before && static_cast<double>(counters[i] - before) / seconds >= kIdle / 8)
      return true;
  }
  return false;
}

void Freezer::NoteKept(WhyKept why, const Candidate& candidate) {
  if (!candidate.method.empty())
    kept_.Note(why, candidate.increments_per_s, candidate.class_name, candidate.method);
}

std::vector<Freezer::Candidate> Freezer::Choose(const iprof::ClassSource& classes,
                                                const std::vector<uint64_t>& counters) {
  const double now = Seconds();
  const double seconds = std::max(now - seen_s_, 1e-3);
  const double wall_seconds = std::max(ToSeconds(Clock::now() - seen_at_), seconds);
  std::vector<Candidate> candidates;
  std::vector<MethodLoad> loads;
  kept_.Clear();
  for (size_t number = 0; number < classes.size(); ++number) {
    ClassRecord scratch;
    const ClassRecord& c = classes.Get(number, scratch);
    for (const CountedMethod& m : c.methods) {
      const auto first = static_cast<uint32_t>(m.first);
      // The counters of unloaded classes follow after all others.
      if (m.counters == 0 || first >= counters.size() || counts_.IsFrozen(m.first)) continue;
      MethodLoad load;
      uint64_t increments = 0;
      uint64_t since_swap = 0;
      for (uint32_t i = first; i < first + m.counters; ++i) {
        load.counted = std::max(load.counted, At(counters, i));
        increments += At(counters, i) - std::min(At(counters, i), At(seen_, i));
        since_swap += At(counters, i) - std::min(At(counters, i), At(swapped_, i));
      }
      if (increments == 0) continue;
      load.increments_per_s = static_cast<double>(increments) / seconds;
      Candidate candidate{.first = m.first,
                          .class_name = std::string(classes.NameOf(number)),
                          .method = {},
                          .since_swap = since_swap,
                          .increments_per_s = load.increments_per_s};
      if (load.increments_per_s >= kIdle && load.counted >= until_) candidate.method = m.name;
      candidate.why = barred_.WhyNot(m.first, candidate.class_name, now);
      loads.push_back(load);
      candidates.push_back(std::move(candidate));
    }
  }
  LeaveOut(classes, counters, candidates, loads);
  FreezeLimits limits{.until = until_};
  if (setting_.overhead > 0) {
    limits.increments_per_s =
        meter_.IncrementsPerSecond(setting_.overhead) * wall_seconds / seconds;
  }
  std::vector<Candidate> chosen;
  uint64_t since_swap = 0;
  for (const size_t m : ChooseMethods(loads, limits)) {
    since_swap += candidates[m].since_swap;
    chosen.push_back(std::move(candidates[m]));
  }
  const bool pays =
      RoundPays({.counted_s = static_cast<double>(since_swap) * meter_.ns_per_increment() / 1e9,
                 .compiled_s = meter_.compiled_s()});
  if (pays) return chosen;
  for (const Candidate& candidate : chosen) NoteKept(WhyKept::kDoesNotPay, candidate);
  return {};
}

// Of the hot methods, those that are not steady may not freeze, nor those of a class in which a loop runs.
void Freezer::LeaveOut(const iprof::ClassSource& classes, const std::vector<uint64_t>& counters,
                       std::vector<Candidate>& candidates, std::vector<MethodLoad>& loads) {
  std::vector<CounterIndex> hot;
  for (size_t m = 0; m < loads.size(); ++m) {
    if (loads[m].increments_per_s >= kIdle) hot.push_back(candidates[m].first);
  }
  const ShapeHistory::Verdicts verdicts = counts_.Examine(classes, counters, hot);
  const std::set<CounterIndex> steady(verdicts.steady.begin(), verdicts.steady.end());
  const std::set<CounterIndex> looping(verdicts.looping.begin(), verdicts.looping.end());
  std::set<std::string_view> held;
  for (const Candidate& candidate : candidates) {
    if (looping.contains(candidate.first)) held.insert(candidate.class_name);
  }
  for (size_t m = 0; m < loads.size(); ++m) {
    Candidate& candidate = candidates[m];
    if (held.contains(candidate.class_name)) {
      candidate.why = WhyKept::kLoop;
    } else if (!candidate.why && !steady.contains(candidate.first)) {
      candidate.why = WhyKept::kUnsteady;
    }
    loads[m].may_freeze = !candidate.why;
    if (candidate.why) NoteKept(*candidate.why, candidate);
  }
}

Freezer::Swap Freezer::Freeze(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
                              const std::vector<uint64_t>& counters) {
  const auto classes = instrumenter_.Classes(counters, TypeCounts());
  const std::vector<Candidate> chosen = Choose(*classes, counters);
  Saw(counters);
  if (chosen.empty()) {
    Advance(jvmti, jni, counters);
    return {};
  }
  const std::optional<TypeCounts> types = Types(jvmti, jni);  // soon after the counters

  std::vector<std::string> names;
  for (const Candidate& candidate : chosen) {
    if (std::find(names.begin(), names.end(), candidate.class_name) == names.end())
      names.push_back(candidate.class_name);
  }
  std::set<std::string> found;
  std::set<std::string> changeable;
  {
    const LoadedClasses all(jvmti, jni);
    const std::vector<jclass> linked = FindClasses(jvmti, all.all(), names).linked;
    found = NamesOf(jvmti, linked);
    changeable = NamesOf(jvmti, guard.Pass(jni, linked));
  }
  std::vector<CounterIndex> methods;
  for (const Candidate& candidate : chosen) {
    const bool is_found = found.contains(candidate.class_name);
    if (is_found) barred_.NoteFound(candidate.first);
    if (changeable.contains(candidate.class_name)) {
      methods.push_back(candidate.first);
      continue;
    }
    if (is_found) {
      barred_.NoteUnchangeable(candidate.first);
    } else {
      // A hidden class, or one that was unloaded and may be loaded again.
      barred_.NoteNotFound(candidate.first, Seconds());
    }
    NoteKept(WhyKept::kUnchangeable, candidate);
  }
  const std::vector<CounterIndex> froze =
      counts_.Freeze({*classes, counters, Seconds(), AddressOf(types)}, methods);
  interval_begin_ = Clock::now();
  instrumenter_.frozen().Freeze(froze);
  std::vector<std::string> to_swap;  // hottest first
  std::map<std::string, std::vector<CounterIndex>> froze_in;
  for (const Candidate& candidate : chosen) {
    const auto first = static_cast<uint32_t>(candidate.first);
    if (counts_.IsFrozen(candidate.first)) {
      frozen_in_[first] = candidate.class_name;
      froze_in[candidate.class_name].push_back(candidate.first);
      if (std::find(to_swap.begin(), to_swap.end(), candidate.class_name) == to_swap.end())
        to_swap.push_back(candidate.class_name);
    } else if (changeable.contains(candidate.class_name)) {
      barred_.NoteNotEntered(candidate.first, Seconds());
      NoteKept(WhyKept::kUncalled, candidate);
    }
  }
  if (froze.empty()) return {};
  for (const std::string& name : to_swap) barred_.NoteSwap(name, froze_in[name]);
  rearm_.Froze(Seconds());
  swapped_ = counters;
  {
    const std::lock_guard lock(figures_mutex_);
    ++figures_.rounds;
  }
  log_.Step(
      fmt::format("{} methods of {} classes are counted no more", froze.size(), to_swap.size()));
  // Listed again: to measure takes a while, in which no class was kept loaded.
  const LoadedClasses all(jvmti, jni);
  return {std::make_unique<WeakClasses>(jni, FindClasses(jvmti, all.all(), to_swap).linked), froze};
}

// The methods of classes that kept their probes are counted on. If several loaders have the class and one of
// them was changed, they stay frozen: what the others still count is not estimated. So do those that lost their
// probes when somebody else had the class transformed.
void Freezer::FinishFreeze(std::span<const CounterIndex> froze, const Swapped& swapped) {
  const std::lock_guard lock(mutex_);
  std::vector<CounterIndex> methods;
  for (const CounterIndex method : froze) {
    const auto frozen = frozen_in_.find(static_cast<uint32_t>(method));
    if (frozen == frozen_in_.end() || !swapped.refused.contains(frozen->second) ||
        swapped.changed.contains(frozen->second))
      continue;
    if (!swapped.kept_back.contains(frozen->second) || !instrumenter_.frozen().IsLeftOut(method))
      methods.push_back(method);
  }
  counts_.Thaw(methods);
  instrumenter_.frozen().Thaw(methods);
  for (const CounterIndex method : methods) {
    barred_.NoteUnchangeable(method);
    frozen_in_.erase(static_cast<uint32_t>(method));
  }
}

void Freezer::Run(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, WeakClasses& classes,
                  const Hooks& hooks, Swapped& swapped) {
  if (!retransformer_) {
    clock_.emplace(OwnJvm(vm_).structs());
    retransformer_.emplace(jvmti, &*clock_, setting_.pause);
  }
  has_swapped_ = true;
  while (!classes.empty() && hooks.goes_on()) {
    const LocalFrame frame(jni);
    const std::vector<jclass> taken = classes.Take(retransformer_->NextBatch());
    // Only now: since the classes were listed, others may have redefined them.
    const std::vector<jclass> batch = guard.Pass(jni, taken);
    for (jclass klass : taken) {
      if (std::find(batch.begin(), batch.end(), klass) == batch.end())
        swapped.kept_back.insert(NameOf(jvmti, klass));
    }
    const std::vector<jclass> refused = retransformer_->Run(batch, [](size_t) { return true; });
    for (jclass klass : batch) {
      const bool is_refused = std::find(refused.begin(), refused.end(), klass) != refused.end();
      (is_refused ? swapped.refused : swapped.changed).insert(NameOf(jvmti, klass));
    }
    guard.Swapped(jni, batch, refused);
  }
  swapped.refused.insert(swapped.kept_back.begin(), swapped.kept_back.end());
}

std::optional<TypeCounts> Freezer::Types(jvmtiEnv* jvmti, JNIEnv* jni) const {
  return store_.RawTypes(jvmti, jni, kHarvestPatience);
}

void Freezer::Open(jvmtiEnv* jvmti, JNIEnv* jni) {
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  counts_.Skip(counters, Seconds(), AddressOf(types));
  choice_.Forget();  // TellLimit has told of it
  interval_begin_ = Clock::now();
  Saw(counters);
  CostMeter::Reading reading = CostMeter::ReadClocks();
  reading.increments = taken_ + SumOf(counters);
  meter_.Skip(reading);
}

void Freezer::Saw(const std::vector<uint64_t>& counters) {
  seen_ = counters;
  seen_s_ = Seconds();
  seen_at_ = Clock::now();
}

void Freezer::Close(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (counts_.frozen() > 0) Advance(jvmti, jni, store_.RawCounters(jni));
  TellLimit();
}

bool Freezer::EndInterval(jvmtiEnv* jvmti, JNIEnv* jni) {
  // While nothing is recorded there is no interval: Close has ended the last one.
  if (counts_.frozen() == 0 || !store_.is_open()) return true;
  if (Clock::now() - interval_begin_ < 2 * kLeastInterval) return false;
  Advance(jvmti, jni, store_.RawCounters(jni));
  return true;
}

void Freezer::Reset(jvmtiEnv* jvmti, JNIEnv* jni) {
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  counts_.Restart(counters, Seconds(), AddressOf(types));
  interval_begin_ = Clock::now();
  meter_.Restart();
  ForgetChoice();
  NoteFigures();
}

FrozenCounts::EstimatedCalls Freezer::AddTo(jvmtiEnv* jvmti, JNIEnv* jni, RawCounts& counts) const {
  if (!store_.is_open() || counts_.frozen() == 0) return counts_.AddTo(counts);
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  const auto classes = instrumenter_.Classes(counters, TypeCounts());
  return counts_.AddTo({*classes, counters, Seconds(), AddressOf(types)}, counts);
}

void Freezer::Release(CounterRange range, std::span<const uint64_t> raw,
                      std::span<uint64_t> values) {
  taken_ += SumOf(raw);
  counts_.Release(range, values);
  instrumenter_.frozen().Release(range);
  const auto begin = static_cast<uint32_t>(range.first);
  const uint32_t end = begin + range.count;
  frozen_in_.erase(frozen_in_.lower_bound(begin), frozen_in_.lower_bound(end));
  barred_.Release(range);
  for (uint32_t i = begin; i < std::min<size_t>(end, seen_.size()); ++i) seen_[i] = 0;
  for (uint32_t i = begin; i < std::min<size_t>(end, swapped_.size()); ++i) swapped_[i] = 0;
}

// Why methods kept their probes says nothing any more.
void Freezer::ForgetChoice() {
  kept_.Clear();
  choice_.Forget();
}

}  // namespace iprof::vm
