// What Counting adds to a profile and to its report. See counting.h.
#include <fmt/format.h>

#include <algorithm>

#include "agent/vm/counting/counting.h"
#include "agent/vm/jvmti/lock_within.h"
#include "writer/base/hash.h"

namespace iprof::vm {

CountedProfile Counting::AddTo(JNIEnv* jni, Profile& profile, ProfileUse use) {
  const bool is_partial = use == ProfileUse::kPartial;
  // Its own work is counted, but the lock is not held for long.
  if (is_partial && origin_ != nullptr && store_.is_open()) origin_->Settle(kOriginTimeout);
  const std::unique_lock lock = LockWithin(unload_mutex_, patience());
  uint64_t without_estimates = 0;
  if (!lock) {
    if (freezer_ != nullptr) without_estimates = freezer_->figures().known;
    const std::string missing =
        without_estimates == 0
            ? std::string()
            : fmt::format(", and the estimates of {} methods are", without_estimates);
    if (!is_partial)
      log_.Error(
          fmt::format("counts of classes that are being unloaded may be missing{}", missing));
  }
  ChunkStore::Reading reading = store_.Read(environment_.get(), jni, kHarvestTimeout);
  if (!reading.whole && !is_partial) {
    log_.Error(
        "many classes of receivers are missing: the agent's thread, "
        "iprof, is suspended");
  }
  LiveFrames live;
  if (!store_.is_open()) {
    live = live_at_close_;
  } else if (!is_partial) {
    live = LiveFrames::Collect(classes_, environment_.get(), jni);
  }
  live.Add(edges_);
  // Soon after the counters were read, so that estimates are of the same time. Without the lock the agent's
  // thread may be in the middle of them.
  FrozenCounts::EstimatedCalls estimated;
  uint64_t unnamed_estimates = 0;
  if (freezer_ != nullptr && lock) {
    estimated = freezer_->AddTo(environment_.get(), jni, reading.counts);
    unnamed_estimates = freezer_->unnamed();
  }
  WarnOfCap();
  // After the counters were read, so that its own work is not counted.
  if (!is_partial && origin_ != nullptr && store_.is_open())
    origin_->Settle(classes_.HasNoneAtTheEnd() ? kHarvestTimeout : kOriginTimeout);
  instrument::AddedCounts added = instrumenter_.AddTo(
      reading.counts.counters, reading.counts.types,
      [&](const MethodKey& key) { return live.Of(key); }, profile, Origins());
  CountedProfile counted{std::move(added), positions(), std::move(estimated), without_estimates,
                         unnamed_estimates};
  counted.is_whole = lock.owns_lock() && reading.whole;
  counted.added.assembly.NoteEstimated(counted.WithEstimates() + without_estimates);
  return counted;
}

std::optional<uint64_t> Counting::MarkOf(JNIEnv* jni) {
  const std::unique_lock lock = LockWithin(unload_mutex_, patience());
  if (!lock) return std::nullopt;
  const std::vector<uint64_t> counters = store_.RawCounters(jni);
  const std::string_view bytes(reinterpret_cast<const char*>(counters.data()),
                               counters.size() * sizeof(uint64_t));
  return HashBytes(bytes, instrumenter_.classes().unloaded);
}

OriginOf Counting::Origins() const {
  if (origin_ == nullptr) return {};
  return [this](const ClassRecord& klass, const CountedMethod& method) {
    return origin_->Judge(klass, method);
  };
}

void ClassFilePositions::Translate(std::span<Position> positions) const {
  std::vector<Position*> by_class;
  for (Position& position : positions) by_class.push_back(&position);
  const auto less = [](const Position* a, const Position* b) {
    return a->class_descriptor < b->class_descriptor;
  };
  std::sort(by_class.begin(), by_class.end(), less);
  for (auto at = by_class.begin(); at != by_class.end();) {
    const auto end = std::upper_bound(at, by_class.end(), *at, less);
    TranslateOneClass({at, end});
    at = end;
  }
}

void ClassFilePositions::TranslateOneClass(std::span<Position*> positions) const {
  const Descriptor owner(positions.front()->class_descriptor);
  std::vector<instrument::ClassInstrumenter::RunningPosition> running;
  for (const Position* position : positions)
    running.push_back({position->name, position->descriptor,
                       static_cast<uint32_t>(std::max(position->running, Bci{0})), position->code});
  if (owner.IsClass())
    instrumenter_.OriginalBcis(names_.InternalName(owner.ClassName().text()), running, origin_of_);
  for (size_t i = 0; i < running.size(); ++i) {
    Position& position = *positions[i];
    position.original_length = running[i].original_length;
    position.is_recorded = running[i].is_recorded;
    // Each method begins at 0.
    if (position.running <= 0 || !owner.IsClass()) {
      position.original = position.running;
    } else if (running[i].original) {
      position.original = static_cast<Bci>(*running[i].original);
    }
  }
}

bool ClassFilePositions::MayHaveForgotten() const {
  const instrument::ClassTable::Statistics classes = instrumenter_.classes();
  return classes.dropped + classes.forgotten > 0;
}

std::string Counting::Summary(const CountedProfile& counted) const {
  std::string summary =
      instrumenter_.Summary(counted.added) + store_.LeftAlone() + access_.LeftAlone();
  if (earlier_ != nullptr) summary += earlier_->LeftAlone();
  if (freezer_ != nullptr) summary += freezer_->Summary(counted.WithEstimates());
  if (plan_.weights != nullptr && plan_.weights->earlier() != nullptr) {
    const instrument::ProfileWeights& earlier = *plan_.weights->earlier();
    summary +=
        fmt::format("weights: {} branches; {} of {} fit the code of the classes\n",
                    earlier.branches(), earlier.fitting(), earlier.fitting() + earlier.unfitting());
  }
  return summary;
}

std::string Counting::Report(const CountedProfile& counted) const {
  std::string report = instrumenter_.Report(counted.added) + store_.Report();
  if (origin_ != nullptr) report += origin_->Report();
  if (earlier_ != nullptr) report += earlier_->Report();
  if (freezer_ != nullptr) report += freezer_->Report();
  return report;
}

}  // namespace iprof::vm
