#include "agent/vm/agent.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <utility>

#include "agent/vm/boundary.h"
#include "agent/vm/class_registry.h"
#include "agent/vm/jvmti_memory.h"
#include "agent/vm/profile_dump.h"
#include "agent/vm/vm_identity.h"
#include "writer/model.h"

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

instrument::NamingRule NamingFor(const Options& options, jvmtiEnv* jvmti) {
  int version = options.target_jdk;
  if (version == 0) {
    JvmtiString text(jvmti);
    if (jvmti->GetSystemProperty("java.vm.version", text.address()) == JVMTI_ERROR_NONE)
      version = MakeVmIdentity("", std::string(ViewOf(text))).major;
  }
  return instrument::RuleForJdk(version);
}

}  // namespace

Agent::Agent(JavaVM* vm, jvmtiEnv* jvmti, AgentSettings settings, std::unique_ptr<Log> log)
    : vm_(vm),
      jvmti_(jvmti),
      settings_(std::move(settings)),
      log_(std::move(log)),
      hidden_names_(NamingFor(settings_.options, jvmti)) {}

Agent* Agent::Current() { return current.load(std::memory_order_acquire); }

Status Agent::Start(JavaVM* vm, jvmtiEnv* jvmti, AgentSettings settings, std::unique_ptr<Log> log,
                    bool attached) {
  std::unique_ptr<Agent> agent(new Agent(vm, jvmti, std::move(settings), std::move(log)));
  // Callbacks may come as soon as they are registered, so the agent has to be findable before.
  Agent* const started = agent.get();
  current.store(started, std::memory_order_release);
  const Status registered = started->Register(attached);
  if (!registered.ok()) {
    current.store(nullptr, std::memory_order_release);
    jvmti->DisposeEnvironment();
    return registered;
  }
  static_cast<void>(agent.release());  // lives until the process ends
  return Status();
}

Status Agent::Register(bool attached) {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMDeath = VmDeath;
  callbacks.DataDumpRequest = DataDumpRequest;
  jvmtiError error = jvmti_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("take callbacks", error);
  error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, nullptr);
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report its end", error);
  const Result<Counting*> counting =
      Counting::Create(vm_, settings_.options, *log_, proxies_, attached);
  if (!counting.ok()) return counting.status();
  counting_ = *counting;
  if (counting_ != nullptr || settings_.options.samples) {
    const Result<HiddenClasses*> hidden =
        HiddenClasses::Create(vm_, *log_, hidden_names_, counting_, attached);
    if (!hidden.ok()) return hidden.status();
    hidden_ = *hidden;
  }
  const Result<Sampling*> sampling = Sampling::Create(vm_, settings_.options, *log_, attached);
  if (!sampling.ok()) return sampling.status();
  sampling_ = *sampling;
  if (sampling_ != nullptr && counting_ != nullptr) sampling_->SetBciMap(counting_);
  if (sampling_ != nullptr) sampling_->SetHiddenClassNames(&hidden_names_);
  // Last: a request may come at once, and nothing may fail after it.
  if (settings_.options.dump_on_request) {
    error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_DATA_DUMP_REQUEST, nullptr);
    if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report requests for a dump", error);
  }
  return Status();
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
    return counting_ != nullptr && counting_->WasAdded(owner, name, descriptor);
  };
  const Result<RegistryCounts> counts = AddLoadedClasses(jvmti_, jni, was_added, proxies_, profile);
  if (!counts.ok()) return counts.status();
  log_->Step(fmt::format("left out: {} hidden classes, {} other classes, {} methods",
                         counts->hidden_classes, counts->left_out_classes,
                         counts->left_out_methods));
  if (sampling_ != nullptr) sampling_->AddTo(jni, profile);
  const Options& options = settings_.options;
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
    if (sampling_ != nullptr) report += sampling_->Report();
    for (std::string_view line : SplitAt(report, "\n")) {
      if (!line.empty()) log_->Statistics(line);
    }
  }
  return Status();
}

void Agent::OnVmDeath(JNIEnv* jni) {
  if (sampling_ != nullptr) sampling_->Stop();
  if (counting_ != nullptr) counting_->Stop();
  // A profile that was requested is not cut off, but whoever writes it may never go on (a debugger
  // holds the thread, say), and the JVM must end.
  const std::unique_lock lock(dump_mutex_, kPatience);
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
  jvmtiPhase phase{};
  if (jvmti_->GetPhase(&phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE) return;
  const std::lock_guard lock(dump_mutex_);
  if (ended_) return;
  Dump(jni);
}

}  // namespace iprof::vm
