#include "agent/vm/counting/counting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "agent/vm/counting/class_definitions.h"
#include "agent/vm/counting/live_frames.h"
#include "agent/vm/counting/loader_kinds.h"
#include "agent/vm/counting/other_agents.h"
#include "agent/vm/counting/runtime_image.h"
#include "agent/vm/jvmti/boundary.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/lock_within.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

// Enough for the classes of any JVM's start-up, whatever the placement: until VMInit nobody can
// make more.
constexpr uint32_t kEarlyChunks = 6;
constexpr uint32_t kEarlySiteChunks = 6;

// Parts of the budget: for the names of types met at sites, for counts of unloaded classes, and what
// chunks leave to the records of classes.
constexpr uint64_t kHarvestedShare = 8;
constexpr uint64_t kUnloadedShare = 8;
constexpr uint64_t kClassShare = 4;
constexpr uint64_t kLeastForClasses = 1 << 20;

// For the names of classes that may be unloaded.
constexpr uint64_t kHashShare = 16;
constexpr uint64_t kMostHashBytes = 8 << 20;

// What it costs to know that a class is loaded: a tag in the JVM and an entry here.
constexpr uint64_t kWatchedBytes = 120;

// How often the tables behind class-counting sites are emptied.
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

instrument::InstrumenterOptions ForInstrumenter(const Options& options,
                                                const CompilerSettings& compilers) {
  instrument::InstrumenterOptions made;
  made.calls = options.calls;
  made.branches = options.branches;
  made.placement = options.placement;
  made.sites = SitesAskedFor(options);
  made.receivers_max_lost = static_cast<double>(options.receivers_max_lost) / 100;
  made.self_check = options.self_check;
  made.stripes = static_cast<uint32_t>(options.stripes);
  made.huge_method_limit = compilers.huge_method_limit;
  made.black_holes = compilers.black_holes;
  return made;
}

}  // namespace

Counting::Counting(jvmtiEnv* jvmti, const Options& options, const CompilerSettings& compilers,
                   const HeapPlan& plan, Log& log, ProxyNames& proxies, ClassWatch& watch,
                   instrument::MemoryBudget& budget)
    : jvmti_(jvmti),
      log_(log),
      filter_(options.jdk, options.include, options.exclude),
      proxies_(proxies),
      reach_(static_cast<uint32_t>(options.stripes)),
      watch_(watch),
      budget_(budget),
      plan_(plan),
      chunk_bytes_(static_cast<uint64_t>(options.stripes) * instrument::kChunkCounters *
                   sizeof(jlong)),
      chunks_(space_, static_cast<uint32_t>(options.stripes), reach_),
      count_types_(CountsTypes(options)),
      site_space_(kChunkSites),
      type_chunks_(
          site_space_,
          [&proxies](jvmtiEnv* env, JNIEnv* jni, jclass type, std::string_view signature) {
            if (IsGeneratedAccessor(signature)) return std::optional<std::string>();
            proxies.NameLoaded(env, jni, type, signature);
            return proxies.names().ProfileName(signature);
          },
          {.spill_slots = plan.spill_slots,
           .hash_names_bytes = std::min(kMostHashBytes, budget.limit() / kHashShare)},
          reach_),
      instrumenter_(
          ForInstrumenter(options, compilers), space_,
          [this](uint32_t chunk) { return chunks_.HolderName(chunk); }, &budget),
      thread_([this](jvmtiEnv*,
                     JNIEnv* jni) { AtBoundary(log_, "the agent's thread", [&] { Work(jni); }); },
              kThreadPeriod) {
  const auto wake = [this] { thread_.Wake(); };
  space_.Configure(1, wake);
  if (count_types_) {
    site_space_.Configure(1, wake);
    instrumenter_.UseSites(site_space_, kChunkSites,
                           [this](uint32_t chunk) { return type_chunks_.HolderName(chunk); });
    budget_.Set(instrument::MemoryPart::kSpill, SpillBytes(plan_.spill_slots));
    type_chunks_.LimitHarvested(budget_.limit() / kHarvestedShare);
  }
  // A minimum, without which nothing could be counted at all.
  const uint64_t least = budget_.Used() + chunk_bytes_ + (count_types_ ? kSiteChunkBytes : 0);
  budget_.SetLimit(std::max(budget_.limit(), least + kLeastForClasses));
  instrumenter_.LimitUnloaded(budget_.limit() / kUnloadedShare);
  ShareBudget();
  watch_.OnGone([this](JNIEnv*, std::span<const UnloadTag> gone) { ReleaseGone(gone); });
  ClassDefinitions::SetFailed([this](instrument::ClassId id) { instrumenter_.Release(id); });
}

// Chunks may use what nothing else does.
void Counting::ShareBudget() {
  using instrument::MemoryPart;
  const auto share = [&](instrument::CounterSpace& space, MemoryPart part, uint64_t chunk_bytes,
                         uint32_t most) {
    const uint32_t ready = space.statistics().ready;
    budget_.Set(part, ready * chunk_bytes + space.bytes());
    // Classes need a part as well, and so does the other kind of chunks.
    const uint64_t known = budget_.Used(MemoryPart::kClasses);
    const uint64_t reserved = std::max(kLeastForClasses, budget_.limit() / kClassShare);
    const uint64_t spoken_for = reserved - std::min(reserved, known);
    const uint64_t left = budget_.Left() - std::min(budget_.Left(), spoken_for);
    const uint64_t mine = count_types_ ? left / 2 : left;
    const uint64_t more = std::min<uint64_t>(mine / chunk_bytes, most);
    space.SetCap(std::min(ready + static_cast<uint32_t>(more), most));
  };
  const HiddenNames& names = proxies_.names();
  budget_.Set(MemoryPart::kNames, names.bytes() + names.lambda_numbers().bytes());
  share(space_, MemoryPart::kCounters, chunk_bytes_, plan_.counter_chunks);
  if (!count_types_) return;
  share(site_space_, MemoryPart::kSites, kSiteChunkBytes, plan_.site_chunks);
  budget_.Set(MemoryPart::kTypes,
              type_chunks_.harvested_bytes() + type_chunks_.hash_statistics().bytes);
}

Result<Counting*> Counting::Create(JavaVM* vm, const Options& options, Log& log,
                                   ProxyNames& proxies, ClassWatch& watch,
                                   instrument::MemoryBudget& budget, bool attached) {
  if (!AsksForCounts(options)) return nullptr;
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) {
    return Status(Code::kUnsupported, "this JVM has no JVMTI 11, so it cannot be profiled");
  }
  auto* jvmti = static_cast<jvmtiEnv*>(environment);
  const VmFlags flags(vm);
  const FlagQueries queries{[&](std::string_view name) { return flags.Bool(name); },
                            [&](std::string_view name) { return flags.Text(name); },
                            [&](std::string_view prefix) { return flags.LastArgument(prefix); }};
  StartupPlan plan = PlanStartup(options.jdk, queries);
  if (attached) plan = {CountingStart::kRetransform, ""};
  Options planned = options;
  planned.jdk = options.jdk && plan.start != CountingStart::kApplication;
  const HeapPlan heap = PlanHeap(
      planned, {.budget_bytes = budget.limit(), .most_heap_bytes = flags.Number("MaxHeapSize")});
  auto* counting =
      new Counting(jvmti, planned, ReadCompilerSettings(queries), heap, log, proxies, watch,
                   budget);  // until the process ends
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
  instrumenter_.OnForgotten(
      [this](std::string_view name, const Hash128& hash) { origin_->Drop(name, hash); });
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
  callbacks.ClassLoad = ClassLoad;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
  jvmti_->SetEnvironmentLocalStorage(this);
  error = jvmti_->SetEventCallbacks(&callbacks, static_cast<jint>(sizeof callbacks));
  if (error != JVMTI_ERROR_NONE) return JvmtiFailure("take callbacks", error);

  std::vector<jvmtiEvent> events{JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_LOAD};
  if (start_ == CountingStart::kFirstBytecode) {
    events.insert(events.end(), {JVMTI_EVENT_VM_START, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK});
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
  if (status.ok() && count_types_) {
    status = type_chunks_.ArmSlowPath(jvmti_, jni, [this]() -> Status {
      const jvmtiError error =
          jvmti_->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, nullptr);
      if (error != JVMTI_ERROR_NONE) return JvmtiFailure("report its classes", error);
      return {};
    });
  }
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
  watch_.LearnLoaders(jni);
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
  ShareBudget();
  if (Status status = chunks_.DefineAhead(jni); !status.ok()) log_.Step(status.message());
  if (!count_types_) return;
  if (Status status = type_chunks_.DefineAhead(jni); !status.ok()) log_.Step(status.message());
}

// Says once that the program outgrew memory=.
void Counting::WarnOfCap() {
  if (space_.statistics().refused_cap + site_space_.statistics().refused_cap + budget_.refusals() ==
      0)
    return;
  if (cap_told_.exchange(true)) return;
  log_.Warning(
      "the memory cap (memory=) is reached: what loads from now on is not counted, or without its "
      "receivers; a larger memory= counts it, verbose=1 says how much is missing");
}

void Counting::Work(JNIEnv* jni) {
  watch_.Process(jni);
  DefineAhead(jni);
  if (earlier_ != nullptr) earlier_->Work(jni, [&] { return GoesOn(jni); });
  WarnOfCap();
  const auto now = std::chrono::steady_clock::now();
  if (count_types_ && (now >= next_harvest_ || type_chunks_.FillsUp(jni))) {
    type_chunks_.Harvest(jvmti_, jni);
    next_harvest_ = now + kHarvestPeriod;
  }
  Unload(jni);
}

namespace {

// The counters and sites of unloaded classes, inside the JVM.
class JvmCounters final : public instrument::ClassInstrumenter::Counters {
 public:
  JvmCounters(jvmtiEnv* jvmti, JNIEnv* jni, CounterChunks& chunks, TypeChunks& types)
      : jvmti_(jvmti), jni_(jni), chunks_(chunks), types_(types) {}

  bool Take(instrument::CounterRange counters, std::vector<uint64_t>* values) override {
    chunks_.Take(jni_, counters, values);
    return true;
  }
  bool TakeSites(instrument::CounterRange sites, uint32_t first,
                 instrument::UnloadedCounts* counts) override {
    return types_.Take(jvmti_, jni_, sites, first, counts);
  }

 private:
  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  CounterChunks& chunks_;
  TypeChunks& types_;
};

}  // namespace

void Counting::Unload(JNIEnv* jni) {
  const std::unique_lock lock(unload_mutex_, std::try_to_lock);
  if (!lock) return;  // a profile is being made; later
  const LocalFrame frame(jni);
  JvmCounters counters(jvmti_, jni, chunks_, type_chunks_);
  instrumenter_.Unload(counters, type_chunks_.rounds());
}

void Counting::HoldWhileLoaded(jclass klass, instrument::ClassId held) {
  const auto watched = watch_.Watch(klass);
  if (!watched) return;        // it seems to stay
  bool holds_already = false;  // a class that is retransformed comes again
  {
    const std::lock_guard lock(loaded_mutex_);
    const auto [first, last] = loaded_.equal_range(*watched);
    holds_already = std::any_of(first, last, [&](const auto& one) { return one.second == held; });
    if (!holds_already) loaded_.emplace(*watched, held);
    budget_.Set(instrument::MemoryPart::kWatched, loaded_.size() * kWatchedBytes);
  }
  if (holds_already) instrumenter_.Release(held);
}

void Counting::ReleaseGone(std::span<const UnloadTag> gone) {
  for (const UnloadTag one : gone) {
    std::vector<instrument::ClassId> held;
    {
      const std::lock_guard lock(loaded_mutex_);
      const auto [first, last] = loaded_.equal_range(one);
      for (auto at = first; at != last; ++at) held.push_back(at->second);
      loaded_.erase(first, last);
    }
    for (const instrument::ClassId id : held) instrumenter_.Release(id);
  }
}

void Counting::OnClassLoad(JNIEnv* jni, jclass klass) {
  jobject loader = nullptr;
  if (jvmti_->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) return;
  const bool may_go = watch_.MayGo(jni, loader);
  if (loader != nullptr) jni->DeleteLocalRef(loader);
  if (!may_go) return;
  JvmtiString signature(jvmti_);
  if (jvmti_->GetClassSignature(klass, signature.address(), nullptr) != JVMTI_ERROR_NONE) return;
  std::string_view name = ViewOf(signature);
  if (name.size() > 2) name = name.substr(1, name.size() - 2);
  if (const auto held = ClassDefinitions::End(name)) HoldWhileLoaded(klass, *held);
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

// A class of such a loader where there is no such way. The methods of a class lie in one chunk mostly.
class LoaderAccess final : public instrument::ChunkAccess {
 public:
  LoaderAccess(LoaderHolders& holders, JNIEnv* jni, const ClassInLoader& type)
      : holders_(holders), jni_(jni), type_(type) {}

  bool inherited() const override { return false; }
  std::optional<std::string> CounterHolder(uint32_t chunk) override {
    return Find(LoaderHolders::Kind::kCounters, chunk, counters_);
  }
  std::optional<std::string> SiteHolder(uint32_t chunk) override {
    return Find(LoaderHolders::Kind::kSites, chunk, sites_);
  }

 private:
  struct Last {
    std::optional<uint32_t> chunk;
    std::optional<std::string> name;
  };

  std::optional<std::string> Find(LoaderHolders::Kind kind, uint32_t chunk, Last& last) {
    if (last.chunk != chunk) last = {chunk, holders_.Find(jni_, type_, kind, chunk)};
    return last.name;
  }

  LoaderHolders& holders_;
  JNIEnv* const jni_;
  const ClassInLoader& type_;
  Last counters_;
  Last sites_;
};

}  // namespace

bool Counting::InstrumentWithAccess(JNIEnv* jni, const ClassInLoader& type,
                                    instrument::ClassBytes input,
                                    const std::function<uint8_t*(size_t)>& output,
                                    std::optional<instrument::ClassId>* held) {
  InheritedAccess inherited;
  LoaderAccess in_loader(reach_.loader_holders(), jni, type);
  const LoaderKind kind = KindOfLoader(jvmti_, jni, type.loader);
  if (kind == LoaderKind::kReflection) {
    ++for_reflection_;
    return false;
  }
  if (kind == LoaderKind::kCustom && reach_.has_members()) {
    if (!reach_.is_open()) {
      ++too_early_;
      return false;
    }
    input.access = &inherited;
  } else if (kind == LoaderKind::kCustom) {
    if (!reach_.loader_holders().HasAccess(jni, type)) return false;
    input.access = &in_loader;
  }
  return instrumenter_.Instrument(input, output, held);
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

void Counting::OnClassFile(JNIEnv* jni, jclass redefined, const ClassInLoader& type, jint* new_size,
                           unsigned char** new_bytes) {
  const std::span<const uint8_t> original = type.bytes;
  const std::string_view known_name = type.name;
  jobject loader = type.loader;
  if (notes_lambdas_) proxies_.names().lambda_numbers().Note(original);
  if (!filter_.Accepts(jni, loader, known_name)) return;
  std::optional<std::string> proxy;
  if (instrument::IsProxyName(known_name)) {
    proxy = proxies_.NameLoading(jvmti_, jni, loader, original);
  }
  const std::string_view profile_name = proxy ? std::string_view(*proxy) : known_name;
  std::optional<instrument::ClassId> held;
  InstrumentWithAccess(
      jni, type, {profile_name, original},
      [&](size_t length) -> uint8_t* {
        unsigned char* memory = nullptr;
        if (jvmti_->Allocate(static_cast<jlong>(length), &memory) != JVMTI_ERROR_NONE)
          return nullptr;
        *new_size = static_cast<jint>(length);
        *new_bytes = memory;
        return memory;
      },
      &held);
  // The class is held, so that it is not forgotten at this moment.
  if (origin_ != nullptr && held) origin_->Note(jni, loader, known_name, original);
  // Classes that stay keep what they hold.
  if (!held || known_name.empty() || !watch_.MayGo(jni, loader)) return;
  if (redefined != nullptr) {
    HoldWhileLoaded(redefined, *held);
  } else {
    ClassDefinitions::Begin(known_name, *held,
                            reinterpret_cast<uintptr_t>(__builtin_frame_address(0)));
  }
}

bool Counting::InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                                std::vector<uint8_t>* output,
                                std::optional<instrument::ClassId>* held) {
  if (!on_.load(std::memory_order_acquire) || !filter_.Accepts(jni, loader, input.name)) {
    return false;
  }
  const ClassInLoader type{.loader = loader, .name = input.name, .bytes = input.bytes};
  return InstrumentWithAccess(
      jni, type, {input.profile_name, input.bytes},
      [&](size_t length) {
        output->resize(length);
        return output->data();
      },
      held);
}

void Counting::HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                                  instrument::ClassId held) {
  if (defined == nullptr) {
    instrumenter_.Release(held);
  } else if (watch_.MayGo(jni, loader)) {
    HoldWhileLoaded(defined, held);
  }
}

void Counting::AddTo(JNIEnv* jni, Profile& profile) {
  const std::unique_lock lock = LockWithin(unload_mutex_, kHarvestTimeout);
  if (!lock) log_.Error("counts of classes that are being unloaded may be missing");
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

std::optional<Bci> Counting::OriginalBci(std::string_view class_descriptor, std::string_view name,
                                         std::string_view descriptor, Bci running) const {
  std::string_view owner = class_descriptor;
  if (running <= 0 || owner.size() < 3 || owner.front() != 'L') return running;
  owner = owner.substr(1, owner.size() - 2);
  const std::string counted = proxies_.names().InternalName(owner);
  const std::optional<uint32_t> original = instrumenter_.OriginalBci(
      counted, name, descriptor, static_cast<uint32_t>(running), Origins());
  if (!original) return std::nullopt;
  return static_cast<Bci>(*original);
}

std::string Counting::Report() const {
  std::string report = instrumenter_.Report();
  const auto space = space_.statistics();
  report += fmt::format("counters: {} in {} chunks, {} KiB of heap; {} to be used again\n",
                        space.counters, space.ready, space.ready * chunk_bytes_ / 1024, space.free);
  if (count_types_) {
    const auto sites = site_space_.statistics();
    report += fmt::format("sites: {} in {} chunks, {} harvests\n", sites.counters, sites.ready,
                          type_chunks_.harvests());
    const auto hashes = type_chunks_.hash_statistics();
    report += fmt::format("classes that may be unloaded: {} known by hash, {} names, {} KiB\n",
                          hashes.classes, hashes.names, hashes.bytes / 1024);
    if (hashes.refused > 0) {
      report += fmt::format("classes that may be unloaded, beyond the limit: {}\n", hashes.refused);
    }
  }
  report += reach_.loader_holders().Report();
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
  for (const jvmtiEvent event : {JVMTI_EVENT_VM_START, JVMTI_EVENT_VM_INIT, JVMTI_EVENT_CLASS_LOAD,
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

// Only those classes matter that this thread has just sent through the hook.
void JNICALL Counting::ClassLoad(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/, jclass klass) {
  if (!ClassDefinitions::Any()) return;
  Counting* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "ClassLoad", [&] { self->OnClassLoad(jni, klass); });
}

void JNICALL Counting::ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
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
  const ClassInLoader type{.loader = loader,
                           .name = name == nullptr ? std::string_view() : std::string_view(name),
                           .bytes = {bytes, static_cast<size_t>(size)},
                           .loading = redefined == nullptr};
  AtBoundary(self->log_, "ClassFileLoadHook",
             [&] { self->OnClassFile(jni, redefined, type, new_size, new_bytes); });
}

void JNICALL Counting::ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread /*thread*/,
                                    jclass klass) {
  Counting* self = Of(jvmti);
  if (self == nullptr) return;
  AtBoundary(self->log_, "ClassPrepare", [&] {
    if (self->count_types_) self->type_chunks_.Prepared(jvmti, jni, klass);
    if (self->earlier_ != nullptr && self->earlier_->OnPrepare(jni, klass)) self->thread_.Wake();
  });
}

}  // namespace iprof::vm
