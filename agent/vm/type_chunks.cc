#include "agent/vm/type_chunks.h"

#include "agent/vm/jvmti_memory.h"
#include "agent/vm/local_frame.h"
#include "agent/vm/runtime_image.h"

namespace iprof::vm {
namespace {

constexpr auto kRowsInChunk = static_cast<jsize>(kChunkSites * kSiteRows);

// The parts of a spill table, see IprofTypes.spill.
enum SpillPart : jsize { kTypes = 0, kSites = 1, kCounts = 2, kLost = 3, kUsed = 4 };

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
  // Last: from here on the slow path relies on all of the above.
  if (status.ok())
    status = SetStaticObject(jni, runtime(), "unsafe", "Ljdk/internal/misc/Unsafe;", unsafe);
  return status;
}

jobjectArray TypeChunks::CurrentSpill(JNIEnv* jni) const {
  jfieldID field = jni->GetStaticFieldID(runtime(), "spill", "[Ljava/lang/Object;");
  if (field == nullptr) {
    jni->ExceptionClear();
    return nullptr;
  }
  return static_cast<jobjectArray>(jni->GetStaticObjectField(runtime(), field));
}

jint TypeChunks::SlotsUsed(JNIEnv* jni, jobjectArray spill) const {
  auto used = static_cast<jintArray>(jni->GetObjectArrayElement(spill, kUsed));
  jint count = 0;
  jni->GetIntArrayRegion(used, 0, 1, &count);
  jni->DeleteLocalRef(used);
  return count;
}

bool TypeChunks::FillsUp(JNIEnv* jni) const {
  jobjectArray spill = CurrentSpill(jni);
  if (spill == nullptr) return false;
  auto sites = static_cast<jarray>(jni->GetObjectArrayElement(spill, kSites));
  const bool fills_up = SlotsUsed(jni, spill) > jni->GetArrayLength(sites) / 4;
  jni->DeleteLocalRef(sites);
  jni->DeleteLocalRef(spill);
  return fills_up;
}

void TypeChunks::Harvest(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LocalFrame frame(jni);
  std::lock_guard lock(harvest_mutex_);
  if (draining_ != nullptr) {
    Drain(jvmti, jni, draining_, harvested_);
    jni->DeleteGlobalRef(draining_);
    draining_ = nullptr;
  }
  jobjectArray current = CurrentSpill(jni);
  if (current == nullptr || SlotsUsed(jni, current) == 0) return;
  jobject old =
      CallStatic(jni, std::string(kTypesClassName).c_str(), "swapSpill", "()[Ljava/lang/Object;");
  if (old == nullptr) return;  // no memory for a fresh table: the old one stays
  draining_ = static_cast<jobjectArray>(jni->NewGlobalRef(old));
  ++harvests_;
  // Without a reference there is no next time: then at once, losing what is being written this
  // moment.
  if (draining_ == nullptr) Drain(jvmti, jni, static_cast<jobjectArray>(old), harvested_);
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

void TypeChunks::Drain(jvmtiEnv* jvmti, JNIEnv* jni, jobjectArray spill,
                       instrument::TypeCounts& into) const {
  auto types = static_cast<jobjectArray>(jni->GetObjectArrayElement(spill, kTypes));
  auto sites = static_cast<jintArray>(jni->GetObjectArrayElement(spill, kSites));
  auto counts = static_cast<jlongArray>(jni->GetObjectArrayElement(spill, kCounts));
  auto lost = static_cast<jlongArray>(jni->GetObjectArrayElement(spill, kLost));
  const jsize length = jni->GetArrayLength(sites);
  uint32_t site_limit;
  {
    std::lock_guard lock(mutex_);
    site_limit = static_cast<uint32_t>(rows_.size()) * kChunkSites;
  }
  std::vector<jint> site(static_cast<size_t>(length));
  std::vector<jlong> count(site.size());
  std::vector<jlong> lost_count(site.size());
  jni->GetIntArrayRegion(sites, 0, length, site.data());
  jni->GetLongArrayRegion(counts, 0, length, count.data());
  jni->GetLongArrayRegion(lost, 0, length, lost_count.data());
  for (jsize i = 0; i < length; ++i) {
    const auto at = static_cast<size_t>(i);
    if (lost_count[at] != 0) {
      // Sites that share a slot here all count as having lost: more than is true, never less.
      for (auto lost_at = static_cast<uint32_t>(i); lost_at < site_limit;
           lost_at += static_cast<uint32_t>(length)) {
        into.AddLost(lost_at, static_cast<uint64_t>(lost_count[at]));
      }
    }
    if (site[at] == 0 || count[at] == 0) continue;
    jobject type = jni->GetObjectArrayElement(types, i);
    AddType(jvmti, static_cast<uint32_t>(site[at] - 1), type, static_cast<uint64_t>(count[at]),
            into);
    if (type != nullptr) jni->DeleteLocalRef(type);
  }
}

instrument::TypeCounts TypeChunks::Collect(jvmtiEnv* jvmti, JNIEnv* jni) {
  const LocalFrame frame(jni);
  instrument::TypeCounts all;
  {
    std::lock_guard lock(harvest_mutex_);
    all.AddAll(harvested_);
    if (draining_ != nullptr) Drain(jvmti, jni, draining_, all);
  }
  if (jobjectArray current = CurrentSpill(jni)) Drain(jvmti, jni, current, all);
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
  return all;
}

}  // namespace iprof::vm
