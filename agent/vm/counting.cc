#include "agent/vm/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "agent/vm/boundary.h"
#include "agent/vm/jvmti_memory.h"
#include "agent/vm/live_frames.h"
#include "agent/vm/loader_kinds.h"
#include "agent/vm/other_agents.h"
#include "agent/vm/runtime_image.h"

namespace iprof::vm {
namespace {

// Enough for the classes of any JVM's start-up, whatever the placement: until VMInit nobody can
// make more.
constexpr uint32_t kEarlyChunks = 6;
constexpr uint32_t kEarlySiteChunks = 6;

// How often the tables behind class-counting sites are emptied, so that no class is held for long.
constexpr auto kHarvestPeriod = std::chrono::seconds(5);

constexpr auto kThreadPeriod = std::chrono::milliseconds(250);
constexpr auto kStopTimeout = std::chrono::milliseconds(2000);

// How long a dump waits for a harvest, which takes milliseconds.
constexpr auto kHarvestTimeout = std::chrono::milliseconds(3000);

// How long a dump waits for class files to be looked up.
constexpr auto kOriginTimeout = std::chrono::milliseconds(20000);

Status JvmtiFailure(const char* step, jvmtiError error) {
  return {Code::kInternal,
          fmt::format("the JVM refuses to {} (JVMTI error {})", step, static_cast<int>(error))};
}

instrument::SiteKinds SitesAskedFor(const Options& options) {
  return {.receivers = options.receivers,
          .monitors = options.monitors,
          .instance_ofs = options.instance_ofs};
}

bool CountsTypes(const Options& options) {
  return options.receivers || options.monitors || options.instance_ofs;
}

instrument::InstrumenterOptions ForInstrumenter(const Options& options) {
  instrument::InstrumenterOptions made;
  made.calls = options.calls;
  made.branches = options.branches;
  made.placement = options.placement;
  made.sites = SitesAskedFor(options);
  made.receivers_max_lost = static_cast<double>(options.receivers_max_lost) / 100;
  made.self_check = options.self_check;
  made.stripes = static_cast<uint32_t>(options.stripes);
  return made;
}

}  // namespace

Counting::Counting(jvmtiEnv* jvmti, const Options& options, Log& log, ProxyNames& proxies)
    : jvmti_(jvmti),
      log_(log),
      filter_(options.jdk, options.include, options.exclude),
      proxies_(proxies),
      chunks_(space_, static_cast<uint32_t>(options.stripes), reach_),
      count_types_(CountsTypes(options)),
      site_space_(kChunkSites),
      type_chunks_(
          site_space_,
          [&proxies](std::string_view signature) { return proxies.names().ProfileName(signature); },
          reach_),
      instrumenter_(ForInstrumenter(options), space_,
                    [this](uint32_t chunk) { return chunks_.HolderName(chunk); }),
      thread_([this](jvmtiEnv*,
                     JNIEnv* jni) { AtBoundary(log_, "the agent's thread", [&] { Work(jni); }); },
              kThreadPeriod) {
  constexpr int64_t kMostChunks = 4096;
  const int64_t budget = count_types_ ? options.memory.bytes / 2 : options.memory.bytes;
  const int64_t chunk_bytes =
      options.stripes * int64_t{instrument::kChunkCounters} * int64_t{sizeof(jlong)};
  const auto wake = [this] { thread_.Wake(); };
  space_.Configure(static_cast<uint32_t>(std::clamp<int64_t>(budget / chunk_bytes, 1, kMostChunks)),
                   wake);
  if (!count_types_) return;
  constexpr int64_t kRowBytes = sizeof(jlong) + sizeof(jint);
  constexpr int64_t kSiteChunkBytes = int64_t{kChunkSites} * kSiteRows * kRowBytes;
  site_space_.Configure(
      static_cast<uint32_t>(std::clamp<int64_t>(budget / kSiteChunkBytes, 1, kMostChunks)), wake);
  instrumenter_.UseSites(site_space_, kChunkSites,
                         [this](uint32_t chunk) { return type_chunks_.HolderName(chunk); });
}

Result<Counting*> Counting::Create(JavaVM* vm, const Options& options, Log& log,
                                   ProxyNames& proxies, bool attached) {
  if (!options.calls && !options.branches && !CountsTypes(options)) return nullptr;
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    return Status(Code::kUnsupported, "this JVM has no JVMTI 11, so it cannot be profiled");
  }
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  const VmFlags flags(vm);
  StartupPlan plan = PlanStartup(
      options.jdk, {[&](std::string_view name) { return flags.Bool(name); },
                    [&](std::string_view name) { return flags.Text(name); },
                    [&](std::string_view prefix) { return flags.LastArgument(prefix); }});
  if (attached) plan = {CountingStart::kRetransform, ""};
  Options planned = options;
  planned.jdk = options.jdk && plan.start != CountingStart::kApplication;
  auto* counting = new Counting(jvmti, planned, log, proxies);  // lives until the process ends
  counting->start_ = plan.start;
  counting->notes_lambdas_ = !attached;
  if (plan.start == CountingStart::kRetransform)
    counting->earlier_ = std::make_unique<EarlierClasses>(vm, jvmti, counting->filter_);
  counting->WatchOrigins(flags, attached);
  Status status = counting->Register();
  if (!status.ok()) {
    counting->StopEvents();
    return status;
  }
  if (!plan.notice.empty()) log.Warning(plan.notice);
  if (attached) {
    // VMInit is long over: this thread may run Java code already.
    JNIEnv* jni = nullptr;
    if (vm->GetEnv(reinterpret_cast<void**>(&jni), JNI_VERSION_10) == JNI_OK)
      AtBoundary(log, "the start of counting", [&] { counting->OnVmInit(jni); });
  }
  return counting;
}

// Decides whether classes may come to us changed by another agent.
void Counting::WatchOrigins(const VmFlags& flags, bool attached) {
  const OtherAgents others = FindOtherAgents(flags.Arguments(), OwnLibrary());
  const bool late = attached || start_ == CountingStart::kRetransform;
  std::vector<std::string> first = others.before;
  if (late) first.insert(first.end(), others.after.begin(), others.after.end());
  if (first.empty() && late && HasJavaAgents()) first = {"attached"};
  if (first.empty() && !late) return;
  // Whoever counts late comes after every other agent, those yet to come included.
  origin_ = std::make_unique<ClassOrigin>(log_, !first.empty());
  if (first.empty()) return;
  const std::string names = fmt::format("{}", fmt::join(first, ", "));
  const std::string_view what = first.size() == 1 ? "another agent" : "other agents";
  const std::string_view verb = first.size() == 1 ? "comes" : "come";
  log_.Warning(
      late ? fmt::format("{} ({}) may change classes first: positions are checked against the "
                         "class files",
                         what, names)
           : fmt::format("{} ({}) {} first: put -agentpath:.../{} before it; positions are checked "
                         "against the class files",
                         what, names, verb, OwnLibrary()));
}

Status Counting::Register() {
  jvmtiCapabilities capabilities{};
  capabilities.can_generate_all_class_hook_events = 1;
  if (start_ == CountingStart::kFirstBytecode) {
    capabilities.can_generate_early_class_hook_events = 1;
    capabilities.can_generate_early_vmstart = 1;
  } else if (start_ == CountingStart::kRetransform) {
    capabilities.can_retransform_classes = 1;
    capabilities.can_retransform_any_class = 1;
    capabilities.can_tag_objects = 1;
  }
  jvmtiError error = jvmti_->AddCapabilities(&capabilities);
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("let classes be instrumented", error);

  jvmtiEventCallbacks callbacks{};
  callbacks.VMStart = VmStart;
  callbacks.VMInit = VmInit;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  jvmti_->SetEnvironmentLocalStorage(this);
  error = jvmti_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("take callbacks", error);

  std::vector<jvmtiEvent> events{JVMTI_EVENT_VM_INIT};
  if (start_ == CountingStart::kFirstBytecode) {
    events = {JVMTI_EVENT_VM_START, JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK};
    // Classes that load before there is JNI refer to the first chunk, whose holder is defined at
    // VMStart.
    space_.SetReady(1);
    site_space_.SetReady(1);
    on_.store(true, std::memory_order_release);
  }
  for (jvmtiEvent event : events) {
    error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
    if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report its events", error);
  }
  return {};
}

Status Counting::DefineEarly(JNIEnv* jni, uint32_t chunks, uint32_t site_chunks) {
  Status status = reach_.Define(jni);
  if (status.ok()) status = chunks_.DefineEarly(jni, std::min(chunks, space_.Cap()));
  if (status.ok() && count_types_)
    status = type_chunks_.DefineEarly(jni, std::min(site_chunks, site_space_.Cap()));
  return status;
}

Status Counting::FinishStart(JNIEnv* jni) {
  Status status = chunks_.InitialiseDefined(jni);
  if (status.ok()) status = chunks_.StartStriping(jni);
  if (status.ok() && count_types_) status = type_chunks_.InitialiseDefined(jni);
  if (status.ok() && count_types_) status = type_chunks_.ArmSlowPath(jni);
  if (status.ok()) status = reach_.Open(jni);
  return status;
}

void Counting::OnVmStart(JNIEnv* jni) {
  if (Status status = DefineEarly(jni, kEarlyChunks, kEarlySiteChunks); !status.ok()) {
    // Classes that are already loaded refer to the holder: the JVM could not run a single method of
    // them.
    log_.Error(status.message());
    on_.store(false, std::memory_order_release);
  }
}

void Counting::OnVmInit(JNIEnv* jni) {
  filter_.LearnLoaders(jni);
  proxies_.LearnFields(jni);
  Status status;
  if (origin_ != nullptr) {
    if (Status started = origin_->Start(jvmti_, jni); !started.ok())
      log_.Error(fmt::format("no positions can be checked: {}", started.message()));
  }
  if (start_ != CountingStart::kFirstBytecode) status = DefineEarly(jni, 1, 1);
  if (status.ok()) status = FinishStart(jni);
  if (status.ok() && start_ != CountingStart::kFirstBytecode) status = StartHook(jni);
  // Last, because from here on only the thread makes chunks.
  if (status.ok()) status = thread_.Start(jvmti_, jni);
  if (!status.ok()) {
    log_.Error(fmt::format("no more classes are counted: {}", status.message()));
    on_.store(false, std::memory_order_release);
  }
}

Status Counting::StartHook(JNIEnv* jni) {
  on_.store(true, std::memory_order_release);
  const jvmtiError error =
      jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report the loading of classes", error);
  if (earlier_ != nullptr) CountEarlier(jni);
  return {};
}

void Counting::DefineAhead(JNIEnv* jni) {
  if (Status status = chunks_.DefineAhead(jni); !status.ok()) log_.Step(status.message());
  if (!count_types_) return;
  if (Status status = type_chunks_.DefineAhead(jni); !status.ok()) log_.Step(status.message());
}

// Says once that the program outgrew memory=.
void Counting::WarnOfCap() {
  if (space_.statistics().refused_cap + site_space_.statistics().refused_cap == 0) return;
  if (cap_told_.exchange(true)) return;
  log_.Warning(
      "the memory cap (memory=) is reached: what loads from now on is not counted, or without its "
      "receivers; a larger memory= counts it, verbose=1 says how much is missing");
}

void Counting::Work(JNIEnv* jni) {
  DefineAhead(jni);
  if (earlier_ != nullptr) earlier_->Work(jni, [&] { return GoesOn(jni); });
  WarnOfCap();
  if (!count_types_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_harvest_ && !type_chunks_.FillsUp(jni)) return;
  type_chunks_.Harvest(jvmti_, jni);
  next_harvest_ = now + kHarvestPeriod;
}

void Counting::CountEarlier(JNIEnv* jni) {
  const jvmtiError error =
      jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, nullptr);
  if (error != JVMTI_ERROR_NONE) log_.Step("classes that are not linked yet stay uncounted");
  earlier_->Start(jni, [&] { return GoesOn(jni); });
}

// Before a batch of classes is retransformed: there is room for counters, unless counting ends.
bool Counting::GoesOn(JNIEnv* jni) {
  DefineAhead(jni);
  return on_.load(std::memory_order_acquire);
}

namespace {

// A class of a loader that may not find the agent's own classes, where every class inherits a way.
class InheritedAccess final : public instrument::ChunkAccess {
 public:
  bool inherited() const override { return true; }
  std::optional<std::string> CounterHolder(uint32_t /*chunk*/) override { return std::nullopt; }
  std::optional<std::string> SiteHolder(uint32_t /*chunk*/) override { return std::nullopt; }
};

}  // namespace

bool Counting::InstrumentWithAccess(JNIEnv* jni, jobject loader, instrument::ClassBytes input,
                                    const std::function<uint8_t*(size_t)>& output) {
  InheritedAccess inherited;
  const LoaderKind kind = KindOfLoader(jvmti_, jni, loader);
  if (kind == LoaderKind::kReflection) {
    ++for_reflection_;
    return false;
  }
  if (start_ == CountingStart::kFirstBytecode && kind == LoaderKind::kCustom) {
    if (!reach_.is_open()) {
      ++too_early_;
      return false;
    }
    input.access = &inherited;
  }
  return instrumenter_.Instrument(input, output);
}

// False: the JVM has no memory for it.
bool Counting::Store(std::span<const uint8_t> bytes, jint* new_size, unsigned char** new_bytes) {
  unsigned char* memory = nullptr;
  if (jvmti_->Allocate(static_cast<jlong>(bytes.size()), &memory) != JVMTI_ERROR_NONE) return false;
  std::copy(bytes.begin(), bytes.end(), memory);
  *new_size = static_cast<jint>(bytes.size());
  *new_bytes = memory;
  return true;
}

// Also where nothing is counted any more: what Object was given when it was loaded it must keep
// when it is redefined.
void Counting::OnObject(std::span<const uint8_t> original, jint* new_size,
                        unsigned char** new_bytes) {
  std::vector<uint8_t> counted;
  constexpr std::string_view kName = "java/lang/Object";
  if (origin_ != nullptr) origin_->Note(nullptr, nullptr, kName, original);
  if (on_.load(std::memory_order_acquire) && filter_.Accepts(nullptr, nullptr, kName)) {
    instrumenter_.Instrument({kName, original}, [&](size_t length) {
      counted.resize(length);
      return counted.data();
    });
  }
  const std::span<const uint8_t> bytes = counted.empty() ? original : std::span(counted);
  const std::vector<uint8_t> with_members = reach_.GiveMembers(bytes);
  if (!with_members.empty()) {
    Store(with_members, new_size, new_bytes);
  } else if (!counted.empty()) {
    Store(counted, new_size, new_bytes);
  }
}

void Counting::OnClassFile(JNIEnv* jni, jobject loader, const char* name, jint size,
                           const unsigned char* bytes, jint* new_size, unsigned char** new_bytes) {
  const std::span<const uint8_t> original(bytes, static_cast<size_t>(size));
  const std::string_view known_name = name == nullptr ? std::string_view() : std::string_view(name);
  if (notes_lambdas_) proxies_.names().lambda_numbers().Note(original);
  if (!filter_.Accepts(jni, loader, known_name)) return;
  if (origin_ != nullptr) origin_->Note(jni, loader, known_name, original);
  std::optional<std::string> proxy;
  if (instrument::IsProxyName(known_name)) {
    proxy = proxies_.NameLoading(jvmti_, jni, loader, original);
  }
  const std::string_view profile_name = proxy ? std::string_view(*proxy) : known_name;
  InstrumentWithAccess(jni, loader, {profile_name, original}, [&](size_t length) -> uint8_t* {
    unsigned char* memory = nullptr;
    if (jvmti_->Allocate(static_cast<jlong>(length), &memory) != JVMTI_ERROR_NONE) return nullptr;
    *new_size = static_cast<jint>(length);
    *new_bytes = memory;
    return memory;
  });
}

bool Counting::InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                                std::vector<uint8_t>* output) {
  if (!on_.load(std::memory_order_acquire) || !filter_.Accepts(jni, loader, input.name)) {
    return false;
  }
  return InstrumentWithAccess(jni, loader, {input.profile_name, input.bytes}, [&](size_t length) {
    output->resize(length);
    return output->data();
  });
}

void Counting::AddTo(JNIEnv* jni, Profile& profile) {
  const std::vector<uint64_t> counters = chunks_.Read(jni);
  TypeChunks::Collected types;
  if (count_types_) types = type_chunks_.Collect(jvmti_, jni, kHarvestTimeout);
  if (!types.whole) {
    log_.Error("many classes of receivers are missing: the agent's thread, iprof, is suspended");
  }
  const LiveFrames live = LiveFrames::Collect(jvmti_, jni);
  WarnOfCap();
  // After the counters were read: its own work is not counted.
  if (origin_ != nullptr) origin_->Settle(kOriginTimeout);
  instrumenter_.AddTo(
      counters, types.counts, [&](std::string_view key) { return live.Of(key); }, profile,
      Origins());
}

instrument::OriginOf Counting::Origins() const {
  if (origin_ == nullptr) return {};
  return [this](const instrument::CountedClass& klass, const instrument::CountedMethod& method) {
    return origin_->Judge(klass, method);
  };
}

std::optional<Bci> Counting::OriginalBci(const SampledMethod& method, Bci running) const {
  std::string_view name = method.class_descriptor;
  if (running <= 0 || name.size() < 3 || name.front() != 'L') return running;
  name = name.substr(1, name.size() - 2);
  const std::string counted = proxies_.names().InternalName(name);
  const std::optional<uint32_t> original = instrumenter_.OriginalBci(
      counted, method.name, method.descriptor, static_cast<uint32_t>(running), Origins());
  if (!original) return std::nullopt;
  return static_cast<Bci>(*original);
}

std::string Counting::Report() const {
  std::string report = instrumenter_.Report();
  const auto space = space_.statistics();
  const uint64_t bytes =
      uint64_t{space.ready} * instrument::kChunkCounters * sizeof(jlong) * chunks_.stripes();
  report += fmt::format("counters: {} in {} chunks, {} KiB of heap\n", space.counters, space.ready,
                        bytes / 1024);
  if (count_types_) {
    const auto sites = site_space_.statistics();
    report += fmt::format("sites: {} in {} chunks, {} harvests\n", sites.counters, sites.ready,
                          type_chunks_.harvests());
  }
  if (const uint64_t count = too_early_.load(); count > 0) {
    report += fmt::format(
        "classes left alone: {} (their class loaders came before the JVM was initialised)\n",
        count);
  }
  if (const uint64_t count = for_reflection_.load(); count > 0) {
    report += fmt::format(
        "classes left alone: {} (made by reflection for classes of other loaders)\n", count);
  }
  if (origin_ != nullptr) report += origin_->Report();
  if (earlier_ != nullptr) report += earlier_->Report();
  return report;
}

void Counting::Stop() {
  on_.store(false, std::memory_order_release);
  if (!thread_.Stop(kStopTimeout)) log_.Step("the agent's thread did not end in time");
}

// The environment stays: the thread may still use it.
void Counting::StopEvents() {
  on_.store(false, std::memory_order_release);
  for (const jvmtiEvent event : {JVMTI_EVENT_VM_START, JVMTI_EVENT_VM_INIT,
                                 JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, JVMTI_EVENT_CLASS_PREPARE})
    jvmti_->SetEventNotificationMode(JVMTI_DISABLE, event, nullptr);
}

namespace {

Counting* Of(jvmtiEnv* jvmti) {
  void* storage = nullptr;
  if (jvmti->GetEnvironmentLocalStorage(&storage) != JVMTI_ERROR_NONE) return nullptr;
  return static_cast<Counting*>(storage);
}

}  // namespace

void JNICALL Counting::VmStart(jvmtiEnv* jvmti, JNIEnv* jni) {
  Counting* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "VMStart", [&] { self->OnVmStart(jni); });
}

void JNICALL Counting::VmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/) {
  Counting* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "VMInit", [&] { self->OnVmInit(jni); });
}

void JNICALL Counting::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass /*redefined*/,
                                         jobject loader, const char* name, jobject /*domain*/,
                                         jint size, const unsigned char* bytes, jint* new_size,
                                         unsigned char** new_bytes) {
  Counting* self = Of(jvmti);
  if (self == nullptr) return;
  if (loader == nullptr && self->start_ == CountingStart::kFirstBytecode && name != nullptr &&
      std::string_view(name) == "java/lang/Object") {
    AtBoundary(self->log_, "ClassFileLoadHook", [&] {
      self->OnObject({bytes, static_cast<size_t>(size)}, new_size, new_bytes);
    });
    return;
  }
  if (!self->on_.load(std::memory_order_acquire)) return;
  AtBoundary(self->log_, "ClassFileLoadHook",
             [&] { self->OnClassFile(jni, loader, name, size, bytes, new_size, new_bytes); });
}

void JNICALL Counting::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/,
                                    jclass klass) {
  Counting* self = Of(jvmti);
  if (self == nullptr || self->earlier_ == nullptr) return;
  AtBoundary(self->log_, "ClassPrepare", [&] {
    if (self->earlier_->OnPrepare(jni, klass)) self->thread_.Wake();
  });
}

}  // namespace iprof::vm
