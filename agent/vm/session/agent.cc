#include "agent/vm/session/agent.h"

#include <fmt/core.h>

#include <chrono>
#include <utility>

#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/session/control/doorbell.h"
#include "agent/vm/session/exit_status.h"
#include "agent/vm/session/program_start.h"

namespace iprof::vm {
namespace {

// On the JVM's own thread for signals: until it returns, the JVM ignores a SIGTERM.
constexpr std::chrono::seconds kRequestPatience{5};

}  // namespace

Agent& Agent::Get() {
  static auto* const agent = new Agent;
  return *agent;
}

std::shared_ptr<Session> Agent::session() const {
  const std::lock_guard lock(mutex_);
  return session_;
}

bool Agent::HasEndedUnbegun() const {
  const auto current = session();
  return HasEnded() && (current == nullptr || !current->has_begun());
}

Status Agent::StillWriting() {
  return {Code::kLimit, "another profile is still being written: try again later"};
}

OutClaim Agent::BeginRecording(OutClaim out) {
  const std::lock_guard lock(mutex_);
  ++recording_;
  return std::exchange(recording_out_, std::move(out));
}

void Agent::FinishFiles(Session& session) {
  AtBoundary(session.log(), "the end of the files", [&] {
    session.FinishFiles();
    const std::lock_guard lock(mutex_);
    recording_out_.Release();
  });
}

void Agent::StopUnbegun(Session& session) {
  AtBoundary(session.log(), "the start", [&] {
    session.Stop();
    if (!session.has_begun()) session.EndThreads();
  });
}

void Agent::FinishUnbegun(Session& session) {
  if (!session.has_begun()) FinishFiles(session);
}

// --- Loading.

Agent::Attempt::Attempt(Agent& agent, SessionEvent event)
    : agent_(agent), event_(event), taken_(agent.life_.Take(event)) {}

Agent::Attempt::~Attempt() {
  if (taken_.is_legal && !is_settled_) agent_.life_.Take(SessionEvent::kStartFailed);
}

Status Agent::Attempt::Start(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                             std::unique_ptr<Log> log) {
  is_settled_ = true;
  return agent_.StartSession(vm, std::move(environment), std::move(settings), std::move(log),
                             event_ == SessionEvent::kAttach);
}

Status Agent::StartSession(JavaVM* vm, JvmtiEnvironment environment, SessionSettings settings,
                           std::unique_ptr<Log> log, bool running) {
  vm_ = vm;
  is_attached_ = running;
  auto started =
      std::make_shared<Session>(vm, std::move(environment), std::move(settings), std::move(log));
  Log& log_of_session = started->log();
  started->RenewCodeBy([this](JNIEnv* jni, const std::function<void(Refresher&)>& use) {
    return UseRefresher(jni, use);
  });
  // Callbacks may come as soon as they are registered, so they must find the session.
  {
    const std::lock_guard lock(mutex_);
    session_ = started;
  }
  Status outcome(Code::kInternal, "the agent could not be started");
  AtBoundary(log_of_session, "the start", [&] {
    // HotSpot takes tools before VMInit. A stop or a start in the middle of OnVmInit would find half a session.
    if (!running) Commands(vm).Hold();
    outcome = OpenSocket(started->options());
    if (outcome.ok()) outcome = Register(*started, running);
    if (outcome.ok() && running) outcome = ServeSocket();
  });
  const SessionEvent ready =
      started->options().WaitsForStart() ? SessionEvent::kPrepared : SessionEvent::kStarted;
  if (outcome.ok() && life_.Take(ready).is_legal) {
    if (running) Schedule(*started);
    return outcome;
  }
  if (life_.state() == SessionState::kEnded) {
    // The program ended during the start, and the session's log says so. Nothing is left to clean up.
    StopUnbegun(*started);
    FinishUnbegun(*started);
    CloseCommands();  // the end may have come before the socket was opened
    return {};
  }
  CleanUp(std::move(started), running);
  life_.Take(SessionEvent::kStartFailed);
  ReleaseCommands();
  return outcome;
}

Status Agent::Register(Session& session, bool running) {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMStart = VmStart;
  callbacks.VMInit = VmInit;
  callbacks.VMDeath = VmDeath;
  callbacks.DataDumpRequest = DataDumpRequest;
  JvmtiEnvironment& environment = session.environment();
  Status status = environment.SetCallbacks(callbacks, this);
  if (status.ok()) status = environment.Enable({JVMTI_EVENT_VM_DEATH});
  if (status.ok()) {
    status = session.options().WaitsForStart()
                 ? session.Prepare(running)
                 : session.Start(running, [this] { return HasEnded(); });
  }
  if (status.ok() && session.WantsEarlyStart()) {
    jvmtiCapabilities capabilities{};
    capabilities.can_generate_early_vmstart = 1;
    status = environment.AddCapabilities(capabilities, "count from the first bytecode on");
    if (status.ok()) status = environment.Enable({JVMTI_EVENT_VM_START});
  }
  if (status.ok() && !running) status = environment.Enable({JVMTI_EVENT_VM_INIT});
  // Also with dump-on-request=n: a tool may have left a command.
  if (status.ok()) status = environment.Enable({JVMTI_EVENT_DATA_DUMP_REQUEST});
  return status;
}

// Called while the program keeps running. `running`: it ran already at the start, so its classes may
// have probes.
void Agent::CleanUp(std::shared_ptr<Session> session, bool running) {
  AtBoundary(session->log(), "the stop", [&] {
    void* jni = nullptr;
    if (running && vm_->GetEnv(&jni, JNI_VERSION_10) == JNI_OK)
      session->Pause(static_cast<JNIEnv*>(jni));
    session->Stop();
    const bool is_quiet = session->Close();
    FinishFiles(*session);
    const std::lock_guard lock(mutex_);
    socket_ = nullptr;
    session_ = nullptr;
    if (!is_quiet) kept_.push_back(session);
  });
}

// --- Later events.

void Agent::Refuse(SessionEvent event, const LifeCycle::Taken& taken) const {
  const auto current = session();
  if (current == nullptr || taken.answer.empty()) return;
  current->log().Step(
      fmt::format("{} is ignored while {}: {}", NameOf(event), NameOf(taken.from), taken.answer));
}

void Agent::OnVmStart(JNIEnv* jni) {
  const auto current = session();
  if (current != nullptr && life_.Take(SessionEvent::kVmStart).is_legal) current->OnVmStart(jni);
}

void Agent::OnVmInit(JNIEnv* jni, jthread thread) {
  struct Releases {
    Agent& agent;
    ~Releases() { agent.ReleaseCommands(); }
  } at_the_end{*this};
  const auto current = session();
  if (current == nullptr) return;
  current->environment().CompleteThread(thread);
  is_initialized_ = true;
  if (life_.Take(SessionEvent::kVmInit).is_legal) current->OnVmInit(jni);
  Schedule(*current);
  const Status served = ServeSocket();
  if (!served.ok()) current->log().Warning("no commands can be given: " + served.message());
}

void Agent::OnDataDump(JNIEnv* jni) {
  const auto current = session();
  if (const auto call = TakeDoorbell(DoorbellPath())) {
    const Status heard = HearCall(vm_, control::CalledTo(*call));
    if (!heard.ok() && current != nullptr) current->log().Warning(heard.message());
    return;
  }
  if (current != nullptr && current->options().dump_on_request) OnDumpRequest(jni);
}

void Agent::OnDumpRequest(JNIEnv* jni) {
  const auto current = session();
  const LifeCycle::Taken taken = life_.Take(SessionEvent::kDump);
  if (!taken.is_legal) return Refuse(SessionEvent::kDump, taken);
  if (current == nullptr) return;
  jvmtiPhase phase{};
  if (current->environment()->GetPhase(&phase) != JVMTI_ERROR_NONE || phase != JVMTI_PHASE_LIVE)
    return;
  // It logs a failure of the writing.
  const Result<std::string> written = Dump(jni, {}, nullptr, kRequestPatience);
  if (written.ok()) return;
  if (written.status().code() == Code::kUsage) current->log().Step(written.status().message());
  if (written.status().message() == StillWriting().message())
    current->log().Warning("no profile was written: " + written.status().message());
}

Result<std::string> Agent::Stop(JNIEnv* jni, bool profile_follows) {
  const LifeCycle::Taken taken = life_.Take(SessionEvent::kStop);
  if (!taken.is_legal) return Status(Code::kUsage, std::string(taken.answer));
  const auto current = session();
  Commands(vm_).Cancel();  // the duration has no more meaning
  std::string done = "the recording was not stopped cleanly";
  AtBoundary(current->log(), "the stop", [&] {
    done = current->Pause(jni);
    current->TakeSnapshot(jni, profile_follows);
  });
  life_.Take(SessionEvent::kStopped);
  current->log().Step(fmt::format("stopped: {}", done));
  return done;
}

Result<std::string> Agent::Start(JNIEnv* jni, const control::Start& wish,
                                 const std::shared_ptr<Caller>& caller) {
  const LifeCycle::Taken taken = life_.Take(SessionEvent::kStart);
  if (!taken.is_legal) return Status(Code::kUsage, std::string(taken.answer));
  const auto current = session();
  Commands(vm_).Cancel();  // a delay has no more meaning
  std::string out = wish.out;
  const bool is_in_folder = out.empty() && current->options().out_is_tools && !wish.folder.empty();
  if (is_in_folder) out = wish.folder + current->out_path().substr(current->out_path().rfind('/'));
  Result<OutClaim> claim = OutClaim();
  if (!out.empty() && out != current->out_path()) claim = OutClaim::Take(out);
  if (!claim.ok()) {
    life_.Take(SessionEvent::kStartFailed);
    return claim.status();
  }
  OutClaim earlier_out = BeginRecording(std::move(*claim));
  SetWindow(wish.window != control::Sent::kNo ? caller : nullptr,
            wish.window == control::Sent::kGzip);
  Status outcome(Code::kInternal, "the recording could not be started");
  AtBoundary(current->log(), "the start",
             [&] { outcome = current->Resume(jni, [this] { return HasEnded(); }); });
  if (outcome.ok() && life_.Take(SessionEvent::kStarted).is_legal) {
    Schedule(*current);
    own_is_users_ = !wish.out.empty();
    if (is_in_folder) current->PlaceRawBeside(out);
    return OutPath();
  }
  SetWindow(nullptr);
  if (!outcome.ok() && !HasEnded()) {
    BeginRecording(std::move(earlier_out));
    AtBoundary(current->log(), "the stop", [&] { current->Pause(jni); });
    if (life_.Take(SessionEvent::kStartFailed).is_legal) return outcome;
  }
  StopUnbegun(*current);
  FinishUnbegun(*current);
  return Status(Code::kUsage, "the program is ending");
}

Status Agent::Reset(JNIEnv* jni, bool only_samples) {
  const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (!lock) return StillWriting();
  const LifeCycle::Taken taken = life_.Take(SessionEvent::kReset);
  if (!taken.is_legal) return {Code::kUsage, std::string(taken.answer)};
  Status outcome(Code::kInternal, "the counts could not be read");
  ++recording_;
  const auto current = session();
  AtBoundary(current->log(), "the reset", [&] {
    outcome = current->Reset(jni, only_samples ? ResetScope::kSamples : ResetScope::kAll);
  });
  return outcome;
}

void Agent::OnVmDeath(JNIEnv* jni) {
  const auto current = session();
  const LifeCycle::Taken taken = life_.Take(SessionEvent::kVmDeath);
  if (!taken.is_legal || current == nullptr) return;
  CloseCommands();
  const bool is_starting =
      taken.from == SessionState::kStarting || taken.from == SessionState::kResuming;
  if (is_starting && current->GiveUpBegin()) {
    // An attach or a start is in progress on another thread. A profile written now would contain no counts,
    // and could replace an earlier one that does.
    Log& log = current->log();
    const bool dumps = current->options().dump_on_exit;
    current->EndThreads();
    FinishFiles(*current);
    if (dumps)
      log.Error(fmt::format("no profile was written: the program ended while {}",
                            taken.from == SessionState::kStarting
                                ? "the agent was being loaded"
                                : "the recording was being started"));
    return;
  }
  WriteLast(jni, *current, taken.from);
  current->EndThreads();
  FinishFiles(*current);
}

void Agent::WriteLast(JNIEnv* jni, Session& session, SessionState from) {
  Log& log = session.log();
  const Options& options = session.options();
  const auto is_written = [&] { return from == SessionState::kStopped && written_ == recording_; };
  if (options.dump_on_exit && session.has_begun() && !is_written()) session.ReadyTheLastDump();
  session.Stop();
  if (!session.has_begun()) return log.Step("nothing was recorded, so no profile is written");
  if (is_written()) return log.Step("the profile was written after the stop, so no other one is");
  const auto lose = [&] {
    if (options.dump_on_exit && options.on_write_failure == OnWriteFailure::kExit)
      ReplaceExitStatus(kProfileLostStatus);
  };
  // Wait for a profile that was requested and is being written, but not forever: its thread may be
  // suspended (by a debugger, say), and the JVM must exit.
  const std::unique_lock lock = LockWithin(dump_mutex_, kPatience);
  if (!lock) {
    log.Error("no profile was written at the end: one that was requested is still being written");
    session.KeepRaw(jni);
    return lose();
  }
  if (!options.dump_on_exit) {
    log.Step("the program ends; doe=n, so no profile is written");
    return session.DiscardRaw(jni);
  }
  if (!is_attached_ && options.force != Overwrite::kAlways &&
      !HasProgramBegun(session.environment().get(), jni)) {
    log.Warning(
        "no profile was written: the program ended before its main class began (force=always "
        "writes it anyway)");
    return session.DiscardRaw(jni);
  }
  session.DiscardUselessRaw();
  if (!WriteLastProfile(jni, session)) lose();
}

void Agent::OnUnload() {
  life_.Take(SessionEvent::kUnload);
  const auto current = session();
  if (current != nullptr) current->log().Detail("unloaded");
}

void Agent::OnProcessExit() {
  const auto current = session();
  if (current == nullptr) return;
  if (HasEnded()) return FinishUnbegun(*current);
  AtBoundary(current->log(), "the exit", [&] {
    current->AbandonFiles();
    {
      const std::lock_guard lock(mutex_);
      recording_out_.Release();
    }
    const Options& options = current->options();
    const bool is_written = life_.state() == SessionState::kStopped && written_ == recording_;
    if (!options.dump_on_exit || !current->has_begun() || is_written) return;
    current->log().Error("no profile was written: the process ended without the JVM's own end");
    current->NameRaw();
    if (options.on_write_failure == OnWriteFailure::kExit && (is_attached_ || is_initialized_))
      ReplaceExitStatus(kProfileLostStatus);
  });
}

// --- Callbacks. Each body runs in AtBoundary with the log of the current session.

namespace {

template <typename Body>
void InAgent(jvmtiEnv* jvmti, std::string_view where, Body body) noexcept {
  const InCallback<Agent> agent(jvmti);
  if (!agent) return;
  const auto current = agent->session();
  if (current == nullptr) return;
  AtBoundary(current->log(), where, [&] { body(*agent.operator->()); });
}

}  // namespace

void JNICALL Agent::VmStart(jvmtiEnv* jvmti, JNIEnv* jni) {
  InAgent(jvmti, "VMStart", [&](Agent& agent) { agent.OnVmStart(jni); });
}

void JNICALL Agent::VmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  InAgent(jvmti, "VMInit", [&](Agent& agent) { agent.OnVmInit(jni, thread); });
}

void JNICALL Agent::VmDeath(jvmtiEnv* jvmti, JNIEnv* jni) {
  InAgent(jvmti, "VMDeath", [&](Agent& agent) { agent.OnVmDeath(jni); });
}

// Runs on the JVM's own signal or attach thread, or on one that asks through JMX.
void JNICALL Agent::DataDumpRequest(jvmtiEnv* jvmti) {
  InAgent(jvmti, "DataDumpRequest", [](Agent& agent) {
    void* jni = nullptr;
    if (agent.vm_->GetEnv(&jni, JNI_VERSION_10) == JNI_OK)
      agent.OnDataDump(static_cast<JNIEnv*>(jni));
  });
}

}  // namespace iprof::vm
