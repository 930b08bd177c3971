#include "agent/vm/cells/type_chunks.h"

#include <array>

#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {
namespace {

constexpr auto kRowsInChunk = static_cast<jsize>(kChunkSites * kSiteRows);

// Calls a static method and returns its result as a local reference. On failure returns null, with
// no exception pending.
jobject CallStatic(JNIEnv* jni, const char* owner, const char* name, const char* descriptor) {
  jclass klass = BootClass(jni, owner);
  jmethodID method = klass == nullptr ? nullptr : jni->GetStaticMethodID(klass, name, descriptor);
  jobject result = method == nullptr ? nullptr : jni->CallStaticObjectMethod(klass, method);
  if (jni->ExceptionCheck()) {
    jni->ExceptionClear();
    return nullptr;
  }
  return result;
}

std::optional<jlong> StaticNumber(JNIEnv* jni, jclass owner, const char* field) {
  // It is a long from JDK 25 on, and an int before.
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
std::vector<uint8_t> TypeChunks::RuntimeBytes() const {
  return TypesClassBytes(sizes_.spill_slots);
}
std::vector<uint8_t> TypeChunks::HolderBytes(uint32_t chunk) const {
  return SiteHolderBytes(chunk);
}

Status TypeChunks::HandOver(JNIEnv* jni) {
  jclass class_class = BootClass(jni, "java/lang/Class");
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
  const auto chunk = static_cast<uint32_t>(rows_.size());  // only this thread adds rows
  if (Status status = reach_.AddSites(jni, chunk, *types, *counts); !status.ok()) return status;
  std::lock_guard lock(mutex_);
  rows_.push_back({static_cast<jobjectArray>(*types), static_cast<jlongArray>(*counts)});
  return {};
}

Status TypeChunks::ArmSlowPath(jvmtiEnv* jvmti, JNIEnv* jni,
                               const std::function<Status()>& report_classes) {
  const LocalFrame frame(jni);
  if (armed_.load(std::memory_order_acquire)) {
    const Status status = report_classes();
    if (status.ok()) hashes_.LearnLoaded(jvmti, jni);
    return status;
  }
  jclass unsafe_class = BootClass(jni, "jdk/internal/misc/Unsafe");
  jclass class_class = BootClass(jni, "java/lang/Class");
  if (unsafe_class == nullptr || class_class == nullptr) return JniFailed(jni, "find Unsafe");
  jfieldID the_unsafe =
      jni->GetStaticFieldID(unsafe_class, "theUnsafe", "Ljdk/internal/misc/Unsafe;");
  jmethodID field_offset = jni->GetMethodID(unsafe_class, "objectFieldOffset1",
                                            "(Ljava/lang/Class;Ljava/lang/String;)J");
  jstring loader_field = jni->NewStringUTF("classLoader");
  jstring component_field = jni->NewStringUTF("componentType");
  if (the_unsafe == nullptr || field_offset == nullptr || loader_field == nullptr ||
      component_field == nullptr)
    return JniFailed(jni, "use Unsafe");
  jobject unsafe = jni->GetStaticObjectField(unsafe_class, the_unsafe);
  const jlong loader_offset = jni->CallLongMethod(unsafe, field_offset, class_class, loader_field);
  if (jni->ExceptionCheck()) return JniFailed(jni, "find a class's loader");
  const jlong component_offset =
      jni->CallLongMethod(unsafe, field_offset, class_class, component_field);
  if (jni->ExceptionCheck()) return JniFailed(jni, "find an array's component");
  const auto type_base = StaticNumber(jni, unsafe_class, "ARRAY_OBJECT_BASE_OFFSET");
  const auto type_scale = StaticNumber(jni, unsafe_class, "ARRAY_OBJECT_INDEX_SCALE");
  const auto long_base = StaticNumber(jni, unsafe_class, "ARRAY_LONG_BASE_OFFSET");
  jobject platform = CallStatic(jni, "java/lang/ClassLoader", "getPlatformClassLoader",
                                "()Ljava/lang/ClassLoader;");
  jobject application =
      CallStatic(jni, "java/lang/ClassLoader", "getSystemClassLoader", "()Ljava/lang/ClassLoader;");
  if (!type_base || !type_scale || !long_base || platform == nullptr || application == nullptr ||
      !SetStaticLong(jni, runtime(), "loaderOffset", loader_offset) ||
      !SetStaticLong(jni, runtime(), "componentOffset", component_offset) ||
      !SetStaticLong(jni, runtime(), "typeBase", *type_base) ||
      !SetStaticLong(jni, runtime(), "typeScale", *type_scale) ||
      !SetStaticLong(jni, runtime(), "longBase", *long_base)) {
    return JniFailed(jni, "learn where arrays keep their elements");
  }
  Status status = hashes_.Start(jni, platform, application);
  if (status.ok()) {
    status = SetStaticObject(jni, runtime(), "platformLoader", "Ljava/lang/ClassLoader;", platform);
  }
  if (status.ok()) {
    status = SetStaticObject(jni, runtime(), "applicationLoader", "Ljava/lang/ClassLoader;",
                             application);
  }
  if (status.ok()) status = spill_.Adopt(jni, runtime());
  if (!status.ok()) return status;
  keep_hidden_ = jni->GetStaticMethodID(runtime(), "keepHidden", "(Ljava/lang/Class;)Z");
  if (keep_hidden_ == nullptr) return JniFailed(jni, "find how hidden classes are kept");
  // Enable the event first, so that no class is missed between it and the walk.
  status = report_classes();
  if (!status.ok()) return status;
  hashes_.LearnLoaded(jvmti, jni);
  // Last: from here on the slow path relies on all of the above.
  status = SetStaticObject(jni, runtime(), "unsafe", "Ljdk/internal/misc/Unsafe;", unsafe);
  armed_.store(status.ok(), std::memory_order_release);
  return status;
}

void TypeChunks::HiddenDefined(jvmtiEnv* jvmti, JNIEnv* jni, jclass type, bool strong) {
  if (!armed_.load(std::memory_order_acquire)) return;
  bool stays = false;
  if (strong) {
    stays = jni->CallStaticBooleanMethod(runtime(), keep_hidden_, type) != JNI_FALSE;
    if (jni->ExceptionCheck()) {  // stack overflow: then no row holds it
      jni->ExceptionClear();
      stays = false;
    }
  }
  if (!stays) hashes_.HiddenDefined(jvmti, jni, type);
}

bool TypeChunks::FillsUp(JNIEnv* jni) const {
  return armed_.load(std::memory_order_acquire) && spill_.FillsUp(jni);
}

void TypeChunks::Harvest(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (armed_.load(std::memory_order_acquire)) spill_.Harvest(jvmti, jni);
}

void TypeChunks::TakeRows(jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site, TypeCounts& into) {
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
    hashes_.AddTo(into, jvmti, jni, site, static_cast<jclass>(type),
                  static_cast<uint64_t>(counts[static_cast<size_t>(i)]));
    jni->SetObjectArrayElement(rows.types, row + i, nullptr);
    jni->DeleteLocalRef(type);
  }
  row_pairs_.Forget(site / kChunkSites, static_cast<size_t>(row), kSiteRows);
  counts.fill(0);
  jni->SetLongArrayRegion(rows.counts, row, kSiteRows, counts.data());
}

bool TypeChunks::Take(jvmtiEnv* jvmti, JNIEnv* jni, CounterRange sites, uint32_t first,
                      const std::function<void(uint32_t site, TypeCounts& seen)>& release,
                      UnloadedCounts* counts) {
  if (!armed_.load(std::memory_order_acquire)) return false;
  bool reusable = true;
  TypeCounts met;
  for (uint32_t i = 0; i < sites.count; ++i) {
    const uint32_t site = static_cast<uint32_t>(sites.first) + i;
    TakeRows(jvmti, jni, site, met);
    // Other sites share the place, so it cannot be cleared, and the next user would seem to have
    // lost counts.
    const uint64_t lost = spill_.LostAt(jni, site);
    reusable = reusable && lost == 0;
    met.AddLost(site, lost + spill_.TakeHarvested(site, met));
    release(site, met);
    const TypeCounts::Site* const all = met.Find(site);
    if (all == nullptr || (all->lost == 0 && all->types.empty())) continue;
    UnloadedCounts::Site taken{first + i, all->lost, {}};
    for (const auto& [type, count] : all->types)
      taken.types.emplace_back(met.TypeName(type), count);
    counts->sites.push_back(std::move(taken));
  }
  return reusable;
}

std::vector<TypeChunks::Rows> TypeChunks::AllRows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

// Calls visit(chunk, row, count) for each row with a count.
template <typename Visit>
void TypeChunks::ForEachRow(JNIEnv* jni, const std::vector<Rows>& rows, Visit visit) {
  std::vector<jlong> counts(static_cast<size_t>(kRowsInChunk));
  for (size_t chunk = 0; chunk < rows.size(); ++chunk) {
    jni->GetLongArrayRegion(rows[chunk].counts, 0, kRowsInChunk, counts.data());
    for (size_t row = 0; row < counts.size(); ++row) {
      if (counts[row] != 0) visit(chunk, row, static_cast<uint64_t>(counts[row]));
    }
  }
}

namespace {

uint32_t SiteOfRow(size_t chunk, size_t row) {
  return static_cast<uint32_t>(chunk * kChunkSites + row / kSiteRows);
}

}  // namespace

TypeChunks::Collected TypeChunks::Collect(jvmtiEnv* jvmti, JNIEnv* jni,
                                          std::chrono::milliseconds patience) const {
  Collected collected;
  if (!armed_.load(std::memory_order_acquire)) return collected;  // the start failed: no counts
  TypeCounts& all = collected.counts;
  const LocalFrame frame(jni);
  collected.whole = spill_.AddTo(jvmti, jni, patience, all);
  const std::vector<Rows> rows = AllRows();
  spill_.ForEachLost(jni, static_cast<uint32_t>(rows.size()) * kChunkSites,
                     [&](uint32_t site, uint64_t lost) { all.AddLost(site, lost); });
  ForEachRow(jni, rows, [&](size_t chunk, size_t row, uint64_t count) {
    jobject type = jni->GetObjectArrayElement(rows[chunk].types, static_cast<jsize>(row));
    hashes_.AddTo(all, jvmti, jni, SiteOfRow(chunk, row), static_cast<jclass>(type), count);
    if (type != nullptr) jni->DeleteLocalRef(type);
  });
  return collected;
}

bool TypeChunks::Collect(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience,
                         TypePairs* pairs) {
  if (!armed_.load(std::memory_order_acquire)) return true;
  if (forgets_rows_.exchange(false)) row_pairs_.Clear();
  const LocalFrame frame(jni);
  const bool whole = spill_.AddTo(jvmti, jni, patience, *pairs);
  const std::vector<Rows> rows = AllRows();
  spill_.ForEachLost(jni, static_cast<uint32_t>(rows.size()) * kChunkSites,
                     [&](uint32_t site, uint64_t lost) { pairs->Add(site, {}, lost); });
  ForEachRow(jni, rows, [&](size_t chunk, size_t row, uint64_t count) {
    if (const auto known = row_pairs_.Find(chunk, row)) return pairs->Add(*known, count);
    jobject type = jni->GetObjectArrayElement(rows[chunk].types, static_cast<jsize>(row));
    const auto name = hashes_.NameOf(jvmti, jni, static_cast<jclass>(type));
    const uint32_t pair = pairs->NumberOf(SiteOfRow(chunk, row), name.value_or(""));
    pairs->Add(pair, count);
    if (type == nullptr) return;
    row_pairs_.Set(chunk, row, pair);  // the class of a row stays as long as its site
    jni->DeleteLocalRef(type);
  });
  return whole;
}

size_t TypeChunks::pairs_bytes() const { return spill_.pairs_bytes() + row_pairs_.bytes(); }

void TypeChunks::DropPairs(std::chrono::milliseconds patience) {
  row_pairs_.Clear();
  if (!spill_.DropPairs(patience)) spill_.ForgetPairs();
}

void TypeChunks::ForgetPairs() {
  forgets_rows_.store(true);
  spill_.ForgetPairs();
}

}  // namespace iprof::vm
