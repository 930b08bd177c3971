#include "agent/vm/cells/spill_table.h"

#include <fmt/core.h>

#include <string>
#include <vector>

#include "agent/vm/cells/chunk_holders.h"
#include "agent/vm/jvmti/local_frame.h"
#include "agent/vm/jvmti/lock_within.h"

namespace iprof::vm {
namespace {

// A slot's key as IprofTypes builds it.
constexpr uint32_t kStays = 0xffffffff;
constexpr int kDimensionsShift = 58;
constexpr uint64_t kSiteMask = (uint64_t{1} << (kDimensionsShift - 32)) - 1;
uint32_t SiteOf(jlong key) {
  return static_cast<uint32_t>(static_cast<uint64_t>(key) >> 32 & kSiteMask) - 1;
}
size_t DimensionsOf(jlong key) { return static_cast<uint64_t>(key) >> kDimensionsShift; }
uint32_t HashOf(jlong key) { return static_cast<uint32_t>(key); }

}  // namespace

Status SpillTable::Adopt(JNIEnv* jni, jclass runtime) {
  runtime_ = runtime;
  Status failure;
  const auto keep = [&](const char* field, const char* descriptor) -> jobject {
    Result<jobject> array = KeepStaticObject(jni, runtime, field, descriptor);
    if (array.ok()) return *array;
    failure = array.status();
    return nullptr;
  };
  keys_ = static_cast<jlongArray>(keep("spillKeys", "[J"));
  counts_ = static_cast<jlongArray>(keep("spillCounts", "[J"));
  types_ = static_cast<jobjectArray>(keep("spillTypes", "[Ljava/lang/Class;"));
  used_ = static_cast<jintArray>(keep("spillUsed", "[I"));
  lost_ = static_cast<jlongArray>(keep("lost", "[J"));
  if (!failure.ok()) return failure;
  half_ = jni->GetStaticFieldID(runtime, "spillHalf", "I");
  if (half_ == nullptr) return JniFailed(jni, "find the table of classes");
  return {};
}

jint SpillTable::SlotsUsed(JNIEnv* jni, jsize half) const {
  jint count = 0;
  jni->GetIntArrayRegion(used_, half / slots_, 1, &count);
  return count;
}

bool SpillTable::FillsUp(JNIEnv* jni) const { return SlotsUsed(jni, HalfInUse(jni)) > slots_ / 4; }

void SpillTable::Harvest(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LocalFrame frame(jni);
  std::lock_guard lock(mutex_);
  const jsize in_use = HalfInUse(jni);
  const jsize other = slots_ - in_use;
  hashes_.names().Absorb();
  if (at_rest_) {
    Drain(jvmti, jni, other, harvested_);
    Clear(jni, other);
    at_rest_ = false;
  }
  // Before the swap: counts of a class that is gone now are in the half that is swapped out, which
  // is drained before the next sweep.
  hashes_.Sweep(jni);
  // What was counted before this harvest began is included once the next one has ended.
  ++rounds_;
  if (SlotsUsed(jni, in_use) == 0) return;
  jni->SetStaticIntField(runtime_, half_, other);
  at_rest_ = true;
  ++harvests_;
}

HashNames::Answer SpillTable::Find(jvmtiEnv* jvmti, JNIEnv* jni, int32_t hash, bool* walked) {
  HashNames::Answer answer = hashes_.names().Find(hash);
  if (answer.kind == HashNames::Kind::kUnknown && walked != nullptr && !*walked) {
    hashes_.LearnLoaded(jvmti, jni);
    *walked = true;
    answer = hashes_.names().Find(hash);
  }
  return answer;
}

std::optional<std::string> SpillTable::NameAt(jvmtiEnv* jvmti, JNIEnv* jni, jsize slot, jlong key,
                                              bool* walked) {
  if (HashOf(key) != kStays) {
    const auto answer = Find(jvmti, jni, static_cast<int32_t>(HashOf(key)), walked);
    if (answer.kind != HashNames::Kind::kNamed) return std::nullopt;
    const size_t dimensions = DimensionsOf(key);
    if (dimensions == 0) return std::string(answer.name);
    return fmt::format("{}L{};", std::string(dimensions, '['), answer.name);
  }
  jobject type = jni->GetObjectArrayElement(types_, slot);
  std::optional<std::string> name = hashes_.NameOf(jvmti, jni, static_cast<jclass>(type));
  if (type != nullptr) jni->DeleteLocalRef(type);
  return name;
}

template <typename Visit>
void SpillTable::ForEachSlot(JNIEnv* jni, jsize half, Visit visit) const {
  std::vector<jlong> keys(static_cast<size_t>(slots_));
  std::vector<jlong> counts(keys.size());
  jni->GetLongArrayRegion(keys_, half, slots_, keys.data());
  jni->GetLongArrayRegion(counts_, half, slots_, counts.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != 0 && counts[i] != 0)
      visit(half + static_cast<jsize>(i), keys[i], static_cast<uint64_t>(counts[i]));
  }
}

void SpillTable::Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half, TypeCounts& into) {
  bool walked = false;
  ForEachSlot(jni, half, [&](jsize slot, jlong key, uint64_t count) {
    if (const auto name = NameAt(jvmti, jni, slot, key, &walked)) {
      into.Add(SiteOf(key), *name, count);
    } else {
      into.AddLost(SiteOf(key), count);
    }
  });
}

// A name costs a search, a string and a mutex, so each is asked for once.
uint32_t SpillTable::PairOf(jvmtiEnv* jvmti, JNIEnv* jni, jsize slot, jlong key, TypePairs& into) {
  const bool has_hash = HashOf(key) != kStays;
  if (has_hash) {
    if (const auto found = known_.hashed.find(key); found != known_.hashed.end())
      return found->second;
  } else if (const auto found = known_.slots.find(slot); found != known_.slots.end()) {
    const KnownPairs::Slot& known = found->second;
    if (known.key == key && known.clearings == clearings_) return known.pair;
  }
  const auto name = NameAt(jvmti, jni, slot, key, nullptr);
  const uint32_t pair = into.NumberOf(SiteOf(key), name.value_or(""));
  // A class without a name may get one later.
  if (!name) return pair;
  if (has_hash) {
    known_.hashed.emplace(key, pair);
  } else {
    known_.slots.insert_or_assign(slot, KnownPairs::Slot{key, clearings_, pair});
  }
  return pair;
}

void SpillTable::Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half, TypePairs& into) {
  if (SlotsUsed(jni, half) == 0) return;
  const uint64_t changes = hashes_.names().changes();
  if (std::exchange(known_.hash_changes, changes) != changes) known_.hashed.clear();
  ForEachSlot(jni, half, [&](jsize slot, jlong key, uint64_t count) {
    into.Add(PairOf(jvmti, jni, slot, key, into), count);
  });
}

void SpillTable::AddHarvested(TypePairs& into) {
  harvested_.ForEach([&](uint32_t site, const TypeCounts::Site& seen) {
    if (seen.lost > 0) into.Add(site, {}, seen.lost);
    auto& known = known_.harvested[site];
    known.resize(seen.types.size(), {UINT32_MAX, 0});
    for (size_t i = 0; i < seen.types.size(); ++i) {
      const auto& [type, count] = seen.types[i];
      if (known[i].first != type) known[i] = {type, into.NumberOf(site, harvested_.TypeName(type))};
      into.Add(known[i].second, count);
    }
  });
}

void SpillTable::Clear(JNIEnv* jni, jsize half) {
  ++clearings_;
  std::vector<jlong> keys(static_cast<size_t>(slots_));
  jni->GetLongArrayRegion(keys_, half, slots_, keys.data());
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] != 0 && HashOf(keys[i]) == kStays)
      jni->SetObjectArrayElement(types_, half + static_cast<jsize>(i), nullptr);
  }
  keys.assign(keys.size(), 0);
  jni->SetLongArrayRegion(counts_, half, slots_, keys.data());
  jni->SetLongArrayRegion(keys_, half, slots_, keys.data());
  const jint none = 0;
  jni->SetIntArrayRegion(used_, half / slots_, 1, &none);
}

bool SpillTable::AddTo(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience,
                       TypeCounts& into) {
  const std::unique_lock lock = LockWithin(mutex_, patience);
  if (!lock) return false;
  hashes_.names().Absorb();
  into.AddAll(harvested_);
  const jsize in_use = HalfInUse(jni);
  if (at_rest_) Drain(jvmti, jni, slots_ - in_use, into);
  Drain(jvmti, jni, in_use, into);
  return true;
}

bool SpillTable::AddTo(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience,
                       TypePairs& into) {
  const std::unique_lock lock = LockWithin(mutex_, patience);
  if (!lock) return false;
  if (forgets_pairs_.exchange(false)) known_ = {};
  hashes_.names().Absorb();
  AddHarvested(into);
  const jsize in_use = HalfInUse(jni);
  if (at_rest_) Drain(jvmti, jni, slots_ - in_use, into);
  Drain(jvmti, jni, in_use, into);
  constexpr size_t kNodeBytes = 64;
  pairs_bytes_.store((known_.hashed.size() + known_.slots.size() + known_.harvested.size()) *
                     kNodeBytes);
  return true;
}

bool SpillTable::DropPairs(std::chrono::milliseconds patience) {
  const std::unique_lock lock = LockWithin(mutex_, patience);
  if (!lock) return false;
  known_ = {};
  pairs_bytes_.store(0);
  return true;
}

uint64_t SpillTable::LostAt(JNIEnv* jni, uint32_t site) const {
  jlong lost = 0;
  jni->GetLongArrayRegion(lost_, static_cast<jsize>(site) & (slots_ - 1), 1, &lost);
  return static_cast<uint64_t>(lost);
}

uint64_t SpillTable::TakeHarvested(uint32_t site, TypeCounts& into) {
  const std::lock_guard lock(mutex_);
  const auto* harvested = harvested_.Find(site);
  if (harvested == nullptr) return 0;
  for (const auto& [type, count] : harvested->types)
    into.Add(site, harvested_.TypeName(type), count);
  const uint64_t lost = harvested->lost;
  // The numbers of classes that are not used any more may become those of others.
  known_.harvested = {};
  harvested_.Forget(site);
  return lost;
}

size_t SpillTable::harvested_bytes() {
  const std::lock_guard lock(mutex_);
  return harvested_.bytes();
}

void SpillTable::LimitHarvested(size_t bytes) {
  const std::lock_guard lock(mutex_);
  harvested_.LimitBytes(bytes);
}

}  // namespace iprof::vm
