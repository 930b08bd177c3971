#include "agent/vm/sampling/method_learner.h"

#include <algorithm>
#include <chrono>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/lock_within.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

// The part of the budget for method ids of unloaded classes, which the JVM never frees.
constexpr uint64_t kIdShare = 16;

// Prune only from this many methods of unloaded classes on, because finding out which were sampled
// takes a walk over all stacks.
constexpr uint64_t kFewestToPrune = 2'000;
constexpr uint64_t kMostToWait = 20'000;
constexpr auto kPrunePatience = std::chrono::milliseconds(3000);

}  // namespace

std::unique_lock<std::timed_mutex> MethodLearner::KeepTexts() {
  return LockWithin(texts_mutex_, kPrunePatience);
}

bool MethodLearner::MayMakeIds() {
  // HotSpot keeps a block of ids for each class loader, and one for each hidden class, forever.
  constexpr uint64_t kBlockBytes = 128;
  const uint64_t bytes = unloaded_classes_ * kBlockBytes + unloaded_methods_ * sizeof(jmethodID);
  budget_.Set(instrument::MemoryPart::kMethodIds, bytes);
  if (bytes < budget_.limit() / kIdShare && budget_.Left() > 0) return true;
  ++classes_without_ids_;
  if (!ids_told_.exchange(true)) {
    log_.Warning(
        "too many classes were unloaded: samples in classes that the program's own class loaders "
        "load from now on have no names");
  }
  return false;
}

void MethodLearner::ForgetGone(std::span<const UnloadTag> gone) {
  for (const UnloadTag one : gone) {
    const size_t methods = methods_.Gone(static_cast<int64_t>(one));
    if (methods == 0) continue;
    ++unloaded_classes_;
    unloaded_methods_ += methods;
  }
  const uint64_t prune_at =
      std::clamp<uint64_t>(budget_.limit() / 4096, kFewestToPrune, kMostToWait);
  if (methods_.gone_methods() >= prune_at) Prune();
}

void MethodLearner::ReportMemory() const {
  budget_.Set(instrument::MemoryPart::kMethods, methods_.bytes() + replaced_line_bytes_.load());
}

// Forgets the methods of unloaded classes that no sample shows.
void MethodLearner::Prune() {
  const std::unique_lock lock(texts_mutex_, std::try_to_lock);
  if (!lock) return;  // a profile is being made; try later
  if (const auto sampled = ids_in_samples_()) methods_.Prune(*sampled);
}

// Each swap of a class may leave other old versions of its methods on stacks. Those that no sample shows are forgotten;
// LearnRunningMethods adds the ones that still run.
void MethodLearner::ForgetReplaced() {
  if (methods_.replaced_methods() == 0) return;
  const std::unique_lock lock(texts_mutex_, std::try_to_lock);
  const auto sampled = lock ? ids_in_samples_() : std::nullopt;
  if (!sampled) return;
  methods_.ReplacedGone();
  methods_.Prune(*sampled);
  replaced_lines_.Prune([&](const void* id) { return methods_.Find(id).has_value(); });
  replaced_line_bytes_.store(replaced_lines_.bytes());
}

void MethodLearner::LearnClass(JNIEnv* jni, jclass klass) {
  JvmtiString descriptor(jvmti_);
  if (jvmti_->GetClassSignature(klass, descriptor.address(), nullptr) != JVMTI_ERROR_NONE) return;
  jobject loader = nullptr;
  if (jvmti_->GetClassLoader(klass, &loader) != JVMTI_ERROR_NONE) return;
  const bool is_hidden = IsHiddenClass(Descriptor(ViewOf(descriptor)));
  const bool may_go = watch_.MayGo(jni, loader) || is_hidden;
  int64_t watch = !is_hidden && watch_.Stays(jni, loader) ? kStaysLoaded : kMayBeGone;
  if (loader != nullptr) jni->DeleteLocalRef(loader);
  if (may_go) {
    if (!MayMakeIds()) return;
    watch = static_cast<int64_t>(watch_.Watch(klass).value_or(UnloadTag{kMayBeGone}));
  }
  jint count = 0;
  JvmtiMemory<jmethodID> ids(jvmti_);
  // This also creates the ids, without which AsyncGetCallTrace would return null methods.
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
      names_ == nullptr ? std::nullopt : names_->StableDescriptor(Descriptor(ViewOf(descriptor)));
  if (stable) {
    methods_.AddClass(*stable, methods, ClassNaming::kStable, watch);
  } else {
    methods_.AddClass(ViewOf(descriptor), methods, ClassNaming::kHotSpot, watch);
  }
}

void MethodLearner::LearnLoaded(JNIEnv* jni, jint depth) {
  const LoadedClasses classes(classes_, jvmti_, jni);
  for (jclass klass : classes.all())
    // Skips classes that are not prepared yet; ClassPrepare will come for them.
    LearnClass(jni, klass);
  ForgetReplaced();
  LearnRunningMethods(jni, depth);
}

// Learns methods whose classes were retransformed while they ran. No list of methods contains them
// any more, but the threads' stacks do. Reading the stacks also creates the ids. The caller keeps
// their classes loaded.
void MethodLearner::LearnRunningMethods(JNIEnv* jni, jint depth) {
  const auto lock = KeepTexts();
  if (!lock) return;
  const LocalFrame frame(jni);
  JvmtiMemory<jvmtiStackInfo> stacks(jvmti_);
  jint threads = 0;
  if (jvmti_->GetAllStackTraces(depth, stacks.address(), &threads) != JVMTI_ERROR_NONE) return;
  for (jint t = 0; t < threads; ++t) {
    for (jint f = 0; f < stacks[t].frame_count; ++f)
      LearnReplaced(jni, stacks[t].frame_buffer[f].method);
  }
}

void MethodLearner::LearnReplaced(JNIEnv* jni, jmethodID id) {
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
    replaced_line_bytes_.store(replaced_lines_.bytes());
  }
  jni->DeleteLocalRef(owner);
}

// Native methods have neither lines nor code, and methods that were compiled without -g have no lines.
void MethodLearner::LearnLines(jmethodID id, LineTables& lines) {
  jlocation first = 0;
  jlocation last = -1;
  if (jvmti_->GetMethodLocation(id, &first, &last) == JVMTI_ERROR_NONE && last >= 0)
    lines.AddLength(id, static_cast<uint32_t>(last) + 1);
  if (!with_lines_) return;
  jint count = 0;
  JvmtiMemory<jvmtiLineNumberEntry> entries(jvmti_);
  if (jvmti_->GetLineNumberTable(id, &count, entries.address()) != JVMTI_ERROR_NONE) return;
  std::vector<LineStart> starts;
  starts.reserve(static_cast<size_t>(count));
  for (jint i = 0; i < count; ++i)
    starts.push_back({entries[i].start_location, entries[i].line_number});
  lines.Add(id, std::move(starts));
}

// An id may be passed to the JVM only while its class is loaded. So a class that may be unloaded is
// kept here by a reference.
LineTables MethodLearner::LinesOf(JNIEnv* jni, const SampledIds& sampled) {
  LineTables lines = replaced_lines_;
  std::unordered_map<int64_t, std::vector<jmethodID>> of_watched;
  for (const void* sampled_id : sampled) {
    const auto method = methods_.Find(sampled_id);
    if (!method || method->version == MethodVersion::kReplaced || method->watch == kMayBeGone)
      continue;
    const auto id = static_cast<jmethodID>(const_cast<void*>(sampled_id));
    if (method->watch == kStaysLoaded) {
      LearnLines(id, lines);
    } else {
      of_watched[method->watch].push_back(id);
    }
  }
  std::vector<UnloadTag> tags;
  tags.reserve(of_watched.size());
  for (const auto& [watch, ids] : of_watched) tags.push_back(UnloadTag{watch});
  const LocalFrame frame(jni);
  for (const UnloadWatch::Tagged& loaded : watch_.Loaded(tags))
    for (jmethodID id : of_watched[static_cast<int64_t>(loaded.tag)]) LearnLines(id, lines);
  return lines;
}

}  // namespace iprof::vm
