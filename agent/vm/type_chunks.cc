#include "agent/vm/type_chunks.h"

#include <array>

#include "agent/vm/jvmti_memory.h"
#include "agent/vm/local_frame.h"
#include "agent/vm/lock_within.h"
#include "agent/vm/runtime_image.h"

namespace iprof::vm {
namespace {

constexpr auto kRowsInChunk = static_cast<jsize>(kChunkSites * kSiteRows);

// Slots in a half of the spill table, see IprofTypes.
constexpr jsize kSpillSlots = 1 << 16;

// A static method's result as a local reference; null with nothing pending on failure.
jobject CallStatic(JNIEnv* jni, const char* owner, const char* name, const char* descriptor) {
  jclass klass = jni->FindClass(owner);
  jmethodID method = klass == nullptr ? nullptr : jni->GetStaticMethodID(klass, name, descriptor);
  jobject result = method == nullptr ? nullptr : jni->CallStaticObjectMethod(klass, method);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    return nullptr;
  }
  return result;
}

std::optional<jlong> StaticNumber(JNIEnv* jni, jclass owner, const char* field) {
  // A long from JDK 25 on, an int before.
  if (jfieldID id = jni->GetStaticFieldID(owner, field, "J"))
    return jni->GetStaticLongField(owner, id);
  jni->ExceptionClear();
  if (jfieldID id = jni->GetStaticFieldID(owner, field, "I"))
    return jni->GetStaticIntField(owner, id);
  jni->ExceptionClear();
  return std::nullopt;
}

bool SetStaticLong(JNIEnv* jni, jclass owner, const char* field, jlong value) {
  jfieldID id = jni->GetStaticFieldID(owner, field, "J");
  if (id == nullptr) return false;
  jni->SetStaticLongField(owner, id, value);
  return true;
}

}  // namespace

std::string TypeChunks::HolderName(uint32_t chunk) const { return SiteHolderName(chunk); }
std::string_view TypeChunks::RuntimeName() const { return kTypesClassName; }
std::span<const uint8_t> TypeChunks::RuntimeBytes() const { return TypesClassBytes(); }
std::vector<uint8_t> TypeChunks::HolderBytes(uint32_t chunk) const {
  return SiteHolderBytes(chunk);
}

Status TypeChunks::HandOver(JNIEnv* jni) {
  jclass class_class = jni->FindClass("java/lang/Class");
  jobjectArray types =
      class_class == nullptr ? nullptr : jni->NewObjectArray(kRowsInChunk, class_class, nullptr);
  if (class_class != nullptr) jni->DeleteLocalRef(class_class);
  jlongArray counts = types == nullptr ? nullptr : jni->NewLongArray(kRowsInChunk);
  if (counts == nullptr) {
    if (types != nullptr) jni->DeleteLocalRef(types);
    return JniFailed(jni, "allocate a chunk of sites");
  }
  Status status = SetStaticObject(jni, runtime(), "nextTypes", "[Ljava/lang/Class;", types);
  if (!status.ok()) return status;
  return SetStaticObject(jni, runtime(), "nextTypeCounts", "[J", counts);
}

Status TypeChunks::Adopt(JNIEnv* jni, jclass holder) {
  const Result<jobject> types = KeepStaticObject(jni, holder, "types", "[Ljava/lang/Class;");
  if (!types.ok()) return types.status();
  const Result<jobject> counts = KeepStaticObject(jni, holder, "counts", "[J");
  if (!counts.ok()) return counts.status();
  const auto chunk = static_cast<uint32_t>(rows_.size());  // only this thread adds any
  if (Status status = reach_.AddSites(jni, chunk, *types, *counts); !status.ok()) return status;
  std::lock_guard lock(mutex_);
  rows_.push_back({static_cast<jobjectArray>(*types), static_cast<jlongArray>(*counts)});
  return {};
}

Status TypeChunks::ArmSlowPath(JNIEnv* jni) {
  const LocalFrame frame(jni);
  jclass unsafe_class = jni->FindClass("jdk/internal/misc/Unsafe");
  jclass class_class = jni->FindClass("java/lang/Class");
  if (unsafe_class == nullptr || class_class == nullptr) return JniFailed(jni, "find Unsafe");
  jfieldID the_unsafe =
      jni->GetStaticFieldID(unsafe_class, "theUnsafe", "Ljdk/internal/misc/Unsafe;");
  jmethodID field_offset = jni->GetMethodID(unsafe_class, "objectFieldOffset1",
                                            "(Ljava/lang/Class;Ljava/lang/String;)J");
  jstring loader_field = jni->NewStringUTF("classLoader");
  if (the_unsafe == nullptr || field_offset == nullptr || loader_field == nullptr)
    return JniFailed(jni, "use Unsafe");
  jobject unsafe = jni->GetStaticObjectField(unsafe_class, the_unsafe);
  const jlong loader_offset = jni->CallLongMethod(unsafe, field_offset, class_class, loader_field);
  if (jni->ExceptionCheck()) return JniFailed(jni, "find a class's loader");
  const auto type_base = StaticNumber(jni, unsafe_class, "ARRAY_OBJECT_BASE_OFFSET");
  const auto type_scale = StaticNumber(jni, unsafe_class, "ARRAY_OBJECT_INDEX_SCALE");
  const auto int_base = StaticNumber(jni, unsafe_class, "ARRAY_INT_BASE_OFFSET");
  jobject platform = CallStatic(jni, "java/lang/ClassLoader", "getPlatformClassLoader",
                                "()Ljava/lang/ClassLoader;");
  jobject application =
      CallStatic(jni, "java/lang/ClassLoader", "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
  if (!type_base || !type_scale || !int_base || platform == nullptr || application == nullptr ||
      !SetStaticLong(jni, runtime(), "loaderOffset", loader_offset) ||
      !SetStaticLong(jni, runtime(), "typeBase", *type_base) ||
      !SetStaticLong(jni, runtime(), "typeScale", *type_scale) ||
      !SetStaticLong(jni, runtime(), "intBase", *int_base)) {
    return JniFailed(jni, "learn where arrays keep their elements");
  }
  Status status =
      SetStaticObject(jni, runtime(), "platformLoader", "Ljava/lang/ClassLoader;", platform);
  if (status.ok()) {
    status = SetStaticObject(jni, runtime(), "applicationLoader", "Ljava/lang/ClassLoader;",
                             application);
  }
  if (status.ok()) status = KeepSpill(jni);
  // Last: from here on the slow path relies on all of the above.
  if (status.ok())
    status = SetStaticObject(jni, runtime(), "unsafe", "Ljdk/internal/misc/Unsafe;", unsafe);
  armed_.store(status.ok(), std::memory_order_release);
  return status;
}

Status TypeChunks::KeepSpill(JNIEnv* jni) {
  Status failure;
  const auto keep = [&](const char* field, const char* descriptor) -> jobject {
    Result<jobject> array = KeepStaticObject(jni, runtime(), field, descriptor);
    if (array.ok()) return *array;
    failure = array.status();
    return nullptr;
  };
  spill_.types = static_cast<jobjectArray>(keep("spillTypes", "[Ljava/lang/Class;"));
  spill_.sites = static_cast<jintArray>(keep("spillSites", "[I"));
  spill_.counts = static_cast<jlongArray>(keep("spillCounts", "[J"));
  spill_.used = static_cast<jintArray>(keep("spillUsed", "[I"));
  spill_.lost = static_cast<jlongArray>(keep("lost", "[J"));
  if (!failure.ok()) return failure;
  spill_.half = jni->GetStaticFieldID(runtime(), "spillHalf", "I");
  spill_.keep_hidden = jni->GetStaticMethodID(runtime(), "keepHidden", "(Ljava/lang/Class;)V");
  if (spill_.half == nullptr || spill_.keep_hidden == nullptr)
    return JniFailed(jni, "find the table of classes");
  return {};
}

void TypeChunks::KeepHidden(JNIEnv* jni, jclass type) {
  if (!armed_.load(std::memory_order_acquire)) return;
  jni->CallStaticVoidMethod(runtime(), spill_.keep_hidden, type);
  if (jni->ExceptionCheck()) jni->ExceptionClear();  // of an exhausted stack: then no row holds it
}

jint TypeChunks::SlotsUsed(JNIEnv* jni, jsize half) const {
  jint count = 0;
  jni->GetIntArrayRegion(spill_.used, half / kSpillSlots, 1, &count);
  return count;
}

bool TypeChunks::FillsUp(JNIEnv* jni) const {
  return armed_.load(std::memory_order_acquire) && SlotsUsed(jni, HalfInUse(jni)) > kSpillSlots / 4;
}

void TypeChunks::Harvest(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (!armed_.load(std::memory_order_acquire)) return;
  const LocalFrame frame(jni);
  std::lock_guard lock(harvest_mutex_);
  const jsize in_use = HalfInUse(jni);
  const jsize other = kSpillSlots - in_use;
  if (at_rest_) {
    Drain(jvmti, jni, other, harvested_);
    Clear(jni, other);
    at_rest_ = false;
  }
  // Whatever was met before this harvest began is in once the next one has ended.
  ++rounds_;
  if (SlotsUsed(jni, in_use) == 0) return;
  jni->SetStaticIntField(runtime(), spill_.half, other);
  at_rest_ = true;
  ++harvests_;
}

void TypeChunks::AddType(jvmtiEnv* jvmti, uint32_t site, jobject type, uint64_t count,
                         instrument::TypeCounts& into) const {
  JvmtiString signature(jvmti);
  if (type != nullptr && jvmti->GetClassSignature(static_cast<jclass>(type), signature.address(),
                                                  nullptr) == JVMTI_ERROR_NONE) {
    if (const auto name = naming_(ViewOf(signature))) {
      into.Add(site, *name, count);
      return;
    }
  }
  into.AddLost(site, count);
}

void TypeChunks::Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half,
                       instrument::TypeCounts& into) const {
  std::vector<jint> site(kSpillSlots);
  std::vector<jlong> count(kSpillSlots);
  jni->GetIntArrayRegion(spill_.sites, half, kSpillSlots, site.data());
  jni->GetLongArrayRegion(spill_.counts, half, kSpillSlots, count.data());
  for (jsize i = 0; i < kSpillSlots; ++i) {
    const auto at = static_cast<size_t>(i);
    if (site[at] == 0 || count[at] == 0) continue;
    jobject type = jni->GetObjectArrayElement(spill_.types, half + i);
    AddType(jvmti, static_cast<uint32_t>(site[at] - 1), type, static_cast<uint64_t>(count[at]),
            into);
    if (type != nullptr) jni->DeleteLocalRef(type);
  }
}

void TypeChunks::Clear(JNIEnv* jni, jsize half) const {
  std::vector<jint> site(kSpillSlots);
  jni->GetIntArrayRegion(spill_.sites, half, kSpillSlots, site.data());
  for (jsize i = 0; i < kSpillSlots; ++i) {
    if (site[static_cast<size_t>(i)] != 0)
      jni->SetObjectArrayElement(spill_.types, half + i, nullptr);
  }
  const std::vector<jlong> no_counts(kSpillSlots);
  jni->SetLongArrayRegion(spill_.counts, half, kSpillSlots, no_counts.data());
  site.assign(kSpillSlots, 0);
  jni->SetIntArrayRegion(spill_.sites, half, kSpillSlots, site.data());
  jni->SetIntArrayRegion(spill_.used, half / kSpillSlots, 1, site.data());
}

void TypeChunks::TakeRows(jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site,
                          instrument::TypeCounts& into) {
  Rows rows{};
  {
    std::lock_guard lock(mutex_);
    if (site / kChunkSites >= rows_.size()) return;
    rows = rows_[site / kChunkSites];
  }
  const auto row = static_cast<jsize>(site % kChunkSites * kSiteRows);
  std::array<jlong, kSiteRows> counts{};
  jni->GetLongArrayRegion(rows.counts, row, kSiteRows, counts.data());
  for (jsize i = 0; i < static_cast<jsize>(kSiteRows); ++i) {
    jobject type = jni->GetObjectArrayElement(rows.types, row + i);
    if (type == nullptr) continue;
    AddType(jvmti, site, type, static_cast<uint64_t>(counts[static_cast<size_t>(i)]), into);
    jni->SetObjectArrayElement(rows.types, row + i, nullptr);
    jni->DeleteLocalRef(type);
  }
  counts.fill(0);
  jni->SetLongArrayRegion(rows.counts, row, kSiteRows, counts.data());
}

bool TypeChunks::Take(jvmtiEnv* jvmti, JNIEnv* jni, instrument::CounterRange sites, uint32_t first,
                      instrument::UnloadedCounts* counts) {
  if (!armed_.load(std::memory_order_acquire)) return false;
  bool reusable = true;
  instrument::TypeCounts met;
  for (uint32_t i = 0; i < sites.count; ++i) {
    const uint32_t site = static_cast<uint32_t>(sites.first) + i;
    TakeRows(jvmti, jni, site, met);
    instrument::UnloadedCounts::Site taken{first + i, 0, {}};
    jlong lost = 0;
    jni->GetLongArrayRegion(spill_.lost, static_cast<jsize>(site % kSpillSlots), 1, &lost);
    // Other sites share the place, so it cannot be cleared, and the next user would seem to lose.
    reusable = reusable && lost == 0;
    taken.lost = static_cast<uint64_t>(lost);
    {
      const std::lock_guard lock(harvest_mutex_);
      if (const auto* harvested = harvested_.Find(site)) {
        for (const auto& [type, count] : harvested->types)
          met.Add(site, harvested_.TypeName(type), count);
        taken.lost += harvested->lost;
        harvested_.Forget(site);
      }
    }
    if (const auto* all = met.Find(site)) {
      taken.lost += all->lost;
      for (const auto& [type, count] : all->types)
        taken.types.emplace_back(met.TypeName(type), count);
    }
    if (taken.lost > 0 || !taken.types.empty()) counts->sites.push_back(std::move(taken));
  }
  return reusable;
}

size_t TypeChunks::harvested_bytes() {
  const std::lock_guard lock(harvest_mutex_);
  return harvested_.bytes();
}

void TypeChunks::LimitHarvested(size_t bytes) {
  const std::lock_guard lock(harvest_mutex_);
  harvested_.LimitBytes(bytes);
}

void TypeChunks::AddLost(JNIEnv* jni, instrument::TypeCounts& into) const {
  uint32_t site_limit;
  {
    std::lock_guard lock(mutex_);
    site_limit = static_cast<uint32_t>(rows_.size()) * kChunkSites;
  }
  std::vector<jlong> lost(kSpillSlots);
  jni->GetLongArrayRegion(spill_.lost, 0, kSpillSlots, lost.data());
  for (uint32_t i = 0; i < lost.size(); ++i) {
    if (lost[i] == 0) continue;
    // Sites that share a slot here all count as having lost: more than is true, never less.
    for (uint32_t site = i; site < site_limit; site += static_cast<uint32_t>(kSpillSlots))
      into.AddLost(site, static_cast<uint64_t>(lost[i]));
  }
}

TypeChunks::Collected TypeChunks::Collect(jvmtiEnv* jvmti, JNIEnv* jni,
                                          std::chrono::milliseconds patience) {
  Collected collected;
  if (!armed_.load(std::memory_order_acquire)) return collected;  // the start failed: no counts
  instrument::TypeCounts& all = collected.counts;
  const LocalFrame frame(jni);
  if (const std::unique_lock lock = LockWithin(harvest_mutex_, patience); lock) {
    all.AddAll(harvested_);
    const jsize in_use = HalfInUse(jni);
    if (at_rest_) Drain(jvmti, jni, kSpillSlots - in_use, all);
    Drain(jvmti, jni, in_use, all);
  } else {
    collected.whole = false;
  }
  AddLost(jni, all);
  std::vector<Rows> rows;
  {
    std::lock_guard lock(mutex_);
    rows = rows_;
  }
  std::vector<jlong> counts(static_cast<size_t>(kRowsInChunk));
  for (size_t chunk = 0; chunk < rows.size(); ++chunk) {
    jni->GetLongArrayRegion(rows[chunk].counts, 0, kRowsInChunk, counts.data());
    for (jsize i = 0; i < kRowsInChunk; ++i) {
      const jlong count = counts[static_cast<size_t>(i)];
      if (count == 0) continue;
      const auto site =
          static_cast<uint32_t>(chunk * kChunkSites + static_cast<size_t>(i) / kSiteRows);
      jobject type = jni->GetObjectArrayElement(rows[chunk].types, i);
      AddType(jvmti, site, type, static_cast<uint64_t>(count), all);
      if (type != nullptr) jni->DeleteLocalRef(type);
    }
  }
  return collected;
}

}  // namespace iprof::vm
