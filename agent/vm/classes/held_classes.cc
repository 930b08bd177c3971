#include "agent/vm/classes/held_classes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace iprof::vm {
namespace {

// The memory for knowing that a class is loaded: a tag in the JVM and an entry here.
constexpr uint64_t kWatchedBytes = 120;

}  // namespace

HeldClasses::HeldClasses(ClassWatch& watch, instrument::MemoryBudget& budget, Release release)
    : watch_(watch), budget_(budget), release_(std::move(release)) {
  watch_.OnGone([this](JNIEnv*, std::span<const UnloadTag> gone) { ReleaseGone(gone); });
}

void HeldClasses::HoldWhileLoaded(jclass klass, instrument::ClassId held) {
  const auto watched = watch_.Watch(klass);
  if (!watched) return;        // treat it as never unloaded
  bool holds_already = false;  // a class that is retransformed comes again
  {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = loaded_.equal_range(*watched);
    holds_already = std::any_of(first, last, [&](const auto& one) { return one.second == held; });
    if (!holds_already) loaded_.emplace(*watched, held);
    budget_.Set(instrument::MemoryPart::kWatched, loaded_.size() * kWatchedBytes);
  }
  if (holds_already) release_(held);
}

void HeldClasses::ReleaseGone(std::span<const UnloadTag> gone) {
  for (const UnloadTag one : gone) {
    std::vector<instrument::ClassId> held;
    {
      const std::lock_guard lock(mutex_);
      const auto [first, last] = loaded_.equal_range(one);
      for (auto at = first; at != last; ++at) held.push_back(at->second);
      loaded_.erase(first, last);
    }
    for (const instrument::ClassId id : held) release_(id);
  }
}

}  // namespace iprof::vm
