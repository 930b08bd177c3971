#include "agent/vm/sampling/sampling_session.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "agent/sampling/sample_signal.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/lock_within.h"
#include "agent/vm/jvmti/vm_flags.h"
#include "agent/vm/sampling/sampling_anchor.h"
#include "writer/io/agent_section.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

using sampling::CodeKind;
using sampling::OutcomeClass;
using sampling::PcBci;
using sampling::SampleOutcome;
using sampling::Sampler;
using sampling::SampleStats;

Status JvmtiFailure(const char* step, jvmtiError error) {
  return {Code::kInternal,
          fmt::format("the JVM refuses to {} (JVMTI error {})", step, static_cast<int>(error))};
}

// The JVM's library is global when the java launcher loads it; a program that embeds a JVM may load
// it privately.
sampling::AsyncGetCallTraceFn FindAsyncGetCallTrace() {
  void* found = dlsym(RTLD_DEFAULT, "AsyncGetCallTrace");
  if (found == nullptr) {
    if (void* library = dlopen("libjvm.so", RTLD_NOW | RTLD_NOLOAD))
      found = dlsym(library, "AsyncGetCallTrace");
  }
  return reinterpret_cast<sampling::AsyncGetCallTraceFn>(found);
}

std::atomic<JavaVM*> the_vm{nullptr};

// Runs in the signal handler: HotSpot's GetEnv reads a thread-local and compares, it neither locks
// nor allocates.
void* CurrentEnv() {
  JavaVM* vm = the_vm.load(std::memory_order_relaxed);
  void* env = nullptr;
  if (vm == nullptr || vm->GetEnv(&env, JNI_VERSION_1_6) != JNI_OK) return nullptr;
  return env;
}

// HotSpot's names of what it generates say what kind of frame it has.
CodeKind KindOfGenerated(const char* name) {
  const std::string_view text = name == nullptr ? std::string_view() : std::string_view(name);
  if (text == "Interpreter") return CodeKind::kInterpreter;
  if (text.find("handle_exception_from_callee") != std::string_view::npos)
    return CodeKind::kUnwinder;
  return CodeKind::kStub;
}

constexpr std::array kEvents{
    JVMTI_EVENT_VM_INIT,
    JVMTI_EVENT_CLASS_LOAD,
    JVMTI_EVENT_CLASS_PREPARE,
    JVMTI_EVENT_THREAD_START,
    JVMTI_EVENT_THREAD_END,
    JVMTI_EVENT_COMPILED_METHOD_LOAD,
    JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
    JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
};

// The part of the budget that the ids of unloaded classes' methods may take, which nobody frees.
constexpr uint64_t kIdShare = 16;

// Methods of unloaded classes to wait for: to find out which were sampled takes a look at all stacks.
constexpr uint64_t kFewestToPrune = 2'000;
constexpr uint64_t kMostToWait = 20'000;
constexpr auto kPrunePatience = std::chrono::milliseconds(3000);

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

Sampling::Sampling(JavaVM* vm, jvmtiEnv* jvmti, const Options& options, Log& log, ClassWatch& watch,
                   instrument::MemoryBudget& budget)
    : vm_(vm), jvmti_(jvmti), log_(log), watch_(watch), budget_(budget) {
  watch_.OnGone([this](JNIEnv*, std::span<const UnloadTag> gone) { ForgetGone(gone); });
  sampler_options_.interval_ns = options.interval.ns;
  sampler_options_.event = options.sample_event;
  sampler_options_.depth = static_cast<int32_t>(options.depth);
  sampler_options_.memory_bytes = static_cast<size_t>(options.samples_memory.bytes);
  sampler_options_.signal = options.signal;
}

Result<Sampling*> Sampling::Create(JavaVM* vm, const Options& options, Log& log, ClassWatch& watch,
                                   instrument::MemoryBudget& budget) {
  if (!options.samples) return nullptr;
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK)
    return Status(Code::kUnsupported, "this JVM has no JVMTI 11, so it cannot be profiled");
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  auto* session = new Sampling(vm, jvmti, options, log, watch, budget);
  Status status = session->Register();
  if (!status.ok()) {
    session->StopEvents();
    return status;
  }
  return session;
}

Status Sampling::Register() {
  jvmti_->SetEnvironmentLocalStorage(this);
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_compiled_method_load_events = 1;
  capabilities.can_get_line_numbers = 1;  // HotSpot grants it always, at no cost
  jvmtiError error = jvmti_->AddCapabilities(&capabilities);
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report compiled methods", error);

  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = VmInit;
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassPrepare = ClassPrepare;
  callbacks.ThreadStart = ThreadStart;
  callbacks.ThreadEnd = ThreadEnd;
  callbacks.CompiledMethodLoad = CompiledMethodLoad;
  callbacks.CompiledMethodUnload = CompiledMethodUnload;
  callbacks.DynamicCodeGenerated = DynamicCodeGenerated;
  error = jvmti_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("take callbacks", error);
  for (const jvmtiEvent event : kEvents) {
    error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
    if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report its events", error);
  }
  the_vm.store(vm_, std::memory_order_relaxed);
  return {};
}

void Sampling::StopEvents() {
  for (const jvmtiEvent event : kEvents)
    jvmti_->SetEventNotificationMode(JVMTI_DISABLE, event, nullptr);
}

void Sampling::Begin() {
  if (stopping_.load()) return;
  JNIEnv* jni = nullptr;
  if (vm_->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_10) != JNI_OK) {
    log_.Error("no samples are taken: the loading thread is not attached to the JVM");
    return;
  }
  watch_.LearnLoaders(jni);
  {
    const LoadedClasses classes(jvmti_, jni);
    LearnLoadedClasses(jni, classes);
    LearnRunningMethods(jni);
  }
  sampling::SamplerHooks hooks;
  hooks.get_call_trace = FindAsyncGetCallTrace();
  hooks.current_env = CurrentEnv;
  hooks.anchor = FindFrameAnchor(jvmti_, jni);
  // -Xcheck:jni compares the handlers of faults with HotSpot's own and warns of every other.
  hooks.crash_guard = !VmFlags(vm_).Bool("CheckJNICalls").value_or(false);
  hooks.on_signal_lost = [this](int signal, sampling::SignalOwner owner) {
    log_.Warning(fmt::format("sampling has ended early: {}; the samples taken before are kept",
                             sampling::LossText(signal, owner)));
  };
  Result<std::unique_ptr<Sampler>> sampler = Sampler::Start(sampler_options_, hooks);
  if (!sampler.ok()) {
    log_.Error(fmt::format("no samples are taken: {}", sampler.status().message()));
    return;
  }
  Sampler* const begun = sampler->release();  // lives until the process ends, as this does
  running_.store(begun, std::memory_order_release);
  // Either Stop finds the sampler, or we see here that it was called.
  sampler_.store(begun);
  if (stopping_.load()) {
    Stop();
    return;
  }
  // What was compiled and generated before; later events replace what they meet.
  jvmti_->GenerateEvents(JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
  jvmti_->GenerateEvents(JVMTI_EVENT_COMPILED_METHOD_LOAD);
  begun->ThreadStarted(jni);  // this thread, whose ThreadStart may be long past
  begun->RollCall();
  log_.Step(fmt::format("sampling every {} us with {}", sampler_options_.interval_ns / 1000,
                        sampling::SignalName(begun->signal())));
}

bool Sampling::MayMakeIds() {
  // HotSpot keeps a block of ids for each class loader, and one for each hidden class, for ever.
  constexpr uint64_t kBlockBytes = 128;
  const uint64_t bytes = unloaded_classes_ * kBlockBytes + unloaded_methods_ * sizeof(jmethodID);
  budget_.Set(instrument::MemoryPart::kMethodIds, bytes);
  if (bytes < budget_.limit() / kIdShare && budget_.Left() > 0) return true;
  ++classes_without_ids_;
  if (!ids_told_.exchange(true)) {
    log_.Warning(
        "very many classes came and went: samples in classes of the program's own class loaders "
        "that "
        "load from now on have no names");
  }
  return false;
}

void Sampling::ForgetGone(std::span<const UnloadTag> gone) {
  for (const UnloadTag one : gone) {
    const size_t methods = methods_.Gone(static_cast<int64_t>(one));
    if (methods == 0) continue;
    ++unloaded_classes_;
    unloaded_methods_ += methods;
  }
  const uint64_t prune_at =
      std::clamp<uint64_t>(budget_.limit() / 4096, kFewestToPrune, kMostToWait);
  if (methods_.gone_methods() >= prune_at) Prune();
  budget_.Set(instrument::MemoryPart::kMethods, methods_.bytes());
  if (Sampler* const begun = sampler())
    budget_.Set(instrument::MemoryPart::kCode, begun->code().memory_bytes());
}

// Forgets the methods of unloaded classes that no sample shows.
void Sampling::Prune() {
  const std::unique_lock lock(names_mutex_, std::try_to_lock);
  if (!lock) return;  // a profile is being made; later
  std::unordered_set<const void*> sampled;
  if (Sampler* begun = sampler()) {
    // A handler that is still at work may be adding a stack.
    if (!begun->Drain()) return;
    begun->traces().ForEach([&](const sampling::TraceView& trace) {
      for (size_t i = 0; i < trace.depth(); ++i) sampled.insert(trace.frame(i).method);
    });
  }
  methods_.Prune(sampled);
}

void Sampling::LearnClass(JNIEnv* jni, jclass klass) {
  JvmtiString descriptor(jvmti_);
  if (jvmti_->GetClassSignature(klass, descriptor.address(), nullptr) != JVMTI_ERROR_NONE) return;
  jobject loader = nullptr;
  if (jvmti_->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) return;
  int64_t watch = 0;
  const bool may_go = watch_.MayGo(jni, loader) || IsHiddenClass(ViewOf(descriptor));
  if (loader != nullptr) jni->DeleteLocalRef(loader);
  if (may_go) {
    if (!MayMakeIds()) return;
    watch = static_cast<int64_t>(watch_.Watch(klass).value_or(UnloadTag{0}));
  }
  jint count = 0;
  JvmtiMemory<jmethodID> ids(jvmti_);
  // Also makes the ids, without which AsyncGetCallTrace would give null frames.
  if (jvmti_->GetClassMethods(klass, &count, ids.address()) != JVMTI_ERROR_NONE || count == 0)
    return;
  std::vector<MethodOfClass> methods;
  methods.reserve(static_cast<size_t>(count));
  for (jint i = 0; i < count; ++i) {
    JvmtiString name(jvmti_);
    JvmtiString signature(jvmti_);
    if (jvmti_->GetMethodName(ids[i], name.address(), signature.address(), nullptr) !=
        JVMTI_ERROR_NONE)
      continue;
    methods.push_back({ids[i], std::string(ViewOf(name)), std::string(ViewOf(signature)),
                       MethodVersion::kCurrent});
  }
  const auto stable =
      names_ == nullptr ? std::nullopt : names_->StableDescriptor(ViewOf(descriptor));
  if (stable) {
    methods_.AddClass(*stable, methods, ClassNaming::kStable, watch);
  } else {
    methods_.AddClass(ViewOf(descriptor), methods, ClassNaming::kHotSpot, watch);
  }
}

void Sampling::LearnLoadedClasses(JNIEnv* jni, const LoadedClasses& classes) {
  for (jclass klass : classes.all())
    LearnClass(jni, klass);  // refuses what is not prepared yet; ClassPrepare will come for that
}

// Methods whose classes were retransformed while they ran: no list of methods holds them any more,
// but the threads' stacks do. Asking for those also makes the ids. Their classes are held by the
// caller.
void Sampling::LearnRunningMethods(JNIEnv* jni) {
  const LocalFrame frame(jni);
  JvmtiMemory<jvmtiStackInfo> stacks(jvmti_);
  jint threads = 0;
  if (jvmti_->GetAllStackTraces(sampler_options_.depth, stacks.address(), &threads) !=
      JVMTI_ERROR_NONE)
    return;
  for (jint t = 0; t < threads; ++t) {
    for (jint f = 0; f < stacks[t].frame_count; ++f)
      LearnReplaced(jni, stacks[t].frame_buffer[f].method);
  }
}

void Sampling::LearnReplaced(JNIEnv* jni, jmethodID id) {
  jboolean is_obsolete = JNI_FALSE;
  if (methods_.Find(id) || jvmti_->IsMethodObsolete(id, &is_obsolete) != JVMTI_ERROR_NONE ||
      !is_obsolete)
    return;
  jclass owner = nullptr;
  if (jvmti_->GetMethodDeclaringClass(id, &owner) != JVMTI_ERROR_NONE) return;
  JvmtiString descriptor(jvmti_);
  JvmtiString name(jvmti_);
  JvmtiString signature(jvmti_);
  if (jvmti_->GetClassSignature(owner, descriptor.address(), nullptr) == JVMTI_ERROR_NONE &&
      jvmti_->GetMethodName(id, name.address(), signature.address(), nullptr) == JVMTI_ERROR_NONE) {
    const MethodOfClass method{id, std::string(ViewOf(name)), std::string(ViewOf(signature)),
                               MethodVersion::kReplaced};
    methods_.AddClass(ViewOf(descriptor), {&method, 1});
    LearnLines(id, replaced_lines_);
  }
  jni->DeleteLocalRef(owner);
}

// Methods without lines (native ones, those compiled without -g) are left out.
void Sampling::LearnLines(jmethodID id, LineTables& lines) {
  jint count = 0;
  JvmtiMemory<jvmtiLineNumberEntry> entries(jvmti_);
  if (jvmti_->GetLineNumberTable(id, &count, entries.address()) != JVMTI_ERROR_NONE) return;
  std::vector<LineStart> starts;
  starts.reserve(static_cast<size_t>(count));
  for (jint i = 0; i < count; ++i)
    starts.push_back({entries[i].start_location, entries[i].line_number});
  lines.Add(id, std::move(starts));
}

// An id may be handed to the JVM only while its class is loaded, and the loaded classes are known to
// be that: so this asks each of those whether it has methods that were sampled.
LineTables Sampling::LinesOfSamples(JNIEnv* jni) {
  std::unordered_set<const void*> sampled;
  sampler()->traces().ForEach([&](const sampling::TraceView& trace) {
    for (size_t i = 0; i < trace.depth(); ++i) sampled.insert(trace.frame(i).method);
  });
  std::unordered_set<std::string_view> classes;
  for (const void* id : sampled)
    if (const auto method = methods_.Find(id)) classes.insert(method->class_descriptor);

  LineTables lines = replaced_lines_;
  const LoadedClasses loaded(jvmti_, jni);
  for (jclass klass : loaded.all()) {
    JvmtiString descriptor(jvmti_);
    if (jvmti_->GetClassSignature(klass, descriptor.address(), nullptr) != JVMTI_ERROR_NONE ||
        !classes.contains(ViewOf(descriptor)))
      continue;
    jint count = 0;
    JvmtiMemory<jmethodID> ids(jvmti_);
    if (jvmti_->GetClassMethods(klass, &count, ids.address()) != JVMTI_ERROR_NONE) continue;
    for (jint i = 0; i < count; ++i)
      if (sampled.contains(ids[i])) LearnLines(ids[i], lines);
  }
  return lines;
}

void Sampling::AddTo(JNIEnv* jni, Profile& profile) {
  if (sampler() == nullptr) return;
  const std::unique_lock lock = LockWithin(names_mutex_, kPrunePatience);
  if (!lock) {
    log_.Error("no samples are written: the agent's thread, iprof, is suspended");
    return;
  }
  if (!sampler()->Drain()) log_.Step("a sample was still being taken when the profile was made");
  const LineTables lines = LinesOfSamples(jni);
  written_ =
      AddSamples(sampler()->traces(),
                 {.methods = methods_, .names = names_, .bcis = bcis_, .lines = &lines}, profile);
  SetAgentPart(profile, kSamplingPart, StatisticsJson(sampler()->stats()));
}

std::string Sampling::StatisticsJson(const SampleStats& stats) const {
  const sampling::TraceTable::Usage usage = sampler()->traces().usage();
  std::string json = fmt::format(
      "{{\"event\":\"{}\",\"intervalNs\":{},\"signals\":{},\"good\":{},\"recovered\":{},\"failed\":"
      "{},"
      "\"rawFailed\":{},\"goodWeight\":{},\"recoveredWeight\":{},\"failedWeight\":{},"
      "\"rawFailedWeight\":{},\"watchedCpuNs\":{},\"handlerNs\":{},\"threads\":{},"
      "\"endedWeight\":{},\"unseenWeight\":{},\"timerFailures\":{},"
      "\"threadsWithoutTimer\":{},\"cutSamples\":{},\"distinctStacks\":{},\"tableBytes\":{},"
      "\"writtenWeight\":{},\"emptyWeight\":{},\"cutContexts\":{},\"linkageFrames\":{},"
      "\"carrierFrames\":{},\"unnamedFrames\":{},\"unstableFrames\":{},\"outcomes\":{{",
      sampler_options_.event == sampling::SampleEvent::kCpu ? "cpu" : "wall",
      sampler_options_.interval_ns, stats.received, stats.Signals(OutcomeClass::kGood),
      stats.Signals(OutcomeClass::kRecovered), stats.Signals(OutcomeClass::kFailed),
      stats.raw_failed, stats.Weight(OutcomeClass::kGood), stats.Weight(OutcomeClass::kRecovered),
      stats.Weight(OutcomeClass::kFailed), stats.raw_failed_weight, sampler()->watched_cpu_ns(),
      stats.handler_ns, stats.threads_seen, stats.ended_weight, stats.unseen_weight,
      stats.timer_failures, stats.threads_without_timer, stats.cut, usage.distinct,
      usage.bytes_used, written_.weight, written_.empty_weight, written_.cut_contexts,
      written_.linkage_frames, written_.carrier_frames, written_.unnamed_frames,
      written_.unstable_frames);
  bool first = true;
  for (size_t i = 0; i < sampling::kSampleOutcomeCount; ++i) {
    if (stats.signals[i] == 0) continue;
    json += fmt::format("{}\"{}\":[{},{}]", first ? "" : ",", NameOf(static_cast<SampleOutcome>(i)),
                        stats.signals[i], stats.weight[i]);
    first = false;
  }
  json += '}';
  if (stats.signal_owner != sampling::SignalOwner::kUs) {
    json += fmt::format(",\"stoppedAfterMs\":{},\"stopReason\":\"{}\"",
                        stats.stopped_after_ns / 1000000,
                        sampling::LossText(sampler()->signal(), stats.signal_owner));
  }
  return json + '}';
}

std::string Sampling::Report() {
  if (sampler() == nullptr) return "";
  const SampleStats stats = sampler()->stats();
  const uint64_t cpu_ns = sampler()->watched_cpu_ns();
  std::string report = fmt::format(
      "samples: {} signals = {} good + {} recovered + {} failed ({:.2f} %; before recovery {:.2f} "
      "%)\n",
      stats.received, stats.Signals(OutcomeClass::kGood), stats.Signals(OutcomeClass::kRecovered),
      stats.Signals(OutcomeClass::kFailed),
      Percent(stats.Weight(OutcomeClass::kFailed), stats.Weight()),
      Percent(stats.raw_failed_weight, stats.Weight()));
  for (size_t i = 0; i < sampling::kSampleOutcomeCount; ++i) {
    const auto outcome = static_cast<SampleOutcome>(i);
    if (stats.signals[i] == 0 || outcome == SampleOutcome::kGood) continue;
    if (outcome == SampleOutcome::kRecovered) continue;
    report += fmt::format("  {}: {} signals, weight {}\n", NameOf(outcome), stats.signals[i],
                          stats.weight[i]);
  }
  const double represented =
      static_cast<double>(stats.Weight()) * static_cast<double>(sampler_options_.interval_ns) / 1e9;
  if (sampler_options_.event == sampling::SampleEvent::kCpu) {
    report += fmt::format(
        "samples stand for {:.2f} s of {:.2f} s of CPU time in {} threads; handlers took {:.2f} % "
        "of it\n",
        represented, static_cast<double>(cpu_ns) / 1e9, stats.threads_seen,
        Percent(stats.handler_ns, cpu_ns));
  }
  if (stats.ended_weight + stats.unseen_weight > 0) {
    report += fmt::format(
        "  {} of their weight is of threads that ended between two clock ticks; {} more of threads "
        "that ended before any was not seen\n",
        stats.ended_weight, stats.unseen_weight);
  }
  const sampling::TraceTable::Usage usage = sampler()->traces().usage();
  report += fmt::format(
      "stacks: {} distinct, {} KiB of {}; {} samples were cut at depth={}; {} contexts written, {} "
      "frames "
      "of linkage, {} of carriers, {} without a name and {} with a name of this run only left "
      "out\n",
      usage.distinct, usage.bytes_used / 1024, usage.bytes_capacity / 1024, stats.cut,
      sampler_options_.depth, written_.contexts, written_.linkage_frames, written_.carrier_frames,
      written_.unnamed_frames, written_.unstable_frames);
  if (classes_without_ids_ > 0) {
    report += fmt::format("classes without names for samples, for want of memory: {}\n",
                          classes_without_ids_.load());
  }
  if (stats.timer_failures > 0) {
    report += fmt::format(
        "timers: {} refusals by the system (is the limit on pending signals, ulimit -i, too low?); "
        "{} threads "
        "are without one\n",
        stats.timer_failures, stats.threads_without_timer);
  }
  if (stats.signal_owner != sampling::SignalOwner::kUs) {
    report += fmt::format("sampling ended {:.1f} s after its start: {}\n",
                          static_cast<double>(stats.stopped_after_ns) / 1e9,
                          sampling::LossText(sampler()->signal(), stats.signal_owner));
  }
  return report;
}

// The events stay enabled. Disabling one waits for virtual threads that are being mounted or
// unmounted; at VMDeath collectors have stopped, and one that waits for memory then waits for ever.
// Without running_ the callbacks do nothing that matters.
void Sampling::Stop() {
  stopping_.store(true);
  running_.store(nullptr, std::memory_order_release);
  if (sampler() == nullptr) return;
  if (!sampler()->Stop()) log_.Step("a thread was stopped in the middle of taking a sample");
}

// --- Callbacks.

Sampling* Sampling::Of(jvmtiEnv* jvmti) {
  void* storage = nullptr;
  if (jvmti->GetEnvironmentLocalStorage(&storage) != JVMTI_ERROR_NONE) return nullptr;
  return static_cast<Sampling*>(storage);
}

void JNICALL Sampling::VmInit(jvmtiEnv* jvmti, JNIEnv* /*jni*/, jthread /*thread*/) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "VMInit", [&] { self->Begin(); });
}

void JNICALL Sampling::ClassLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {
  // Being enabled is all that AsyncGetCallTrace wants of this event.
}

void JNICALL Sampling::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/,
                                    jclass klass) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "ClassPrepare", [&] {
    self->LearnClass(jni, klass);
    constexpr uint32_t kNowAndThen = 1024;
    if (self->looks_after_unloaded_ && ++self->prepared_ % kNowAndThen == 0)
      self->watch_.Process(jni);
  });
}

void JNICALL Sampling::ThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "ThreadStart", [&] {
    if (Sampler* sampler = self->running()) sampler->ThreadStarted(jni);
  });
}

void JNICALL Sampling::ThreadEnd(jvmtiEnv* jvmti, JNIEnv* /*jni*/, jthread /*thread*/) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "ThreadEnd", [&] {
    if (Sampler* sampler = self->running()) sampler->ThreadEnding();
  });
}

void JNICALL Sampling::CompiledMethodLoad(jvmtiEnv* jvmti, jmethodID method, jint size,
                                          const void* address, jint map_length,
                                          const jvmtiAddrLocationMap* map, const void* /*info*/) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "CompiledMethodLoad", [&] {
    Sampler* sampler = self->running();
    if (sampler == nullptr) return;
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
    sampler->code().Add(start, static_cast<size_t>(size), CodeKind::kCompiled, method, bcis);
  });
}

void JNICALL Sampling::CompiledMethodUnload(jvmtiEnv* jvmti, jmethodID /*method*/,
                                            const void* address) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "CompiledMethodUnload", [&] {
    if (Sampler* sampler = self->running())
      sampler->code().Remove(reinterpret_cast<uintptr_t>(address));
  });
}

void JNICALL Sampling::DynamicCodeGenerated(jvmtiEnv* jvmti, const char* name, const void* address,
                                            jint size) {
  Sampling* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "DynamicCodeGenerated", [&] {
    Sampler* sampler = self->running();
    if (sampler == nullptr || size <= 0) return;
    sampler->code().Add(reinterpret_cast<uintptr_t>(address), static_cast<size_t>(size),
                        KindOfGenerated(name), nullptr, {});
  });
}

}  // namespace iprof::vm
