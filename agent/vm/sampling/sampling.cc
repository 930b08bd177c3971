#include "agent/vm/sampling/sampling.h"

#include <fmt/core.h>
#include <jvmticmlr.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agent/sampling/core/sample_signal.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jdk_version.h"
#include "agent/vm/jvmti/own_jvm.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/sampling/sampling_anchor.h"
#include "writer/names/type_names.h"
#include "writer/profile/io/agent_section.h"

namespace iprof::vm {
namespace {

using sampling::CodeKind;
using sampling::CodeRanges;
using sampling::PcBci;
using sampling::Sampler;

constexpr auto kRenewalPeriod = std::chrono::seconds(1);
// A swap of a few classes may be running.
constexpr auto kRenewalPatience = std::chrono::seconds(2);

std::atomic<JavaVM*> the_vm{nullptr};

// Runs in the signal handler. HotSpot's GetEnv only reads a thread-local and compares; it neither
// locks nor allocates.
void* CurrentEnv() {
  JavaVM* vm = the_vm.load(std::memory_order_relaxed);
  void* env = nullptr;
  if (vm == nullptr || vm->GetEnv(&env, JNI_VERSION_1_6) != JNI_OK) return nullptr;
  return env;
}

// HotSpot's name of a piece of generated code shows what kind of frame it has.
CodeKind KindOfGenerated(const char* name) {
  const std::string_view text = name == nullptr ? std::string_view() : std::string_view(name);
  if (text == "Interpreter") return CodeKind::kInterpreter;
  if (text.find("handle_exception_from_callee") != std::string_view::npos)
    return CodeKind::kUnwinder;
  return CodeKind::kStub;
}

constexpr std::initializer_list<jvmtiEvent> kEvents{JVMTI_EVENT_CLASS_LOAD,
                                                    JVMTI_EVENT_CLASS_PREPARE,
                                                    JVMTI_EVENT_THREAD_START,
                                                    JVMTI_EVENT_THREAD_END,
                                                    JVMTI_EVENT_COMPILED_METHOD_LOAD,
                                                    JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
                                                    JVMTI_EVENT_DYNAMIC_CODE_GENERATED};

// Whether this thread asks for the events of the code that exists.
thread_local bool asks_for_code = false;

// The method, and those that are inlined into its code.
std::vector<const void*> MethodsOfCode(jmethodID method, const void* info) {
  std::vector<const void*> methods{method};
  for (auto* header = static_cast<const jvmtiCompiledMethodLoadRecordHeader*>(info);
       header != nullptr; header = header->next) {
    if (header->kind != JVMTI_CMLR_INLINE_INFO) continue;
    const auto* const record = reinterpret_cast<const jvmtiCompiledMethodLoadInlineRecord*>(header);
    for (jint pc = 0; pc < record->numpcs; ++pc) {
      const PCStackInfo& stack = record->pcinfo[pc];
      methods.insert(methods.end(), stack.methods, stack.methods + stack.numstackframes);
    }
  }
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  return methods;
}

}  // namespace

Sampling::Sampling(JavaVM* vm, const Options& options, Log& log, const ClassSource& classes,
                   ClassWatch& watch, instrument::MemoryBudget& budget, SamplingKnowledge knowledge)
    : vm_(vm),
      log_(log),
      watch_(watch),
      budget_(budget),
      knowledge_(std::move(knowledge)),
      names_threads_(options.threads),
      learner_(
          log, classes, watch, budget, [this] { return SampledNow(); }, options.lines),
      renewal_thread_([this](jvmtiEnv*, JNIEnv* jni) { RenewCode(jni); }, kRenewalPeriod,
                      "iprof-precise") {
  watch_.OnGone([this](JNIEnv*, std::span<const UnloadTag> gone) {
    learner_.ForgetGone(gone);
    ReportMemory();
  });
  sampler_options_.event = options.sample_event;
  if (!options.interval.is_auto) {
    sampler_options_.interval_ns = options.interval.fixed.ns;
  } else if (options.sample_event == sampling::SampleEvent::kCpu) {
    sampler_options_.interval_ns = sampling::kFirstIntervalNs;
    sampler_options_.adapts = true;
  }
  sampler_options_.depth = static_cast<int32_t>(options.depth);
  sampler_options_.memory_bytes = static_cast<size_t>(options.samples_memory.bytes);
  sampler_options_.signal = options.signal;
}

Status Sampling::Prepare(StartMoment /*moment*/) {
  if (is_started_.load()) return Follow();
  const Status status = Start();
  is_started_.store(status.ok());
  return status;
}

Status Sampling::Start() {
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm_);
  if (!opened.ok()) return opened.status();
  environment_ = std::move(*opened);
  learner_.Start(environment_.get(), knowledge_.names);
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_compiled_method_load_events = 1;
  capabilities.can_get_line_numbers = 1;  // HotSpot always grants it, at no cost
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassPrepare = ClassPrepare;
  callbacks.ThreadStart = ThreadStart;
  callbacks.ThreadEnd = ThreadEnd;
  callbacks.CompiledMethodLoad = CompiledMethodLoad;
  callbacks.CompiledMethodUnload = CompiledMethodUnload;
  callbacks.DynamicCodeGenerated = DynamicCodeGenerated;
  the_vm.store(vm_, std::memory_order_relaxed);
  Status status = environment_.AddCapabilities(capabilities, "sample");
  if (status.ok()) status = environment_.SetCallbacks(callbacks, this);
  if (status.ok()) status = Follow();
  if (!status.ok()) environment_.StopEvents();
  return status;
}

void Sampling::OpenCode() {
  if (owned_code_ == nullptr) owned_code_ = Sampler::NewCode(sampler_options_.depth);
  owned_code_->Open();
  code_.store(owned_code_.get());
}

void Sampling::CloseCode() {
  if (owned_code_ != nullptr && !handler_hangs_.load()) owned_code_->Close();
}

sampling::SamplerHooks Sampling::Hooks(JNIEnv* jni) {
  sampling::SamplerHooks hooks;
  const hotspot::LoadedJvm& jvm = OwnJvm(vm_);
  hooks.get_call_trace =
      reinterpret_cast<sampling::AsyncGetCallTraceFn>(jvm.Symbol("AsyncGetCallTrace"));
  hooks.current_env = CurrentEnv;
  hooks.anchor = FindFrameAnchor(jvm.structs(), environment_.get(), jni);
  hooks.interpreter = FindInterpreterFacts(jvm.structs());
  hooks.method_code = FindCodeFacts(jvm.structs(), environment_.get(), jni);
  hooks.code = owned_code_;
  if (names_threads_)
    hooks.thread_of = [this](const void* env) { return thread_names_.NumberOf(env); };
  // -Xcheck:jni compares the fault handlers with HotSpot's own and warns about every other one.
  hooks.crash_guard = !VmFlags(vm_).Bool("CheckJNICalls").value_or(false);
  hooks.on_signal_lost = [this](int signal, sampling::SignalOwner owner) {
    log_.Warning(fmt::format("sampling ended early: {}; earlier samples are kept",
                             sampling::LossText(signal, owner)));
  };
  return hooks;
}

void Sampling::OnVmInit(JNIEnv* jni) { TakeSamples(jni); }

// Either the thread that handles the program's end finds the sampler and stops it, or this one sees that the end has come.
Status Sampling::Begin(JNIEnv* jni) {
  AtBoundary(log_, "the start of sampling", [&] {
    if (RenewsCode()) WatchOldCode();
    TakeSamples(jni);
  });
  StartRenewal(jni);
  return {};
}

void Sampling::TakeSamples(JNIEnv* jni) {
  if (stopping_.load()) return;
  const CompiledCode code = CodeToAskFor();
  watch_.LearnLoaders(jni);
  learner_.LearnLoaded(jni, sampler_options_.depth);
  if (names_threads_ && owned_sampler_ == nullptr)
    java_threads_ = JavaThreads::Find(environment_.get(), jni);
  NoteThreads(jni);
  Status status;
  if (owned_sampler_ != nullptr) {
    status = owned_sampler_->Continue();
  } else {
    Result<std::unique_ptr<Sampler>> started = Sampler::Start(sampler_options_, Hooks(jni));
    status = started.status();
    if (started.ok()) owned_sampler_ = std::move(*started);
  }
  if (!status.ok()) {
    log_.Error(fmt::format("no samples are taken: {}", status.message()));
    return;
  }
  Sampler* const begun = owned_sampler_.get();
  // Either Stop sees the sampler, or this thread sees that Stop was called.
  sampler_.store(begun);
  if (stopping_.load()) {
    StopSampler(*begun);
    return;
  }
  // Code that was compiled or generated before. Later events replace ranges that they overlap.
  environment_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  if (code == CompiledCode::kAll) {
    asks_for_code = true;
    environment_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
    asks_for_code = false;
  }
  begun->ThreadStarted(jni);  // this thread's own ThreadStart event has passed
  begun->RollCall();
  ReportMemory();
  log_.Step(fmt::format("sampling every {} us with {}", sampler_options_.interval_ns / 1000,
                        sampling::SignalName(begun->signal())));
}

void Sampling::StopSampler(Sampler& sampler) {
  if (sampler.Stop()) return;
  handler_hangs_.store(true);
  log_.Step("a thread was stopped in the middle of taking a sample");
}

// The events stay enabled. Disabling one waits for virtual threads that are being mounted or
// unmounted. At VMDeath collectors have stopped, so a virtual thread that waits for memory would
// wait forever. A sampler that has ended ignores them.
void Sampling::End() {
  renewal_goes_on_.store(false);
  stopping_.store(true);
  if (Sampler* const begun = sampler()) StopSampler(*begun);
}

void Sampling::EndThreads(std::chrono::milliseconds patience) {
  if (!stopping_.load()) End();
  renewal_thread_.Retire();
  renewal_thread_.Stop(patience);
}

void Sampling::CallOff() {
  if (is_started_.load()) StopTaking();
}

std::string Sampling::Pause(JNIEnv* /*jni*/) {
  if (!StopRenewal(kRenewalPatience))
    log_.Step("the thread for precise samples did not end in time");
  if (is_started_.load()) StopTaking();
  return {};
}

void Sampling::StopTaking() {
  if (Sampler* const begun = sampler()) StopSampler(*begun);
  for (const jvmtiEvent event : kEvents) environment_.Disable(event);
  thread_names_.ForgetThreads();  // no event says when they end
  CloseCode();
  ReportMemory();
}

Status Sampling::Follow() {
  copy_.ForgetPositions();
  lines_changed_.store(true);
  OpenCode();
  return environment_.Enable(kEvents);
}

// Before JDK 20, asking for the events of all compiled code makes HotSpot's sweeper believe that code
// which is no longer used still runs. If classes are swapped again and again, all their old code and all
// their old versions would stay. What their code is compiled to now, Follow has seen.
Sampling::CompiledCode Sampling::CodeToAskFor() const {
  constexpr int kFirstWithoutSweeper = 20;
  const bool keeps_old_code = JdkVersion(environment_.get()) < kFirstWithoutSweeper;
  const bool knows_enough = knowledge_.swaps_classes && owned_sampler_ != nullptr;
  return keeps_old_code && knows_enough ? CompiledCode::kNew : CompiledCode::kAll;
}

void Sampling::ClassesSwapped(JNIEnv* jni) {
  if (sampler() != nullptr && !sampler()->has_ended())
    learner_.LearnRunningMethods(jni, sampler_options_.depth);
  lines_changed_.store(true);
}

Status Sampling::Reset(JNIEnv* /*jni*/, ResetScope /*scope*/) {
  Sampler* const begun = sampler();
  if (begun == nullptr) return {};
  if (!begun->Drain()) log_.Step("a sample was still being taken at the reset");
  const std::lock_guard lock(reset_mutex_);
  baseline_.Take(begun->traces());
  stats_at_reset_ = begun->stats();
  watched_cpu_ns_at_reset_ = begun->watched_cpu_ns();
  begun->RestartPace();
  return {};
}

sampling::SampleStats Sampling::StatsSinceReset() const {
  const std::lock_guard lock(reset_mutex_);
  return sampler()->stats().Since(stats_at_reset_);
}

uint64_t Sampling::failed() const {
  return sampler() == nullptr ? 0 : StatsSinceReset().Signals(sampling::OutcomeClass::kFailed);
}

void Sampling::AddLosses(RunNote& note) const { note.Lose("samples", failed()); }

uint64_t Sampling::AddTo(control::SessionStatus& status, bool /*is_stopped*/) const {
  status.methods_compiled_anew = renewed().compiled_anew;
  if (sampler() == nullptr) return 0;
  const sampling::SampleStats stats = StatsSinceReset();
  status.samples = stats.Signals(sampling::OutcomeClass::kGood) +
                   stats.Signals(sampling::OutcomeClass::kRecovered);
  status.samples_lost = stats.Signals(sampling::OutcomeClass::kFailed);
  if (status.samples_lost > 0)
    status.losses.push_back({"samples whose stack could not be read", status.samples_lost});
  return stats.handler_ns;
}

uint64_t Sampling::bytes_beyond_budget() const {
  ReportMemory();
  return sampler() == nullptr ? 0 : sampler()->memory_bytes();
}

void Sampling::ReportMemory() const {
  learner_.ReportMemory();
  if (names_threads_) budget_.Set(instrument::MemoryPart::kThreads, thread_names_.bytes());
  if (const CodeRanges* const code = code_.load())
    budget_.Set(instrument::MemoryPart::kCode, code->memory_bytes());
}

bool Sampling::Close() {
  const bool is_quiet = StopRenewal(kRenewalPatience);
  return environment_.StopEvents() && !handler_hangs_.load() && is_quiet;
}

void Sampling::OnClassPrepare(JNIEnv* jni, jclass klass) {
  constexpr uint32_t kNowAndThen = 1024;
  learner_.LearnClass(jni, klass);
  if (knowledge_.looks_after_unloaded && ++prepared_ % kNowAndThen == 0) watch_.Process(jni);
}

// --- Callbacks.

void JNICALL Sampling::ClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {
  // AsyncGetCallTrace only needs this event to be enabled.
}

void JNICALL Sampling::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/,
                                    jclass klass) {
  const InCallback<Sampling> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "ClassPrepare", [&] { self->OnClassPrepare(jni, klass); });
}

void JNICALL Sampling::ThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread) {
  const InCallback<Sampling> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "ThreadStart", [&] {
    if (self->names_threads_) self->NoteThread(jni, jni, thread);
    if (Sampler* sampler = self->sampler()) sampler->ThreadStarted(jni);
  });
}

void JNICALL Sampling::ThreadEnd(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/) {
  const InCallback<Sampling> self(jvmti);
  if (!self) return;
  // Also while sampling is being stopped: the JVM is about to free what the thread's JNIEnv is part of. A
  // signal that came later would read there, and AsyncGetCallTrace would write there.
  AtBoundary(self->log_, "ThreadEnd", [&] {
    if (Sampler* sampler = self->sampler()) sampler->ThreadEnding();
    if (self->names_threads_) self->thread_names_.Forget(jni);
  });
}

void JNICALL Sampling::CompiledMethodLoad(jvmtiEnv* jvmti, jmethodID method, jint size,
                                          const void* address, jint map_length,
                                          const jvmtiAddrLocationMap* map, const void* info) {
  const InCallback<Sampling> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "CompiledMethodLoad", [&] {
    CodeRanges* const code = self->code_.load();
    if (code == nullptr) return;
    if (self->code_age_.is_active()) {
      self->code_age_.Note(MethodsOfCode(method, info),
                           asks_for_code ? CodeAge::Age::kOld : CodeAge::Age::kNew);
    }
    const auto start = reinterpret_cast<uintptr_t>(address);
    std::vector<PcBci> bcis;
    bcis.reserve(static_cast<size_t>(map_length));
    for (jint i = 0; i < map_length; ++i) {
      bcis.push_back(
          {static_cast<uint32_t>(reinterpret_cast<uintptr_t>(map[i].start_address) - start),
           static_cast<int32_t>(map[i].location)});
    }
    std::sort(bcis.begin(), bcis.end(),
              [](const PcBci& a, const PcBci& b) { return a.offset < b.offset; });
    code->Add(start, static_cast<size_t>(size), CodeKind::kCompiled, method, bcis);
  });
}

void JNICALL Sampling::CompiledMethodUnload(jvmtiEnv* jvmti, jmethodID /*method*/,
                                            const void* address) {
  const InCallback<Sampling> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "CompiledMethodUnload", [&] {
    if (CodeRanges* const code = self->code_.load())
      code->Remove(reinterpret_cast<uintptr_t>(address));
  });
}

void JNICALL Sampling::DynamicCodeGenerated(jvmtiEnv* jvmti, const char* name, const void* address,
                                            jint size) {
  const InCallback<Sampling> self(jvmti);
  if (!self) return;
  AtBoundary(self->log_, "DynamicCodeGenerated", [&] {
    CodeRanges* const code = self->code_.load();
    if (code == nullptr || size <= 0) return;
    code->Add(reinterpret_cast<uintptr_t>(address), static_cast<size_t>(size),
              KindOfGenerated(name), nullptr, {});
  });
}

}  // namespace iprof::vm
