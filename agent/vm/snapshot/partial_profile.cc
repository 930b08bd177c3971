#include "agent/vm/snapshot/partial_profile.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/settings/out_path.h"
#include "writer/io/file_place.h"
#include "writer/io/temporary_file.h"

namespace iprof::vm {
namespace {

// Far longer than a profile takes.
constexpr auto kPatience = std::chrono::milliseconds(20'000);

// Other files of the same name that are left alone. With more, something restarts and is killed again
// and again, and the files would fill the disk.
constexpr int kMostNames = 10;

// After failures, the last tries are eight periods apart.
constexpr int kMostDeferrals = 3;

// How often in a period the thread looks whether a profile is due.
constexpr int kLooks = 12;

uint64_t NowMs() {
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(
                                   std::chrono::system_clock::now().time_since_epoch())
                                   .count());
}

}  // namespace

PartialProfile::PartialProfile(PartialSettings settings, WritePartial write, std::timed_mutex& turn,
                               Log& log)
    : settings_(std::move(settings)),
      write_(std::move(write)),
      turn_(turn),
      log_(log),
      place_(settings_.path),
      thread_([this](jvmtiEnv*,
                     JNIEnv* jni) { AtBoundary(log_, "a partial profile", [&] { Work(jni); }); },
              settings_.period / kLooks, "iprof-snapshot") {}

Status PartialProfile::Start(jvmtiEnv* jvmti, JNIEnv* jni) {
  {
    const std::unique_lock lock = LockWithin(mutex_, kPatience);
    if (!lock) return {Code::kLimit, "a partial profile is still being written"};
    Await(1);
  }
  return thread_.Start(jvmti, jni);
}

void PartialProfile::Await(int periods) {
  next_ = std::chrono::steady_clock::now() + periods * settings_.period - settings_.period / kLooks;
}

void PartialProfile::Defer() {
  failures_ = std::min(failures_ + 1, kMostDeferrals);
  Await(1 << failures_);
}

bool PartialProfile::Stop(std::chrono::milliseconds timeout) { return thread_.Stop(timeout); }

bool PartialProfile::End(std::chrono::milliseconds timeout) {
  has_ended_.store(true);
  thread_.Retire();
  return thread_.Stop(timeout);
}

void PartialProfile::SetPlace(const std::string& path) {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  if (!lock) return log_.Step("the partial profile keeps its place, because one is being written");
  const std::lock_guard figures_lock(figures_mutex_);
  place_ = path;
}

std::string PartialProfile::place() const {
  const std::lock_guard lock(figures_mutex_);
  return place_;
}

// The thread also runs this when it begins.
void PartialProfile::Work(JNIEnv* jni) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || has_ended_.load() || std::chrono::steady_clock::now() < next_) return;
  // Never the other way round: who has the turn may wait for mutex_.
  const std::unique_lock turn(turn_, std::try_to_lock);
  if (!turn) {
    const std::lock_guard figures_lock(figures_mutex_);
    ++figures_.skipped;
    return;
  }
  WriteLocked(jni, /*must_write=*/false, IfNothing::kKeep);
}

void PartialProfile::Take(JNIEnv* jni) {
  const std::unique_lock turn = LockWithin(turn_, kPatience);
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  if (has_ended_.load()) return;
  if (!turn || !lock) return Fail({Code::kLimit, "another profile is still being written"});
  AtBoundary(log_, "a partial profile",
             [&] { WriteLocked(jni, /*must_write=*/true, IfNothing::kKeep); });
}

void PartialProfile::TakeIfBegun(JNIEnv* jni) {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  if (has_ended_.load()) return;
  if (!lock) return Fail({Code::kLimit, "another partial profile is still being written"});
  if (path_.empty()) return;
  AtBoundary(log_, "a partial profile",
             [&] { WriteLocked(jni, /*must_write=*/true, IfNothing::kRemove); });
}

void PartialProfile::WriteLocked(JNIEnv* jni, bool must_write, IfNothing if_nothing) {
  Await(1);  // also if this throws
  const uint64_t before = ThreadCpuNs();
  const bool is_ours = IsOurs();
  if (!is_ours && !FindName()) {
    Defer();
    return Fail({Code::kLimit,
                 fmt::format("'{}' and {} more names like it are taken", place_, kMostNames - 1)});
  }
  const Result<PartialOutcome> outcome =
      write_(jni, {.path = path_,
                   .number = number_ + 1,
                   .must_write = must_write || !is_ours,
                   .is_over = [this] { return has_ended_.load(); }});
  if (!is_ours && (!outcome.ok() || *outcome != PartialOutcome::kWritten)) path_.clear();
  if (!outcome.ok()) {
    Defer();
    Fail(outcome.status());
  } else if (*outcome == PartialOutcome::kWritten) {
    ++number_;
    NoteWritten();
  } else if (*outcome == PartialOutcome::kNothing && is_ours && if_nothing == IfNothing::kRemove) {
    Remove();
  }
  if (outcome.ok()) failures_ = 0;
  const uint64_t cpu_ns = ThreadCpuNs() - before;
  const std::lock_guard figures_lock(figures_mutex_);
  figures_.cpu_ns += cpu_ns;
  figures_.last_cpu_ns = cpu_ns;
  if (!outcome.ok()) return;
  figures_.why_none.clear();
  if (*outcome != PartialOutcome::kNothing) figures_.last_ms = NowMs();
  log_.Detail(fmt::format("partial profile {}: {} us of CPU time{}", number_, cpu_ns / 1000,
                          *outcome == PartialOutcome::kWritten ? "" : ", not written"));
}

// Whether the file is still there: it may have been moved, or another one have its name.
bool PartialProfile::IsOurs() const {
  if (path_.empty()) return false;
  const Result<FilePlace> place = FilePlace::Find(path_);
  return place.ok() && place->found() &&
         id_ == FileId(place->found()->st_dev, place->found()->st_ino);
}

// The first name that nothing has. Our claim on the profile's name keeps other JVMs away from it.
bool PartialProfile::FindName() {
  path_.clear();
  id_.reset();
  for (int attempt = 0; attempt < kMostNames; ++attempt) {
    std::string name = attempt == 0 ? place_ : NumberedName(place_, attempt);
    const Result<FilePlace> place = FilePlace::Find(name);
    // What is wrong with the place shows when the file is written.
    if (!place.ok() || !place->found()) {
      path_ = std::move(name);
      break;
    }
    // A JVM that was killed while it wrote the next one has left that, too.
    RemoveAbandonedTemporaries(place->folder(), place->name());
  }
  if (path_.empty()) return false;
  if (path_ != place_ && !std::exchange(has_warned_of_name_, true)) {
    log_.Warning(
        fmt::format("the partial profile is '{}', because '{}' belongs to a JVM that was killed "
                    "('iprof recover' makes its profile)",
                    path_, place_));
  }
  return true;
}

void PartialProfile::NoteWritten() {
  const Result<FilePlace> place = FilePlace::Find(path_);
  const bool is_found = place.ok() && place->found();
  id_ = is_found ? std::optional(FileId(place->found()->st_dev, place->found()->st_ino))
                 : std::nullopt;
  const std::lock_guard lock(figures_mutex_);
  figures_.path = path_;
  figures_.has_snapshot = true;
  ++figures_.snapshots;
  figures_.file_bytes = is_found ? static_cast<uint64_t>(place->found()->st_size) : 0;
}

void PartialProfile::Remove() {
  if (IsOurs()) {
    const Result<FilePlace> place = FilePlace::Find(path_);
    if (place.ok()) static_cast<void>(unlinkat(place->folder(), place->name().c_str(), 0));
  }
  path_.clear();
  id_.reset();
  const std::lock_guard lock(figures_mutex_);
  figures_.path.clear();
  figures_.why_none.clear();
  figures_.has_snapshot = false;
  figures_.file_bytes = 0;
}

void PartialProfile::Discard(JNIEnv*) {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  if (!lock) {
    return log_.Warning(fmt::format(
        "the partial profile '{}' is not removed, because one is still being written; the profile "
        "has all of it",
        place()));
  }
  AtBoundary(log_, "the partial profile's end", [&] { Remove(); });
}

void PartialProfile::Fail(const Status& why) {
  bool is_first = false;
  {
    const std::lock_guard lock(figures_mutex_);
    is_first = figures_.failed++ == 0;
    if (figures_.path.empty()) figures_.why_none = why.message();
  }
  if (!is_first) return log_.Step(fmt::format("a partial profile failed: {}", why.message()));
  log_.Warning(
      fmt::format("a partial profile could not be written: {}; later ones are tried without a "
                  "word, and the program goes on",
                  why.message()));
}

PartialProfile::Figures PartialProfile::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

}  // namespace iprof::vm
