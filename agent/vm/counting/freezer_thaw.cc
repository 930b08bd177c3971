// How frozen methods count again for a while. See freezer.h.
#include <memory>
#include <utility>

#include "agent/vm/counting/freezer.h"
#include "agent/vm/counting/named_classes.h"
#include "agent/vm/jvmti/loaded_classes.h"

namespace iprof::vm {
namespace {

// How long methods count after they have thawed.
constexpr double kRearmedFor = 2;

}  // namespace

Freezer::Swap Freezer::Thaw(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard) {
  rearm_.Begin();
  ForgetChoice();
  barred_.NoteThaw();
  std::set<std::string> names;
  std::vector<CounterIndex> frozen;
  for (const auto& [first, name] : frozen_in_) {
    names.insert(name);
    frozen.push_back(CounterIndex{first});
  }
  // Before the classes are listed: one whose class file the hook sees from now on has probes.
  instrumenter_.frozen().Thaw(frozen);
  std::vector<jclass> passed;
  const LoadedClasses all(jvmti, jni);
  const FoundClasses found = FindClasses(jvmti, all.all(), {names.begin(), names.end()});
  // Methods of classes that keep code without probes stay frozen, so they are estimated on.
  std::set<std::string> kept = found.unlinked;
  for (jclass klass : found.linked) {
    const std::vector<jclass> passing = guard.Pass(jni, {&klass, 1});
    if (passing.empty()) kept.insert(NameOf(jvmti, klass));
  }
  for (jclass klass : found.linked) {
    if (!kept.contains(NameOf(jvmti, klass))) passed.push_back(klass);
  }
  std::vector<CounterIndex> thawing;
  std::vector<CounterIndex> stay;
  for (const auto& [first, name] : frozen_in_)
    (kept.contains(name) ? stay : thawing).push_back(CounterIndex{first});
  instrumenter_.frozen().Freeze(stay);
  std::erase_if(names, [&](const std::string& name) { return kept.contains(name); });
  return {std::make_unique<WeakClasses>(jni, passed), std::move(thawing),
          std::make_unique<SecondLook>(jvmti, std::vector<std::string>(names.begin(), names.end()),
                                       passed)};
}

// Deals with classes whose code was made before the thaw, but which were not loaded yet. Those that are not
// linked cannot be changed now, so methods of these names stay frozen.
void Freezer::RunAgain(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, const SecondLook& again,
                       const Hooks& hooks, Swapped& swapped) {
  if (!hooks.goes_on()) return;
  hooks.settle();
  std::unique_ptr<WeakClasses> classes;
  {
    const LoadedClasses all(jvmti, jni);
    const FoundClasses found = again.Find(all.all());
    swapped.refused.insert(found.unlinked.begin(), found.unlinked.end());
    classes = std::make_unique<WeakClasses>(jni, found.linked);
  }
  Run(jvmti, jni, guard, *classes, hooks, swapped);
}

// Only now, because a method is estimated until its class counts again. Those of classes that the JVM refused
// to change stay frozen.
void Freezer::FinishThaw(jvmtiEnv* jvmti, JNIEnv* jni, std::span<const CounterIndex> thawing,
                         const Swapped& swapped) {
  const std::lock_guard lock(mutex_);
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  if (store_.is_open()) Advance(jvmti, jni, counters);
  std::vector<CounterIndex> stay;
  bool any = false;
  for (const CounterIndex method : thawing) {
    const auto frozen = frozen_in_.find(static_cast<uint32_t>(method));
    if (frozen == frozen_in_.end()) continue;  // unloaded meanwhile
    if (swapped.refused.contains(frozen->second)) {
      stay.push_back(method);
    } else {
      counts_.Thaw({&method, 1});
      frozen_in_.erase(frozen);
      any = true;
    }
  }
  instrumenter_.frozen().Freeze(stay);
  swapped_ = counters;
  Saw(counters);
  if (counts_.frozen() > 0) rearm_.Froze(Seconds());
  next_choice_s_ = seen_s_ + kRearmedFor;
  choice_period_s_ = kFirstChoice;
  if (!any) return;
  const std::lock_guard figures_lock(figures_mutex_);
  ++figures_.rearms;
}

}  // namespace iprof::vm
