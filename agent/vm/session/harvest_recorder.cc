#include "agent/vm/session/harvest_recorder.h"

#include <fmt/core.h>

#include <utility>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"

namespace iprof::vm {
namespace {

// Its file has counters, of an earlier snapshot.
bool HasHarvest(RecordSink& sink) { return sink.log() != nullptr && sink.log()->has_harvest(); }

Status GivesWay() { return {Code::kLimit, "a profile is being made"}; }

}  // namespace

HarvestRecorder::HarvestRecorder(JavaVM* vm, const Options& options, int target_jdk, Log& log,
                                 const instrument::MemoryBudget& budget, ExactKnowledge exact,
                                 HarvestMeans means)
    : vm_(vm),
      options_(options),
      target_jdk_(target_jdk),
      log_(log),
      budget_(budget),
      exact_(std::move(exact)),
      means_(std::move(means)) {}

Status HarvestRecorder::Allows(Request request) const {
  if (request == Request::kReset) {
    return {
        Code::kUsage,
        "a reset needs source=counters: HotSpot stops counting what it has compiled, so what it "
        "counted before cannot be told from what ran since"};
  }
  if (options_.source != CountSource::kBoth) return {};
  return {Code::kUsage,
          "with source=both a recording cannot go on after a stop: HotSpot has counted since "
          "then, and the probes have not"};
}

std::string HarvestRecorder::Pause(JNIEnv* /*jni*/) {
  return "no more samples are taken; HotSpot goes on counting";
}

Result<std::string> HarvestRecorder::WriteCounters(RecordSink& sink, const IsOver& is_over) {
  const HarvestOrder order{
      .options = options_,
      .target_jdk = target_jdk_,
      .most_bytes = MostHarvestBytes(options_, sink.log() != nullptr ? budget_.Used() : 0),
      .max_lost = static_cast<double>(options_.receivers_max_lost) / 100,
      .is_counted = exact_.is_counted,
      .to_class_file = exact_.to_class_file,
      .has_ended = is_over};
  const Profile* const exact = exact_.is_counted ? sink.exact() : nullptr;
  if (exact_.is_counted && exact == nullptr && sink.log() != nullptr)
    return Status(Code::kLimit, "the exact counts could not be read in time");
  return means_.write(vm_, order, exact, sink);
}

bool HarvestRecorder::LeavesLast(RecordSink& sink) const {
  return sink.may_repeat() && HasHarvest(sink) && ProcessCpuNs() < next_cpu_ns_;
}

Status HarvestRecorder::Write(JNIEnv* /*jni*/, RecordSink& sink, const IsOver& is_over) {
  const bool is_snapshot = sink.log() != nullptr;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock && is_snapshot) return GivesWay();
  if (!lock) {
    ++waiting_;
    lock = LockWithin(mutex_, means_.patience);
    --waiting_;
  }
  if (!lock) return {Code::kLimit, "HotSpot's counters are still being read, which hangs"};
  // HotSpot never rests. But where probes count as well, they show whether the recording does.
  if (!exact_.is_counted) sink.NoteGoesOn();
  const uint64_t process_ns = ProcessCpuNs();
  if (LeavesLast(sink)) return {};
  const uint64_t begin_ns = ThreadCpuNs();
  const auto gives_way = [&] { return is_snapshot && waiting_.load() > 0; };
  Result<std::string> written = Status(Code::kInternal, "failed in an unexpected way");
  AtBoundary(log_, "the harvest", [&] {
    written = WriteCounters(sink, [&] { return gives_way() || (is_over && is_over()); });
  });
  if (!is_snapshot) summary_ = written.ok() ? *written : std::string();
  if (written.ok()) {
    // From before the read: what other threads did during it may not be in this harvest.
    if (sink.log() != nullptr) next_cpu_ns_ = process_ns + 2 * (ThreadCpuNs() - begin_ns);
    return {};
  }
  if (is_over && is_over()) return {Code::kUsage, "the program is ending"};
  if (gives_way()) return GivesWay();
  return DoWithout(written.status(), sink);
}

// The counters could not be read.
Status HarvestRecorder::DoWithout(const Status& why, RecordSink& sink) {
  const bool has_older = HasHarvest(sink);
  // The exact counts cannot be read at this moment.
  if (sink.log() != nullptr && why.code() == Code::kLimit) return has_older ? Status() : why;
  if (!std::exchange(has_older ? has_warned_of_age_ : has_warned_, true)) {
    log_.Warning(fmt::format(
        "HotSpot's counters {}: this JVM {}",
        has_older ? "in the raw file are those of an earlier snapshot" : "are not in the profile",
        why.message()));
  }
  return {};
}

void HarvestRecorder::Describe(const ProfileSink& /*made*/, RecorderTexts& texts) {
  texts.summary += summary_;
}

}  // namespace iprof::vm
