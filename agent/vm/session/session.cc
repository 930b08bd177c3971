#include "agent/vm/session/session.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "agent/settings/container_memory.h"
#include "agent/settings/out_path.h"
#include "agent/vm/cells/heap_plan.h"
#include "agent/vm/counting/counting_environment.h"
#include "agent/vm/events/event_stacks.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/session/dump/raw_place.h"
#include "agent/vm/session/weights_file.h"
#include "writer/control/command.h"

namespace iprof::vm {
namespace {

// Far longer than listing the classes takes.
constexpr auto kListPatience = std::chrono::seconds(5);

constexpr auto kReleasePatience = std::chrono::seconds(2);

// How long the JVM's exit may wait for a thread: less than it would wait itself.
constexpr auto kExitPatience = std::chrono::milliseconds(100);

// Far longer than many JVMs take that end at once and merge. Others are not waited for.
constexpr auto kMergePatience = std::chrono::seconds(60);

// Far longer than a snapshot takes.
constexpr auto kSnapshotPatience = std::chrono::seconds(2);

// The JDK of the image build: the one that the user asked for, or the running JVM's.
int TargetJdk(const Options& options, jvmtiEnv* jvmti) {
  return options.target_jdk != 0 ? options.target_jdk : JdkVersion(jvmti);
}

// Whether threads may wait for memory for ever once the JVM ends, because only threads of the
// collector free memory, and they have ended before. Other collectors work in the VM's own thread.
bool CollectorEndsFirst(const VmFlags& flags) {
  return flags.Bool("UseZGC").value_or(false) || flags.Bool("UseShenandoahGC").value_or(false);
}

std::chrono::milliseconds PeriodOf(const Options& options) {
  return std::chrono::milliseconds(options.snapshot.ns / 1'000'000);
}

}  // namespace

Session::Session(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                 std::unique_ptr<Log> log)
    : vm_(vm),
      environment_(std::move(environment)),
      settings_(std::move(settings)),
      files_(settings_.options, settings_.out_path),
      log_(std::move(log)),
      target_jdk_(TargetJdk(settings_.options, environment_.get())),
      classes_(vm),
      hidden_names_(RuleForJdk(target_jdk_),
                    instrument::UnboxingOfJdk(JdkVersion(environment_.get()))),
      unload_watch_(*log_),
      class_watch_(unload_watch_),
      proxies_(hidden_names_, unload_watch_) {
  unload_watch_.Tell([this](UnloadTag tag) { hidden_names_.Drop(tag); });
}

Session::~Session() {
  hidden_ = nullptr;
  snapshots_ = nullptr;
  while (!recorders_.empty()) recorders_.pop_back();
}

const Session::Recorders& Session::recorders() const {
  static const auto* const none = new Recorders;  // threads may ask while the process exits
  return has_recorders_.load() ? recorders_ : *none;
}

Status Session::Prepare(bool running) {
  const Options& options = settings_.options;
  run_.SetBegin(running ? kBeginByAttach : begins_late_ ? kBeginLater : kBeginAtStart);
  if (Status status = unload_watch_.Start(vm_); !status.ok()) return status;
  if (!options.weights.empty()) {
    auto read = ReadWeights(options.weights);
    if (!read.ok()) return read.status();
    earlier_weights_ = std::move(*read);
  }
  if (!AsksForCounts(options) && !options.samples && !options.RecordsEvents()) return {};
  if (begins_late_ && AsksForCounts(options)) {
    Result<JvmtiEnvironment> opened = OpenForCounting(vm_, CountingStart::kRetransform, true);
    if (!opened.ok()) return opened.status();
    counting_environment_ = std::move(*opened);
  }
  if (!HiddenClasses::CanStart(vm_, *log_, running)) return {};
  hidden_ = std::make_unique<HiddenClasses>(*log_, hidden_names_, unload_watch_);
  return hidden_->Start(vm_);
}

// Makes what a recording needs, and an agent that waits for a start does not. Once, unless it failed.
Status Session::Equip() {
  if (has_recorders_.load()) return {};
  if (Status claimed = files_.Claim(*log_); !claimed.ok())
    return {claimed.code(), "option 'out': " + claimed.message()};
  log_->Step(fmt::format("the profile will go to {}", files_.own_path()));
  run_.Learn(environment_.get(), settings_.options);
  collector_ends_first_ = CollectorEndsFirst(VmFlags(vm_));
  PlanMemory();
  recorders_.clear();  // of a start that failed
  harvest_ = nullptr;
  const Result<Counting*> counting = AddCounting();
  if (!counting.ok()) return counting.status();
  // Before samples, which must know the code that they meet: locks swap a class.
  if (settings_.options.RecordsEvents()) AddEvents(*counting);
  if (settings_.options.samples) AddSampling(*counting);
  if (settings_.options.Harvests()) AddHarvest(*counting);
  PlanSnapshots();
  has_recorders_.store(true);
  return {};
}

Status Session::Start(bool running, const std::function<bool()>& is_over) {
  begins_late_ = running;
  if (Status status = Prepare(running); !status.ok()) return status;
  if (!running) {
    if (Status status = Equip(); !status.ok()) return status;
    begun_.store(Begun::kYes);
    run_.Begin();
    for (const auto& recorder : recorders()) {
      if (Status status = recorder->Prepare(StartMoment::kWithJvm); !status.ok()) return status;
    }
    return {};
  }
  // VMInit has passed, so this thread may run Java code.
  JNIEnv* jni = nullptr;
  if (vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_10) != JNI_OK)
    return {Code::kInternal, "the loading thread is not attached to the JVM"};
  return Begin(jni, is_over);
}

// Begins to record while the program runs.
Status Session::Begin(JNIEnv* jni, const std::function<bool()>& is_over) {
  if (Status status = Equip(); !status.ok()) return status;
  if (Status status = BeginRecorders(jni, is_over); !status.ok()) return status;
  // The program may have ended by now, because it takes time to retransform all classes. If its end came first,
  // nothing is recorded; otherwise the end writes the profile.
  Begun no = Begun::kNo;
  if (is_over() || !begun_.compare_exchange_strong(no, Begun::kYes)) return {};
  run_.Begin();
  ReadyTheEnd(jni);
  StartSnapshots(jni);
  return {};
}

Status Session::BeginRecorders(JNIEnv* jni, const std::function<bool()>& is_over) {
  Status status;
  for (const auto& recorder : recorders()) {
    if (status.ok()) status = recorder->Prepare(StartMoment::kRunning);
  }
  for (const auto& recorder : recorders()) {
    if (!status.ok() || is_over()) break;
    status = {Code::kInternal, "the recording could not be started"};
    AtBoundary(*log_, "the start of the recording", [&] { status = recorder->Begin(jni); });
  }
  if (status.ok()) return status;
  for (const auto& recorder : recorders()) recorder->CallOff();
  return status;
}

bool Session::GiveUpBegin() {
  Begun no = Begun::kNo;
  return begun_.compare_exchange_strong(no, Begun::kNever) || no == Begun::kNever;
}

// Does what must not be done at the end, because it may wait for memory.
void Session::ReadyTheEnd(JNIEnv* jni) {
  proxies_.LearnFields(jni);
  if (!collector_ends_first_) return;
  if (Status status = classes_.Park(environment_.get(), jni); !status.ok())
    log_->Step(fmt::format("the thread for the JVM's end did not start: {}", status.message()));
}

void Session::ReadyTheLastDump() {
  if (!collector_ends_first_ || classes_.End(environment_.get(), kListPatience)) return;
  log_->Warning(
      "the JVM did not list its classes at its end, perhaps because threads wait for memory: the "
      "profile has no classes that were never counted, and its samples have no lines");
}

// Decides how much memory the agent may use.
void Session::PlanMemory() {
  Options& options = settings_.options;
  const auto given = [](const ByteSize& size) -> std::optional<uint64_t> {
    if (size.bytes == 0) return std::nullopt;
    return static_cast<uint64_t>(size.bytes);
  };
  const MemoryShares shares = ShareMemory({.memory = given(options.memory),
                                           .samples_memory = given(options.samples_memory),
                                           .samples = options.samples,
                                           .container = ContainerMemory(),
                                           .max_heap = VmFlags(vm_).Number("MaxHeapSize")});
  options.samples_memory.bytes = static_cast<int64_t>(shares.stacks);
  budget_.SetLimit(shares.rest);
  log_->Step(fmt::format("memory limit of the agent: {} KiB, {} of them for stacks of samples",
                         (shares.stacks + shares.rest) / 1024, shares.stacks / 1024));
}

void Session::OnVmStart(JNIEnv* jni) {
  for (const auto& recorder : recorders())
    AtBoundary(*log_, "VMStart", [&] { recorder->OnVmStart(jni); });
}

void Session::OnVmInit(JNIEnv* jni) {
  for (const auto& recorder : recorders())
    AtBoundary(*log_, "VMInit", [&] { recorder->OnVmInit(jni); });
  if (!has_begun()) return;  // it waits for a start
  AtBoundary(*log_, "VMInit", [&] { ReadyTheEnd(jni); });
  AtBoundary(*log_, "VMInit", [&] { StartSnapshots(jni); });
}

void Session::PlanSnapshots() {
  const Options& options = settings_.options;
  // Beside this JVM's own file, so that no other one has it.
  RawPlace place = PlaceRaw(options, settings_.raw_path, files_.own_path());
  why_no_raw_ = std::move(place.why_none);
  if (place.path.empty()) {
    // Who wrote snapshot=0 knows.
    if (options.snapshot.ns != 0)
      log_->Statistics(fmt::format("there is no raw file: {}", why_no_raw_));
    return;
  }
  SnapshotContent content{.header = {.agent_version = IPROF_VERSION,
                                     .assembly = {},
                                     .target_jdk = target_jdk_,
                                     .image = options.image,
                                     .harvests = options.Harvests(),
                                     .format = options.format},
                          .recorders = {},
                          .describe = [this](RawSink& sink) { DescribeRun(sink); }};
  for (const auto& recorder : recorders_) {
    recorder->FillHeader(content.header);
    content.recorders.push_back(recorder.get());
  }
  snapshots_ = std::make_unique<Snapshots>(
      SnapshotSettings{.path = std::move(place.path),
                       .period = PeriodOf(options),
                       .most_bytes = static_cast<uint64_t>(options.raw_max.bytes),
                       .keeps_file = options.keep_raw},
      std::move(content), *log_, budget_);
}

// When something is recorded.
void Session::StartSnapshots(JNIEnv* jni) {
  if (snapshots_ == nullptr) return;
  const Status status = snapshots_->Start(environment_.get(), jni);
  if (!status.ok()) log_->Warning(fmt::format("there will be no raw file: {}", status.message()));
}

void Session::TakeSnapshot(JNIEnv* jni, bool profile_follows) {
  if (snapshots_ != nullptr && !(profile_follows && snapshots_->AreCostly())) snapshots_->Take(jni);
}

void Session::PlaceRawBeside(const std::string& out) {
  if (snapshots_ == nullptr || !settings_.raw_path.empty()) return;
  snapshots_->SetPlace(RawPathBeside(out));
}

void Session::DiscardRaw(JNIEnv* jni) {
  if (snapshots_ != nullptr) snapshots_->Discard(jni);
}

bool Session::KeepRaw(JNIEnv* jni) {
  if (snapshots_ != nullptr) snapshots_->Keep(jni);
  return NameRaw();
}

bool Session::NameRaw() {
  if (snapshots_ == nullptr) return false;
  const Snapshots::Figures raw = snapshots_->figures();
  if (raw.has_snapshot) log_->Warning(RawNotice(raw.path));
  return raw.has_snapshot;
}

void Session::DiscardUselessRaw() {
  if (snapshots_ != nullptr) snapshots_->DiscardUseless();
}

void Session::Stop() {
  run_.Pause();  // the profile and the last snapshot end at the same time
  // First, so that a long snapshot ends while the recorders do.
  if (snapshots_ != nullptr) snapshots_->Forbid();
  for (auto recorder = recorders().rbegin(); recorder != recorders().rend(); ++recorder)
    (*recorder)->End();
  if (snapshots_ != nullptr && !snapshots_->End(kSnapshotPatience))
    log_->Step("the thread for snapshots did not end in time");
}

std::string Session::Pause(JNIEnv* jni) {
  run_.Pause();
  if (snapshots_ != nullptr && !snapshots_->Stop(kSnapshotPatience))
    log_->Step("the thread for snapshots did not end in time");
  if (!classes_.Release(kReleasePatience))
    log_->Step("the thread for the JVM's end did not end in time");
  std::string done = "no more samples are taken";
  for (auto recorder = recorders().rbegin(); recorder != recorders().rend(); ++recorder) {
    std::string said = (*recorder)->Pause(jni);
    if (!said.empty()) done = std::move(said);
  }
  return done;
}

Status Session::Resume(JNIEnv* jni, const std::function<bool()>& is_over) {
  if (!has_begun()) return Begin(jni, is_over);
  for (const auto& recorder : recorders()) {
    if (Status status = recorder->Allows(Request::kGoOn); !status.ok()) return status;
  }
  if (Status status = BeginRecorders(jni, is_over); !status.ok()) return status;
  run_.Begin();
  ReadyTheEnd(jni);
  StartSnapshots(jni);
  return {};
}

Status Session::Reset(JNIEnv* jni, ResetScope scope) {
  const bool is_of_all = scope == ResetScope::kAll;
  for (const auto& recorder : recorders()) {
    if (!is_of_all) break;
    if (Status status = recorder->Allows(Request::kReset); !status.ok()) return status;
  }
  for (const auto& recorder : recorders()) {
    if (Status status = recorder->Reset(jni, scope); !status.ok()) return status;
  }
  if (is_of_all) run_.Reset();
  if (snapshots_ != nullptr) snapshots_->TakeIfBegun(jni);
  log_->Step(is_of_all ? "what was recorded so far is forgotten"
                       : "the samples so far are forgotten");
  return {};
}

bool Session::Close() {
  bool is_quiet = environment_.StopEvents();
  if (snapshots_ != nullptr) is_quiet = snapshots_->Stop(kSnapshotPatience) && is_quiet;
  is_quiet = classes_.Release(kReleasePatience) && is_quiet;
  if (hidden_ != nullptr) is_quiet = hidden_->Close() && is_quiet;
  for (auto recorder = recorders_.rbegin(); recorder != recorders_.rend(); ++recorder)
    is_quiet = (*recorder)->Close() && is_quiet;
  return unload_watch_.Close() && is_quiet;
}

void Session::EndThreads() {
  // Either this thread sees the recorders, or the starting one sees that the end has come.
  for (const auto& recorder : recorders()) recorder->EndThreads(kExitPatience);
  // Ends the thread that lists the classes. If it has made the last list, it must stay, and Release refuses.
  static_cast<void>(classes_.Release(kExitPatience));
}

void Session::FinishFiles() { files_.Finish(*log_, kMergePatience); }

}  // namespace iprof::vm
