#include "agent/vm/session/dump/snapshots.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "agent/settings/out_path.h"
#include "agent/vm/jvmti/attached_thread.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"
#include "writer/base/open_file.h"
#include "writer/profile/io/file_place.h"
#include "writer/records/raw/raw_format.h"

namespace iprof::vm {
namespace {

// Far longer than a snapshot takes.
constexpr auto kPatience = std::chrono::milliseconds(5000);

// What a new file takes, besides what recorders need.
constexpr uint64_t kOwnBytes = 1 << 20;

// After a costly snapshot, the thread rests so many times as long as that took of the CPU; then until the program has
// used as much CPU time, but no longer than so many periods.
constexpr int kRest = 49;
constexpr int kMostPeriods = 12;

// Other files of the same name that are left alone. With more, something restarts and is killed again
// and again, and the files would fill the disk.
constexpr int kMostNames = 10;

// With the default period, the last tries are five minutes apart.
constexpr int kMostDeferrals = 6;

// A disk that is full at the first snapshot: the profile needs the room more.
constexpr std::string_view kIsRemoved =
    "the raw file had no complete snapshot yet, so it is removed; ";

int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

uint64_t SumOf(const RawLosses& losses) {
  return losses.classes + losses.unloaded + losses.counters + losses.pairs + losses.types +
         losses.stacks + losses.parts + losses.harvest;
}

// Whether the file can be another JVM's. One that we may not read can; so can an empty one, which is just being made.
bool MayBeRawFile(const FilePlace& place, SystemCalls& calls) {
  if (!place.found()) return true;
  const Result<OwnedFd> file =
      OpenFile(place.folder(), place.name(), O_RDONLY | O_NOFOLLOW, FileKind::kRegular, 0, calls);
  if (!file.ok()) return file.status().code() == Code::kIo;
  std::array<uint8_t, kRawMagic.size()> first{};
  const ssize_t count = pread(file->get(), first.data(), first.size(), 0);
  return count <= 0 || BeginsRawFile({first.data(), static_cast<size_t>(count)});
}

// Why there is no file of this name, for the user. Links are followed as they are to create a file.
std::string WhyNotNamed(const std::string& path, SystemCalls& calls) {
  const Result<FilePlace> place = FilePlace::Find(path, calls);
  if (!place.ok()) return "cannot be used: " + place.status().message();
  return MayBeRawFile(*place, calls) ? "belongs to another JVM, or to one that was killed ('iprof "
                                       "recover' makes its profile)"
                                     : "exists and is no raw file";
}

}  // namespace

Snapshots::Snapshots(SnapshotSettings settings, SnapshotContent content, Log& log,
                     instrument::MemoryBudget& budget, SystemCalls& calls)
    : settings_(std::move(settings)),
      place_(settings_.path),
      content_(std::move(content)),
      log_(log),
      budget_(budget),
      calls_(calls),
      thread_(
          [this](jvmtiEnv*, JNIEnv* jni) { AtBoundary(log_, "a snapshot", [&] { Work(jni); }); },
          settings_.period, "iprof-snapshot") {}

Snapshots::~Snapshots() = default;

Status Snapshots::Start(jvmtiEnv* jvmti, JNIEnv* jni) {
  {
    const std::unique_lock lock = LockWithin(mutex_, kPatience);
    if (!lock) return {Code::kLimit, "a snapshot hangs"};
    next_ = std::chrono::steady_clock::now() + settings_.period;
  }
  is_stopping_.store(false);
  return thread_.Start(jvmti, jni);
}

void Snapshots::SetPlace(const std::string& path) {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  if (!lock) return log_.Step("the raw file keeps its place, because a snapshot hangs");
  const std::lock_guard figures_lock(figures_mutex_);
  place_ = path;
  has_warned_of_name_ = false;
}

std::string Snapshots::place() const {
  const std::lock_guard lock(figures_mutex_);
  return place_;
}

bool Snapshots::Stop(std::chrono::milliseconds timeout) {
  is_stopping_.store(true);
  return thread_.Stop(timeout);
}

bool Snapshots::End(std::chrono::milliseconds timeout) {
  Forbid();
  thread_.Retire();
  return thread_.Stop(timeout);
}

// The thread also runs this when it begins.
void Snapshots::Work(JNIEnv* jni) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const auto now = std::chrono::steady_clock::now();
  if (!lock || has_ended_.load() || now < next_) return;
  if (now < rests_until_ && ProcessCpuNs() < next_cpu_ns_) return;
  on_thread_ = true;
  AtBoundary(log_, "a snapshot", [&] { TakeLocked(jni); });
  on_thread_ = false;
}

void Snapshots::Take(JNIEnv* jni) { TakeWithin(jni, IfNone::kBegin, AfterEnd::kNothing); }

void Snapshots::TakeIfBegun(JNIEnv* jni) { TakeWithin(jni, IfNone::kNothing, AfterEnd::kNothing); }

void Snapshots::Keep(JNIEnv* jni) { TakeWithin(jni, IfNone::kBegin, AfterEnd::kTake); }

void Snapshots::TakeWithin(JNIEnv* jni, IfNone if_none, AfterEnd after_end) {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  // Under the lock: who ends discards the file later, and waits for a snapshot that has begun.
  if (has_ended_.load() && after_end == AfterEnd::kNothing) return;
  if (!lock) return Fail({Code::kLimit, "another snapshot hangs"});
  if (file_ != nullptr || if_none == IfNone::kBegin)
    AtBoundary(log_, "a snapshot", [&] { TakeLocked(jni); });
}

void Snapshots::TakeLocked(JNIEnv* jni) {
  const uint64_t before = ThreadCpuNs();
  const RawPublication done = PublishInSomeFile(jni);
  const uint64_t cpu_ns = ThreadCpuNs() - before;
  log_.Detail(fmt::format("snapshot {}: {} us of CPU time, {} bytes written", done.generation,
                          cpu_ns / 1000, done.written_bytes));
  if (LogSizes().is_costly) {
    const auto now = std::chrono::steady_clock::now();
    next_ = std::max(next_, now + std::chrono::nanoseconds(cpu_ns * kRest));
    next_cpu_ns_ = ProcessCpuNs() + cpu_ns * kRest;
    rests_until_ = now + settings_.period * kMostPeriods;
  }
  const std::lock_guard figures_lock(figures_mutex_);
  figures_.cpu_ns += cpu_ns;
  figures_.last_cpu_ns = cpu_ns;
}

// In the file that is there, or in a new one.
RawPublication Snapshots::PublishInSomeFile(JNIEnv* jni) {
  RawPublication done;
  if (file_ == nullptr) {
    if (!Open()) return done;
  } else if ((file_place_ == place_ || !Move()) && !is_whole_ && !BeginAnew()) {
    return done;
  }
  done = Publish(jni);
  if (IsLost(done) && replaced_ == nullptr) {
    if (!Replace(done.status)) return done;
    done = Publish(jni);
  } else if (done.status.ok() && (done.wants_rewrite || LogSizes().has_outgrown) && BeginAnew()) {
    done = Publish(jni);
  }
  // Otherwise each later snapshot would try in vain to replace a file that is no longer ours.
  if (done.name_is_taken) {
    if (!Replace(done.status)) return done;
    done = Publish(jni);
  }
  if (IsLost(done)) FailLocked(done.status);  // the new one, too
  if (replaced_ != nullptr && (!moves_from_.empty() || !done.status.ok())) {
    DropSuccessor();
    if (!done.status.ok()) Defer();
  }
  return done;
}

std::string Snapshots::NameOf(int attempt) const {
  // An empty name makes Create give up.
  if (attempt >= kMostNames) return {};
  return attempt == 0 ? place_ : NumberedName(place_, attempt);
}

bool Snapshots::Open() {
  was_due_ = true;
  if (budget_.Left() < kOwnBytes + LogSizes().expected_bytes) {
    Fail({Code::kLimit, "memory= has no room for it"});
    return false;
  }
  Result<std::unique_ptr<RawWriter>> made = Create();
  if (!made.ok()) {
    Fail(made.status());
    return false;
  }
  file_ = std::move(*made);
  file_place_ = place_;
  is_whole_ = true;
  WarnOfName();
  BeginLog();
  return true;
}

Result<std::unique_ptr<RawWriter>> Snapshots::Create() {
  Result<std::unique_ptr<RawWriter>> made =
      RawWriter::Create([&](int attempt) { return NameOf(attempt); }, content_.header,
                        {.most_bytes = settings_.most_bytes}, calls_);
  if (made.ok() || made.status().code() != Code::kLimit) return made;
  return Status(Code::kLimit,
                fmt::format("'{}' and {} more names like it are taken", place_, kMostNames - 1));
}

void Snapshots::WarnOfName() {
  if (file_->path() == place_ || std::exchange(has_warned_of_name_, true)) return;
  log_.Warning(fmt::format("the raw file is '{}', because '{}' {}", file_->path(), place_,
                           WhyNotNamed(place_, calls_)));
}

// Begins a file at the place, which replaces the one elsewhere as soon as it is complete. If that is not possible, the one
// elsewhere stays in use.
bool Snapshots::Move() {
  DropSuccessor();
  Result<std::unique_ptr<RawWriter>> next = Create();
  if (!next.ok()) {
    Fail(next.status());
    return false;
  }
  log_.Step(fmt::format("the raw file '{}' moves to '{}'", file_->path(), (*next)->path()));
  Succeed(std::move(*next));
  moves_from_ = std::exchange(file_place_, place_);
  WarnOfName();
  return true;
}

// Begins a file that replaces this one as soon as it is complete.
bool Snapshots::BeginAnew() {
  DropSuccessor();  // an attempt before may have been cut short
  log_.Step(fmt::format("the raw file '{}' is written again", file_->path()));
  Result<std::unique_ptr<RawWriter>> next = file_->Rewrite();
  if (!next.ok()) {
    FailLocked(next.status());
    return false;
  }
  Succeed(std::move(*next));
  return true;
}

void Snapshots::Succeed(std::unique_ptr<RawWriter> next) {
  replaced_ = std::move(file_);
  file_ = std::move(next);
  is_whole_ = true;
  BeginLog();
}

// Removes a file that was to replace another one, which has the last complete snapshot.
void Snapshots::DropSuccessor() {
  if (replaced_ == nullptr) return;
  if (!moves_from_.empty()) {
    file_->Remove();
    file_place_ = std::exchange(moves_from_, {});
  }
  file_ = std::move(replaced_);
  is_whole_ = false;
  const std::lock_guard lock(figures_mutex_);
  figures_.path = file_->path();
  figures_.file_bytes = file_->file_bytes();
}

// The file, or its name: another one must be begun.
bool Snapshots::IsLost(const RawPublication& done) {
  return done.name_is_taken || (done.wants_rewrite && !done.status.ok());
}

// Nothing of the file is of use any more. Returns false if there is no new one.
bool Snapshots::Replace(const Status& why) {
  const std::string path = file_->path();
  std::string_view reason = why.message();
  const std::string prefix = path + ": ";
  if (reason.starts_with(prefix)) reason.remove_prefix(prefix.size());
  RemoveFiles();
  const bool is_open = Open();
  if (!std::exchange(has_warned_of_loss_, true)) {
    log_.Warning(
        fmt::format("the raw file '{}' {}{}", path, reason, is_open ? "; a new one is begun" : ""));
  }
  return is_open;
}

LogSize Snapshots::LogSizes() const {
  LogSize sum;
  for (const Recorder* recorder : content_.recorders) {
    const LogSize size = recorder->log_size();
    sum.bytes += size.bytes;
    sum.expected_bytes += size.expected_bytes;
    sum.has_outgrown = sum.has_outgrown || size.has_outgrown;
    sum.is_costly = sum.is_costly || size.is_costly;
  }
  return sum;
}

void Snapshots::BeginLog() {
  for (Recorder* recorder : content_.recorders) recorder->BeginLog();
}

void Snapshots::EndLog() {
  for (Recorder* recorder : content_.recorders) recorder->EndLog();
}

Status Snapshots::Write(JNIEnv* jni, RawSink& sink) {
  // Who takes the last snapshot wants all of it.
  const auto is_over = [this] { return on_thread_ && (is_stopping_.load() || has_ended_.load()); };
  for (Recorder* recorder : content_.recorders) {
    if (Status status = recorder->Write(jni, sink, is_over); !status.ok()) return status;
  }
  return {};
}

RawPublication Snapshots::Publish(JNIEnv* jni) {
  const int64_t time_ns = NowNs();
  RawSink sink(*file_, time_ns, /*may_repeat=*/on_thread_);
  content_.describe(sink);
  RawPublication done;
  is_whole_ = false;  // in case this throws
  const Status written = Write(jni, sink);
  if (written.ok()) done = sink.Publish();
  is_whole_ = true;
  budget_.Set(instrument::MemoryPart::kRawFile, file_->memory_bytes() + LogSizes().bytes);
  if (written.ok() && done.status.ok() && replaced_ != nullptr) {
    if (!std::exchange(moves_from_, {}).empty()) replaced_->Remove();
    replaced_ = nullptr;
  }
  WarnOfRoom();
  NotePublication(written, done, time_ns);
  if (!done.status.ok() && !IsLost(done)) FailLocked(done.status);
  // The others say that it was not possible at that moment.
  if (written.code() == Code::kIo) FailLocked(written);
  return done;
}

void Snapshots::NotePublication(const Status& written, const RawPublication& done,
                                int64_t time_ns) {
  const std::lock_guard lock(figures_mutex_);
  figures_.path = file_->path();
  figures_.why_none.clear();
  figures_.file_bytes = file_->file_bytes();
  figures_.without_room = SumOf(file_->losses());
  if (written.code() == Code::kLimit) ++figures_.skipped;
  if (written.ok() && done.status.ok()) {
    ++figures_.snapshots;
    figures_.has_snapshot = true;
    deferrals_ = 0;
    figures_.last_ms = static_cast<uint64_t>(time_ns / 1'000'000);
  }
}

void Snapshots::WarnOfRoom() {
  if (!file_->losses().any() || std::exchange(has_warned_of_room_, true)) return;
  log_.Warning(fmt::format(
      "the raw file '{}' has the size of raw-max=: what comes from now on is not in it; the "
      "profile at the end is complete",
      file_->path()));
}

void Snapshots::Fail(const Status& why, std::string_view consequence) {
  {
    const std::lock_guard lock(figures_mutex_);
    ++figures_.failed;
    if (figures_.path.empty()) figures_.why_none = why.message();
  }
  if (has_warned_of_failure_.exchange(true)) {
    log_.Step(fmt::format("a snapshot failed: {}", why.message()));
    return;
  }
  log_.Warning(fmt::format(
      "a snapshot could not be written: {}; {}later ones are tried without a word, and the "
      "program goes on",
      why.message(), consequence));
}

// The only place where a failure removes a file.
void Snapshots::FailLocked(const Status& why) {
  const bool is_useless = IsWithoutSnapshot();
  if (is_useless) {
    RemoveFiles();
    Defer();
  }
  Fail(why, is_useless ? kIsRemoved : "");
}

bool Snapshots::IsWithoutSnapshot() const { return file_ != nullptr && !figures().has_snapshot; }

void Snapshots::RemoveFiles() {
  if (file_ == nullptr) return;
  if (replaced_ != nullptr) replaced_->Remove();
  file_->Remove();
  Close();
}

// Each try fills the disk for a moment, which others may notice: so they become rare.
void Snapshots::Defer() {
  deferrals_ = std::min(deferrals_ + 1, kMostDeferrals);
  next_ = std::chrono::steady_clock::now() + settings_.period * (1 << deferrals_);
}

void Snapshots::Close() {
  file_ = nullptr;
  replaced_ = nullptr;
  moves_from_.clear();
  EndLog();
  budget_.Set(instrument::MemoryPart::kRawFile, 0);
  const std::lock_guard lock(figures_mutex_);
  figures_.path.clear();
  figures_.has_snapshot = false;
  figures_.file_bytes = 0;
}

void Snapshots::Discard(JNIEnv* jni) {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  if (!lock) {
    return log_.Warning(fmt::format(
        "the raw file '{}' is not removed, because a snapshot hangs; the profile has all of it",
        figures().path));
  }
  AtBoundary(log_, "the raw file's end", [&] {
    if (!settings_.keeps_file) {
      RemoveFiles();
      const std::lock_guard figures_lock(figures_mutex_);
      figures_.why_none.clear();
      return;
    }
    // There may be none, because there was no room: now the profile is written.
    if (was_due_) TakeLocked(jni);
  });
}

void Snapshots::DiscardUseless() {
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  // Without the lock: a snapshot hangs, and decides itself.
  if (lock && IsWithoutSnapshot()) AtBoundary(log_, "the raw file's end", [&] { RemoveFiles(); });
}

bool Snapshots::AreCostly() {
  // Recorders change what they say of the log while they write.
  const std::unique_lock lock = LockWithin(mutex_, kPatience);
  return !lock || LogSizes().is_costly;
}

Snapshots::Figures Snapshots::figures() const {
  const std::lock_guard lock(figures_mutex_);
  return figures_;
}

uint64_t Snapshots::AddTo(control::SessionStatus& status, bool is_stopped) const {
  const Figures figures = this->figures();
  status.raw = figures.path;
  if (!figures.why_none.empty())
    status.no_raw = figures.why_none + (is_stopped ? "" : "; it is tried again");
  status.raw_bytes = figures.file_bytes;
  status.snapshots = figures.snapshots;
  status.snapshot_ms = figures.last_ms;
  status.snapshot_cpu_us = figures.last_cpu_ns / 1'000;
  status.snapshots_cpu_ms = figures.cpu_ns / 1'000'000;
  const auto lose = [&](uint64_t count, std::string_view what) {
    if (count > 0) status.raw_losses.push_back({std::string(what), count});
  };
  lose(figures.failed, "snapshots that could not be written");
  lose(figures.skipped, "snapshots that would have had to wait for a profile");
  lose(figures.without_room, "records that the raw file has no room for (raw-max=)");
  return figures.cpu_ns;
}

}  // namespace iprof::vm
