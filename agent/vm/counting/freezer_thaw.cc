// How frozen methods count again for a while. See freezer.h.
#include <memory>
#include <utility>

#include "agent/vm/classes/named_classes.h"
#include "agent/vm/counting/freezer.h"
#include "agent/vm/jvmti/loaded_classes.h"

namespace iprof::vm {

Freezer::Swap Freezer::Thaw(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard) {
  const std::vector<CounterIndex> frozen = budget_.lives().Frozen();
  std::set<std::string, std::less<>> names;
  for (const CounterIndex method : frozen) names.emplace(budget_.lives().ClassOfFrozen(method));
  // Before the classes are listed: one whose class file the hook sees from now on has probes.
  instrumenter_.frozen().Thaw(frozen);
  std::vector<jclass> passed;
  const LoadedClasses all(jvmti, jni);
  const FoundClasses found = FindClasses(jvmti, all.all(), {names.begin(), names.end()});
  // Methods of classes that keep code without probes stay frozen, so they are estimated on.
  std::set<std::string, std::less<>> kept(found.unlinked.begin(), found.unlinked.end());
  for (jclass klass : found.linked) {
    const std::vector<jclass> passing = guard.Pass(jni, {&klass, 1});
    if (passing.empty()) kept.insert(NameOf(jvmti, klass));
  }
  for (jclass klass : found.linked) {
    if (!kept.contains(NameOf(jvmti, klass))) passed.push_back(klass);
  }
  std::vector<CounterIndex> thawing;
  std::vector<CounterIndex> stay;
  for (const CounterIndex method : frozen)
    (kept.contains(budget_.lives().ClassOfFrozen(method)) ? stay : thawing).push_back(method);
  instrumenter_.frozen().Freeze(stay);
  budget_.Thaw(kept, Seconds());
  MarkFound(jvmti, passed);
  std::erase_if(names, [&](const std::string& name) { return kept.contains(name); });
  return {.classes = std::make_unique<WeakClasses>(jni, passed),
          .methods = std::move(thawing),
          .names = {names.begin(), names.end()},
          .is_thaw = true};
}

// Deals with classes whose code was made before the thaw, but which were not loaded yet. Those that are not
// linked cannot be changed now, so methods of these names stay frozen.
void Freezer::RunAgain(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
                       const std::vector<std::string>& names, const Hooks& hooks,
                       Swapped& swapped) {
  if (!hooks.goes_on()) return;
  hooks.settle();
  std::unique_ptr<WeakClasses> classes;
  {
    const LoadedClasses all(jvmti, jni);
    const FoundClasses found = FindOthers(jvmti, all.all(), names);
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
    const std::string_view in = budget_.lives().ClassOfFrozen(method);
    if (in.empty()) continue;  // unloaded since
    const bool is_refused = swapped.refused.contains(in);
    budget_.lives().Take(is_refused ? MethodEvent::kRefused : MethodEvent::kThawed, method,
                         Seconds());
    if (is_refused) {
      stay.push_back(method);
    } else {
      counts_.Thaw({&method, 1});
      any = true;
    }
  }
  instrumenter_.frozen().Freeze(stay);
  budget_.ThawEnded(counters, Seconds());
  if (!any) return;
  const std::lock_guard figures_lock(figures_mutex_);
  ++figures_.rearms;
}

}  // namespace iprof::vm
