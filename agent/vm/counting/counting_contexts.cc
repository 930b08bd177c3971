// Stacks of calls and branches whose callers may matter (contexts=all). See counting.h.
#include <fmt/core.h>

#include <algorithm>

#include "agent/vm/budget/cost_meter.h"
#include "agent/vm/counting/counting.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/lock_within.h"

namespace iprof::vm {
namespace {

// Without an earlier profile, what the program has done in so much CPU time says which sites matter.
constexpr uint64_t kFindAfterNs = 5'000'000'000;

}  // namespace

void Counting::PrepareContexts() {
  if (!plan_.options.context_stacks) return;
  const instrument::ProfileWeights* const earlier =
      plan_.weights == nullptr ? nullptr : plan_.weights->earlier();
  if (earlier != nullptr) {
    const instrument::ContextSites& chosen = earlier->contexts();
    if (chosen.sites().empty())
      log_.Warning(
          "contexts=all: no call or branch in the profile of weights= does several things");
    store_.TakeStacks(chosen, log_, instrumenter_);
  } else if (!plan_.restorable) {
    log_.Warning(
        "contexts=all has the effect of contexts=calls: another agent follows iprofagent on the "
        "command line, so code cannot be swapped; name iprofagent last, or give weights=");
  } else {
    finds_contexts_ = true;
  }
}

bool Counting::FindContexts(JNIEnv* jni) {
  if (!finds_contexts_ || CostMeter::ProcessCpuNanoseconds() < kFindAfterNs) return false;
  const LocalFrame frame(jni);
  {
    const std::unique_lock lock(unload_mutex_, std::try_to_lock);
    if (!lock || !store_.is_open()) return false;  // try later
    finds_contexts_ = false;
    chosen_ = ChooseContexts(jni);
    if (chosen_.sites().empty()) return false;
    const Status status =
        store_.TakeStacksNow(environment_.get(), jni, chosen_, log_, instrumenter_);
    if (!status.ok()) {
      log_.Error(fmt::format("no stacks are taken for contexts=all: {}", status.message()));
      return false;
    }
  }
  const auto is_chosen = [&](InternalName internal) {
    std::string name(internal.text());
    std::replace(name.begin(), name.end(), '/', '.');
    return chosen_.classes().contains(name);
  };
  const RestoredClasses swapped = ClassRestorer(vm_, environment_.get(), *guard_, plan_.pause)
                                      .Run(jni, {.is_counted = is_chosen,
                                                 .not_linked = [](jclass) {},
                                                 .goes_on = [this] { return IsOn(); }});
  log_.Step(fmt::format("stacks are taken at {} calls and branches of {} classes, in {} pauses",
                        chosen_.sites().size(), swapped.outcome.classes, swapped.outcome.pauses));
  return true;
}

// Of what was counted so far, as a profile shows it.
instrument::ContextSites Counting::ChooseContexts(JNIEnv* jni) {
  const RawCounts counts = store_.Read(environment_.get(), jni, kHarvestTimeout).counts;
  const auto classes = instrumenter_.Classes(counts.counters, counts.types, Origins());
  AssemblyOptions options = instrumenter_.assembly_options();
  options.call_edges = false;
  const LiveFrameCount no_frames = [](const MethodKey&) { return uint64_t{0}; };
  Profile profile;
  profile.AddStandardTypes();
  AssembleProfile(*classes, {classes->counters(), classes->types(), no_frames}, options, profile);
  return instrument::ContextSites(profile);
}

std::optional<ContextSamples> Counting::ReadContexts(std::chrono::milliseconds patience) const {
  if (store_.contexts() == nullptr) return std::nullopt;
  const ClassFilePositions to_class_file = positions();
  return store_.contexts()->Samples(
      [&](std::span<ContextStacks::Position> places) {
        std::vector<ClassFilePositions::Position> translated;
        for (const ContextStacks::Position& place : places)
          translated.push_back({place.class_descriptor, place.name, place.descriptor,
                                place.running.bci, place.running.code});
        to_class_file.Translate(translated);
        for (size_t i = 0; i < places.size(); ++i) places[i].original = translated[i].original;
      },
      patience);
}

}  // namespace iprof::vm
