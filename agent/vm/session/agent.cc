#include "agent/vm/session/agent.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "agent/instrument/inherited_members.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/names/class_registry.h"
#include "agent/vm/session/profile_dump.h"
#include "agent/vm/settings/container_memory.h"
#include "agent/vm/settings/vm_identity.h"
#include "writer/image/image_note.h"
#include "writer/image/image_profile.h"
#include "writer/io/agent_section.h"
#include "writer/model/model.h"

namespace iprof::vm {
namespace {

// Far longer than any profile takes.
constexpr std::chrono::seconds kPatience{60};

std::atomic<Agent*> current{nullptr};

void JNICALL VmDeath(jvmtiEnv*, JNIEnv* jni) {
  Agent* agent = Agent::Current();
  if (agent == nullptr) return;
  AtBoundary(agent->log(), "VMDeath", [&] { agent->OnVmDeath(jni); });
}

// Comes on the JVM's own signal or attach thread, or on one that asks through JMX.
void JNICALL DataDumpRequest(jvmtiEnv*) {
  Agent* agent = Agent::Current();
  if (agent == nullptr) return;
  AtBoundary(agent->log(), "DataDumpRequest", [&] {
    void* jni = nullptr;
    if (agent->vm()->GetEnv(&jni, JNI_VERSION_10) == JNI_OK)
      agent->OnDumpRequest(static_cast<JNIEnv*>(jni));
  });
}

Status JvmtiFailure(const char* step, jvmtiError error) {
  return Status(Code::kInternal, fmt::format("the JVM refuses to {} (JVMTI error {})", step,
                                             static_cast<int>(error)));
}

// Of the running JVM; 0 where it does not say.
int JdkVersion(jvmtiEnv* jvmti) {
  JvmtiString text(jvmti);
  if (jvmti->GetSystemProperty("java.vm.version", text.address()) != JVMTI_ERROR_NONE) return 0;
  return MakeVmIdentity("", std::string(ViewOf(text))).major;
}

// Of the GraalVM that builds the image: as asked for, or the running JVM's.
int TargetJdk(const Options& options, jvmtiEnv* jvmti) {
  return options.target_jdk != 0 ? options.target_jdk : JdkVersion(jvmti);
}

std::string DescribeShare(const ImageProfile& made, ImageTarget target) {
  std::string text = fmt::format(
      "image build for JDK {}: {} of {} entries kept, {} contexts cut, {} methods left out\n",
      JdkOf(target), made.share.usable_entries(), made.share.entries(), made.contexts_cut,
      made.methods_left_out);
  for (const Table table : kAllTables) {
    const ImageShare::Part part = made.share.Of(table);
    if (part.entries == 0) continue;
    text += fmt::format("  {}: {} of {} entries, {} of {} counts\n", TableKey(table),
                        part.usable_entries, part.entries, part.usable_weight, part.weight);
  }
  return text;
}

}  // namespace

Agent::Agent(JavaVM* vm, jvmtiEnv* jvmti, AgentSettings settings, std::unique_ptr<Log> log)
    : vm_(vm),
      jvmti_(jvmti),
      settings_(std::move(settings)),
      log_(std::move(log)),
      target_jdk_(TargetJdk(settings_.options, jvmti)),
      hidden_names_(instrument::RuleForJdk(target_jdk_),
                    instrument::UnboxingOfJdk(JdkVersion(jvmti))) {}

Agent* Agent::Current() { return current.load(std::memory_order_acquire); }

Status Agent::Start(JavaVM* vm, jvmtiEnv* jvmti, AgentSettings settings, std::unique_ptr<Log> log,
                    bool attached) {
  // Lives until the process ends, whatever comes of the start: environments that were opened for it
  // hold its parts, and a callback may be under way on any thread.
  auto* const agent = new Agent(vm, jvmti, std::move(settings), std::move(log));
  Status outcome(Code::kInternal, "the agent could not be started");
  // Callbacks may come as soon as they are registered, so the agent has to be findable before.
  current.store(agent, std::memory_order_release);
  AtBoundary(*agent->log_, "the start", [&] { outcome = agent->Register(attached); });
  Phase phase = Phase::kStarting;
  if (!agent->phase_.compare_exchange_strong(phase,
                                             outcome.ok() ? Phase::kRunning : Phase::kOver)) {
    // The program has ended meanwhile. That was said, and nobody is left for whom to fail.
    AtBoundary(*agent->log_, "the start", [&] { agent->StopAll(); });
    return Status();
  }
  if (!outcome.ok()) {
    current.store(nullptr, std::memory_order_release);
    AtBoundary(*agent->log_, "the start", [&] { agent->Abandon(); });
    jvmti->DisposeEnvironment();
  }
  return outcome;
}

void Agent::StopAll() {
  if (Sampling* sampling = sampling_.load()) sampling->Stop();
  if (counting_ != nullptr) counting_->Stop();
}

void Agent::Abandon() {
  StopAll();
  if (Sampling* sampling = sampling_.load()) sampling->StopEvents();
  if (hidden_ != nullptr) hidden_->StopEvents();
  if (counting_ != nullptr) counting_->StopEvents();
  if (watch_ != nullptr) watch_->StopEvents();
}

Status Agent::Register(bool attached) {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMDeath = VmDeath;
  callbacks.DataDumpRequest = DataDumpRequest;
  jvmtiError error = jvmti_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("take callbacks", error);
  error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr);
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report its end", error);
  PlanMemory();
  const Result<UnloadWatch*> watch = UnloadWatch::Create(vm_, *log_, hidden_names_);
  if (!watch.ok()) return watch.status();
  watch_ = *watch;
  proxies_.UseWatch(watch_);
  class_watch_.Use(watch_);
  const Result<Counting*> counting =
      Counting::Create(vm_, settings_.options, *log_, proxies_, class_watch_, budget_, attached);
  if (!counting.ok()) return counting.status();
  counting_ = *counting;
  if (IsOver()) return Status();  // to retransform all classes takes its time
  if (counting_ != nullptr || settings_.options.samples) {
    const Result<HiddenClasses*> hidden =
        HiddenClasses::Create(vm_, *log_, hidden_names_, *watch_, counting_, attached);
    if (!hidden.ok()) return hidden.status();
    hidden_ = *hidden;
  }
  const Result<Sampling*> sampling =
      Sampling::Create(vm_, settings_.options, *log_, class_watch_, budget_);
  if (!sampling.ok()) return sampling.status();
  if (Sampling* const made = *sampling; made != nullptr) {
    if (counting_ != nullptr) {
      made->SetBciMap(&positions_.emplace(*counting_));
    } else {
      made->LookAfterUnloaded();
    }
    made->SetHiddenClassNames(&hidden_names_);
    // Either the end of the program finds it and stops it, or we see here that the end has come.
    sampling_.store(made);
    if (IsOver()) return Status();
    if (attached) AtBoundary(*log_, "the start of sampling", [&] { made->Begin(); });
  }
  if (settings_.options.dump_on_request) {
    error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_DATA_DUMP_REQUEST, nullptr);
    if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report requests for a dump", error);
  }
  return Status();
}

// Decides how much the agent may hold.
void Agent::PlanMemory() {
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
  log_->Step(fmt::format("the agent may hold {} KiB, of these {} for stacks of samples",
                         (shares.stacks + shares.rest) / 1024, shares.stacks / 1024));
}

void Agent::Dump(JNIEnv* jni) {
  const Status written = WriteProfile(jni);
  if (!written.ok()) log_->Error(fmt::format("no profile was written: {}", written.message()));
}

Status Agent::WriteProfile(JNIEnv* jni) {
  Profile profile;
  profile.AddStandardTypes();
  if (counting_ != nullptr) counting_->AddTo(jni, profile);
  const auto was_added = [this](std::string_view owner, std::string_view name,
                                std::string_view descriptor) {
    if (owner == "java/lang/Object" && instrument::IsInheritedName(name)) return true;
    return counting_ != nullptr && counting_->WasAdded(owner, name, descriptor);
  };
  const Result<RegistryCounts> counts = AddLoadedClasses(jvmti_, jni, was_added, proxies_, profile);
  if (!counts.ok()) return counts.status();
  log_->Step(fmt::format("left out: {} hidden classes, {} other classes, {} methods",
                         counts->hidden_classes, counts->left_out_classes,
                         counts->left_out_methods));
  Sampling* const sampling = sampling_.load();
  if (sampling != nullptr) sampling->AddTo(jni, profile);
  const Options& options = settings_.options;
  const ImageTarget image_target = ImageTargetForJdk(target_jdk_);
  std::string image_report;
  if (options.image) {
    ImageProfile made = MakeImageProfile(profile, image_target);
    image_report = DescribeShare(made, image_target);
    profile = std::move(made.profile);
  } else {
    SetAgentPart(profile, kImagePart, ImageNote{image_target, false}.ToJson());
  }
  DumpTarget target{.path = settings_.out_path, .overwrite = options.force, .format = {}};
  target.format.version = options.format;
  target.format.gzip = options.gzip;
  const Result<DumpedFile> file = DumpProfile(profile, target);
  if (!file.ok()) return file.status();
  if (!file->not_replaced.ok()) {
    log_->Warning(fmt::format("{}; the profile goes beside it", file->not_replaced.message()));
  }
  log_->Result(fmt::format("wrote {}: {} types, {} methods", file->path, profile.type_count(),
                           profile.method_count()));
  if (log_->Shows(LogLevel::kStatistics)) {
    std::string report = counting_ == nullptr ? "" : counting_->Report();
    if (hidden_ != nullptr) report += hidden_->Report();
    if (sampling != nullptr) report += sampling->Report();
    report += budget_.Report();
    report += image_report;
    for (std::string_view line : SplitAt(report, "\n")) {
      if (!line.empty()) log_->Statistics(line);
    }
  }
  return Status();
}

void Agent::OnVmDeath(JNIEnv* jni) {
  Phase phase = Phase::kStarting;
  if (phase_.compare_exchange_strong(phase, Phase::kOver)) {
    // An attach is under way on another thread. A profile of now would hold no counts, and take the
    // place of an earlier one that does.
    if (Sampling* sampling = sampling_.load()) sampling->Stop();
    if (settings_.options.dump_on_exit)
      log_->Error("no profile was written: the program ended while the agent was being loaded");
    return;
  }
  if (phase == Phase::kOver) return;
  StopAll();
  // A profile that was requested is not cut off, but whoever writes it may never go on (a debugger
  // holds the thread, say), and the JVM must end.
  const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (!lock) {
    log_->Error("no profile was written at the end: one that was requested is still being written");
    return;
  }
  ended_ = true;
  if (!settings_.options.dump_on_exit) {
    log_->Step("the program ends; doe=n, so no profile is written");
    return;
  }
  Dump(jni);
}

void Agent::OnDumpRequest(JNIEnv* jni) {
  if (phase_.load() != Phase::kRunning) return;
  jvmtiPhase phase{};
  if (jvmti_->GetPhase(&phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE) return;
  const std::lock_guard lock(dump_mutex_);
  if (ended_) return;
  Dump(jni);
}

}  // namespace iprof::vm
