#include "agent/vm/counting/freezer.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "agent/vm/classes/named_classes.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/own_jvm.h"
#include "writer/base/grouped.h"

namespace iprof::vm {
namespace {

constexpr double kLookPeriod = 1;
// Before counters may go, their interval lasts so long.
constexpr std::chrono::milliseconds kLeastInterval{1800};

// How long to wait for a harvest of classes that another thread does.
constexpr std::chrono::milliseconds kHarvestPatience{1000};

const TypeCounts* AddressOf(const std::optional<TypeCounts>& types) {
  return types ? &*types : nullptr;
}

double ToSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

// The names of their classes, in this order.
std::vector<std::string> ClassesOf(const std::vector<Budget::Candidate>& methods) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const Budget::Candidate& method : methods) {
    if (seen.insert(method.class_name).second) names.push_back(method.class_name);
  }
  return names;
}

uint64_t SumOf(std::span<const uint64_t> counters) {
  uint64_t sum = 0;
  for (const uint64_t counter : counters) sum += counter;
  return sum;
}

CostMeter NewMeter(bool counts_types) {
  CostMeter meter(CostMeter::CalibrateIncrement(), counts_types);
  meter.Skip(CostMeter::ReadClocks());
  return meter;
}

}  // namespace

Freezer::Freezer(const Parts& parts, const FreezeSetting& setting)
    : vm_(parts.vm),
      log_(parts.log),
      instrumenter_(parts.instrumenter),
      store_(parts.store),
      mutex_(parts.mutex),
      setting_(setting),
      budget_({.until = setting.until,
               .overhead = setting.overhead,
               .rearm_s = ToSeconds(setting.rearm)},
              NewMeter(setting.counts_types)) {}

double Freezer::Seconds() const {
  const double cpu = static_cast<double>(CostMeter::ProcessCpuNanoseconds() - start_cpu_ns_) / 1e9;
  return std::min(cpu, ToSeconds(Clock::now() - start_));
}

CostMeter::Reading Freezer::Read(std::span<const uint64_t> counters) {
  CostMeter::Reading reading = CostMeter::ReadClocks();
  reading.increments = SumOf(counters);
  reading.loop_ns = CostMeter::CalibrateIncrement();
  return reading;
}

bool Freezer::Work(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, const Hooks& hooks) {
  if (Seconds() < next_look_s_) return false;
  const LocalFrame frame(jni);
  Swap swap;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock || !store_.is_open())
      return false;  // a profile is being made, or nothing is recorded
    swap = Look(jvmti, jni, guard);
    NoteFigures();
  }
  if (swap.classes != nullptr) {
    Swapped swapped;
    Run(jvmti, jni, guard, *swap.classes, hooks, swapped);
    if (swap.is_thaw) {
      RunAgain(jvmti, jni, guard, swap.names, hooks, swapped);
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

Freezer::Swap Freezer::Look(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard) {
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  budget_.Measure(Read(counters), has_swapped_);
  has_swapped_ = false;
  const double now = Seconds();
  next_look_s_ = now + kLookPeriod;
  switch (budget_.Next(now, ToSeconds(Clock::now() - interval_begin_))) {
    case Budget::Act::kWait:
      return {};
    case Budget::Act::kThaw:
      return Thaw(jvmti, jni, guard);
    case Budget::Act::kChoose:
      break;
  }
  Swap swap = Freeze(jvmti, jni, guard, counters);
  budget_.Chose(swap.classes != nullptr);
  return swap;
}

// Shapes are compared from one choice to the next.
void Freezer::Advance(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<uint64_t>& counters) {
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  const auto classes = instrumenter_.Classes(counters, TypeCounts());
  counts_.Advance({*classes, counters, Seconds(), AddressOf(types)});
  interval_begin_ = Clock::now();
}

Freezer::Swap Freezer::Freeze(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
                              const std::vector<uint64_t>& counters) {
  std::vector<Budget::Candidate> chosen;
  std::unique_ptr<const iprof::ClassSource> classes;
  if (budget_.IsAnyHot(counters, Seconds())) {
    classes = instrumenter_.Classes(counters, TypeCounts());
    Budget::Choice choice = budget_.Candidates(*classes, counters, Seconds());
    const auto verdicts = counts_.Examine(*classes, counters, choice.Hot());
    chosen = budget_.Choose(std::move(choice), verdicts, Seconds());
  }
  budget_.Saw(counters, Seconds());
  if (chosen.empty()) {
    Advance(jvmti, jni, counters);
    return {};
  }
  const std::optional<TypeCounts> types = Types(jvmti, jni);  // soon after the counters
  const std::vector<CounterIndex> methods = FindChangeable(jvmti, jni, guard, chosen);
  std::vector<CounterIndex> froze =
      counts_.Freeze({*classes, counters, Seconds(), AddressOf(types)}, methods);
  interval_begin_ = Clock::now();
  instrumenter_.frozen().Freeze(froze);
  const std::unordered_set<CounterIndex> changeable(methods.begin(), methods.end());
  for (const Budget::Candidate& candidate : chosen) {
    if (!changeable.contains(candidate.first) || counts_.IsFrozen(candidate.first)) continue;
    budget_.lives().Take(MethodEvent::kNotCalled, candidate.first, Seconds());
    budget_.Keep(WhyKept::kUncalled, candidate);
  }
  if (froze.empty()) return {};
  return SwapFrozen(jvmti, jni, std::move(chosen), std::move(froze));
}

// Of the chosen methods, those whose classes can be changed.
std::vector<CounterIndex> Freezer::FindChangeable(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
                                                  const std::vector<Budget::Candidate>& chosen) {
  std::set<std::string> found;
  std::set<std::string> changeable;
  {
    const LoadedClasses all(jvmti, jni);
    const std::vector<jclass> linked = FindClasses(jvmti, all.all(), ClassesOf(chosen)).linked;
    found = NamesOf(jvmti, linked);
    changeable = NamesOf(jvmti, guard.Pass(jni, linked));
  }
  std::vector<CounterIndex> methods;
  for (const Budget::Candidate& candidate : chosen) {
    if (changeable.contains(candidate.class_name)) {
      methods.push_back(candidate.first);
      continue;
    }
    // Not found: a hidden class, or one that was unloaded and may be loaded again.
    const bool is_found = found.contains(candidate.class_name);
    budget_.lives().Take(is_found ? MethodEvent::kRefused : MethodEvent::kNotFound, candidate.first,
                         Seconds());
    budget_.Keep(is_found ? WhyKept::kUnchangeable : WhyKept::kMissing, candidate);
  }
  return methods;
}

Freezer::Swap Freezer::SwapFrozen(jvmtiEnv* jvmti, JNIEnv* jni,
                                  std::vector<Budget::Candidate> chosen,
                                  std::vector<CounterIndex> froze) {
  std::erase_if(chosen, [&](const auto& method) { return !counts_.IsFrozen(method.first); });
  std::map<std::string, std::vector<CounterIndex>> froze_in;
  for (const Budget::Candidate& method : chosen)
    froze_in[method.class_name].push_back(method.first);
  budget_.Freeze(froze_in, Seconds());
  {
    const std::lock_guard lock(figures_mutex_);
    ++figures_.rounds;
  }
  log_.Step(
      fmt::format("{} methods of {} classes are counted no more", froze.size(), froze_in.size()));
  // Listed again: to measure takes a while, in which no class was kept loaded. Hottest first.
  const LoadedClasses all(jvmti, jni);
  return {
      std::make_unique<WeakClasses>(jni, FindClasses(jvmti, all.all(), ClassesOf(chosen)).linked),
      std::move(froze)};
}

// The methods of classes that kept their probes are counted on. If several loaders have the class and one of
// them was changed, they stay frozen: what the others still count is not estimated. So do those that lost their
// probes when somebody else had the class transformed.
void Freezer::FinishFreeze(std::span<const CounterIndex> froze, const Swapped& swapped) {
  const std::lock_guard lock(mutex_);
  std::vector<CounterIndex> methods;
  for (const CounterIndex method : froze) {
    const std::string_view in = budget_.lives().ClassOfFrozen(method);
    if (in.empty() || !swapped.refused.contains(in) || swapped.changed.contains(in)) continue;
    if (!swapped.kept_back.contains(in) || !instrumenter_.frozen().IsLeftOut(method))
      methods.push_back(method);
  }
  counts_.Thaw(methods);
  instrumenter_.frozen().Thaw(methods);
  for (const CounterIndex method : methods)
    budget_.lives().Take(MethodEvent::kRefused, method, Seconds());
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
  interval_begin_ = Clock::now();
  budget_.Open(counters, Read(counters), Seconds());
}

void Freezer::Close(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (counts_.frozen() > 0) Advance(jvmti, jni, store_.RawCounters(jni));
  TellLimit();
}

bool Freezer::EndInterval(jvmtiEnv* jvmti, JNIEnv* jni) {
  // While nothing is recorded there is no interval: Close has ended the last one.
  if (counts_.frozen() == 0 || !store_.is_open()) return true;
  if (Clock::now() - interval_begin_ < kLeastInterval) return false;
  Advance(jvmti, jni, store_.RawCounters(jni));
  return true;
}

void Freezer::Reset(jvmtiEnv* jvmti, JNIEnv* jni) {
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  counts_.Restart(counters, Seconds(), AddressOf(types));
  interval_begin_ = Clock::now();
  budget_.Reset();
  NoteFigures();
}

MethodEstimates Freezer::AddTo(jvmtiEnv* jvmti, JNIEnv* jni, RawCounts& counts) const {
  if (!store_.is_open() || counts_.frozen() == 0) return counts_.AddTo(counts);
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::optional<TypeCounts> types = Types(jvmti, jni);
  const auto classes = instrumenter_.Classes(counters, TypeCounts());
  return counts_.AddTo({*classes, counters, Seconds(), AddressOf(types)}, counts);
}

void Freezer::Release(CounterRange range, std::span<const uint64_t> raw,
                      std::span<uint64_t> values) {
  counts_.Release(range, values);
  instrumenter_.frozen().Release(range);
  budget_.Release(range, raw);
}

void Freezer::NoteFigures() {
  const std::lock_guard lock(figures_mutex_);
  const CostMeter& meter = budget_.meter();
  figures_.bytes = counts_.bytes() + budget_.bytes();
  figures_.known = counts_.known();
  figures_.increments_per_s = meter.increments_per_s();
  figures_.cost = meter.share();
  figures_.range = meter.range();
  figures_.cost_now = meter.last_share();
  figures_.over_limit = budget_.LimitText();
  figures_.kept = budget_.Kept();
}

FreezeFigures Freezer::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

std::string Freezer::Summary(size_t estimated) const {
  const FreezeFigures figures = this->figures();
  return fmt::format(
      "methods with estimated counts: {}; without probes now: {}; counting costs about {:.1f} % "
      "({:.0f} to {:.0f} %) of the program's time\n",
      Grouped(estimated), Grouped(figures.methods), 100 * figures.cost, 100 * figures.range.least,
      100 * figures.range.most);
}

std::string Freezer::Report() const {
  const FreezeFigures figures = this->figures();
  std::string report = fmt::format(
      "without probes: {} methods, after {} rounds and {} rearms; {} classes swapped in {} pauses "
      "(the longest {:.0f} ms), {} refused\n"
      "counting costs about {:.1f} % of the program's time, {:.1f} % at the end; an increment "
      "{:.2f} ns, {:.1f} million of them a second at the end\n",
      figures.methods, figures.rounds, figures.rearms, figures.swap.classes, figures.swap.pauses,
      std::chrono::duration<double, std::milli>(figures.swap.longest_pause).count(),
      figures.swap.refused, 100 * figures.cost, 100 * figures.cost_now,
      budget_.meter().ns_per_increment(), figures.increments_per_s / 1e6);
  if (const std::string kept = DescribeKept(figures.kept); !kept.empty()) report += kept + "\n";
  return report;
}

void Freezer::TellLimit() {
  std::string warning;
  {
    const std::lock_guard lock(figures_mutex_);
    warning = std::exchange(figures_.over_limit, {});
  }
  if (!warning.empty()) log_.Warning(warning);
}

}  // namespace iprof::vm
