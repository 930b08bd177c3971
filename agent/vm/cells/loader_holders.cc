#include "agent/vm/cells/loader_holders.h"

#include <fmt/core.h>

#include "agent/classfile/class_file.h"
#include "agent/vm/cells/chunk_holders.h"
#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {
namespace {

std::string_view PackageOf(std::string_view internal_name) {
  const size_t slash = internal_name.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : internal_name.substr(0, slash);
}

bool ExtendsObject(std::span<const uint8_t> bytes) {
  classfile::Arena arena(16 * 1024);
  classfile::ClassFile file;
  return file.Parse(bytes, arena) == classfile::Reason::kOk &&
         file.super_name() == "java/lang/Object";
}

// The map nodes, with their texts.
constexpr uint64_t kLoaderBytes = 120;
constexpr uint64_t kNameBytes = 200;

bool Threw(JNIEnv* jni) {
  if (!jni->ExceptionCheck()) return false;
  jni->ExceptionClear();
  return true;
}

}  // namespace

Status LoaderHolders::Start(JavaVM* vm, JNIEnv* jni) {
  if (open_.load(std::memory_order_acquire)) return {};
  if (Status status = LearnJvm(jni); !status.ok()) return status;
  Result<JvmtiEnvironment> opened = JvmtiEnvironment::Open(vm);
  if (!opened.ok()) return opened.status();
  environment_ = std::move(*opened);
  jvmtiCapabilities capabilities{};
  capabilities.can_tag_objects = 1;
  capabilities.can_generate_object_free_events = 1;
  capabilities.can_get_monitor_info = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ObjectFree = ObjectFree;
  Status status = environment_.AddCapabilities(capabilities, "tell class loaders apart");
  if (status.ok()) status = environment_.SetCallbacks(callbacks, this);
  if (status.ok()) status = environment_.Enable({JVMTI_EVENT_OBJECT_FREE});
  if (status.ok()) open_.store(true, std::memory_order_release);
  return status;
}

bool LoaderHolders::Close() {
  open_.store(false, std::memory_order_release);
  return environment_.StopEvents();
}

Status LoaderHolders::LearnJvm(JNIEnv* jni) {
  constexpr const char* kWhat = "prepare for class loaders that do not delegate";
  const LocalFrame frame(jni);
  jclass object = BootClass(jni, "java/lang/Object");
  jclass loader = object == nullptr ? nullptr : BootClass(jni, "java/lang/ClassLoader");
  if (loader == nullptr) return JniFailed(jni, kWhat);
  // HotSpot itself uses this field.
  parallel_ =
      jni->GetFieldID(loader, "parallelLockMap", "Ljava/util/concurrent/ConcurrentHashMap;");
  if (parallel_ == nullptr) return JniFailed(jni, kWhat);
  if (site_ == nullptr) {
    const Result<jclass> site = DefineBootClass(jni, kSiteClassName, SiteClassBytes());
    if (!site.ok()) return site.status();
    site_ = *site;
  }
  make_sites_ = jni->GetStaticMethodID(site_, "make", "(I)[Ljava/lang/Object;");
  if (make_sites_ == nullptr) return JniFailed(jni, kWhat);
  if (stripes_ > 1 && stripe_ == nullptr) {
    const Result<jclass> stripe = DefineBootClass(jni, kStripeClassName, StripeClassBytes());
    if (!stripe.ok()) return stripe.status();
    jobject made = jni->AllocObject(*stripe);
    stripe_ = made == nullptr ? nullptr : jni->NewGlobalRef(made);
    if (stripe_ == nullptr) return JniFailed(jni, kWhat);
  }
  object_ = static_cast<jclass>(jni->NewGlobalRef(object));
  return object_ == nullptr ? JniFailed(jni, kWhat) : Status();
}

void LoaderHolders::AddChunk(Kind kind, uint32_t chunk, jobject arrays) {
  std::lock_guard lock(mutex_);
  std::vector<jobject>& chunks = kind == Kind::kCounters ? counters_ : sites_;
  if (chunks.size() <= chunk) chunks.resize(chunk + 1);
  chunks[chunk] = arrays;
}

jlong LoaderHolders::TagOf(jobject loader) {
  jlong tag = 0;
  if (environment_->GetTag(loader, &tag) != JVMTI_ERROR_NONE || tag != 0) return tag;
  {
    std::lock_guard lock(mutex_);
    tag = next_tag_++;
    loaders_.try_emplace(tag);
  }
  // If another thread was faster, its entry is orphaned and this one is used.
  if (environment_->SetTag(loader, tag) == JVMTI_ERROR_NONE) return tag;
  std::lock_guard lock(mutex_);
  loaders_.erase(tag);
  return 0;
}

void JNICALL LoaderHolders::ObjectFree(jvmtiEnv* jvmti, jlong tag) {
  const InCallback<LoaderHolders> self(jvmti);
  if (!self) return;
  std::lock_guard lock(self->mutex_);
  const auto found = self->loaders_.find(tag);
  if (found == self->loaders_.end()) return;
  self->names_ -= found->second.names.size();
  self->loaders_.erase(found);
}

// A class in a named module cannot access classes in its loader's unnamed module.
std::string LoaderHolders::PackageFor(const ClassInLoader& type) const {
  std::string package(PackageOf(type.name));
  if (type.name.empty()) {  // the JVM does not always give a name
    classfile::Arena arena(16 * 1024);
    classfile::ClassFile file;
    if (file.Parse(type.bytes, arena) == classfile::Reason::kOk) package = PackageOf(file.name());
  }
  jobject module = nullptr;
  const jvmtiError error = environment_->GetNamedModule(type.loader, package.c_str(), &module);
  const bool named = error != JVMTI_ERROR_NONE || module != nullptr;
  return named ? package : std::string(kLoaderPackage);
}

bool LoaderHolders::KnowsObject(JNIEnv* jni, jobject loader, jlong tag) {
  {
    std::lock_guard lock(mutex_);
    const auto found = loaders_.find(tag);
    if (found != loaders_.end() && found->second.knows_object) return true;
  }
  bool knows = false;
  {
    const LocalFrame frame(jni);
    jint count = 0;
    JvmtiMemory<jclass> classes(environment_.get());
    if (environment_->GetClassLoaderClasses(loader, &count, classes.address()) != JVMTI_ERROR_NONE)
      return false;
    for (jint i = 0; i < count && !knows; ++i)
      knows = jni->IsSameObject(classes.get()[i], object_) == JNI_TRUE;
  }
  if (!knows) return false;
  std::lock_guard lock(mutex_);
  loaders_[tag].knows_object = true;
  return true;
}

// Whether a class can be defined in the loader without waiting for its lock.
bool LoaderHolders::MayLock(JNIEnv* jni, const ClassInLoader& type) const {
  if (type.loading) return true;
  jobject locks = jni->GetObjectField(type.loader, parallel_);
  if (locks != nullptr) {
    jni->DeleteLocalRef(locks);
    return true;
  }
  const LocalFrame frame(jni);
  jvmtiMonitorUsage usage{};
  if (environment_->GetObjectMonitorUsage(type.loader, &usage) != JVMTI_ERROR_NONE) return false;
  environment_->Deallocate(reinterpret_cast<unsigned char*>(usage.waiters));
  environment_->Deallocate(reinterpret_cast<unsigned char*>(usage.notify_waiters));
  if (usage.owner == nullptr) return true;
  jthread current = nullptr;
  return environment_->GetCurrentThread(&current) == JVMTI_ERROR_NONE &&
         jni->IsSameObject(usage.owner, current) == JNI_TRUE;
}

std::optional<LoaderHolders::Refusal> LoaderHolders::Refused(JNIEnv* jni, const ClassInLoader& type,
                                                             jlong tag) {
  if (!KnowsObject(jni, type.loader, tag) && !(type.loading && ExtendsObject(type.bytes)))
    return Refusal::kObjectNotKnown;
  if (!MayLock(jni, type)) return Refusal::kLoaderBusy;
  return std::nullopt;
}

bool LoaderHolders::HasAccess(JNIEnv* jni, const ClassInLoader& type) {
  if (!open_.load(std::memory_order_acquire)) return false;
  const jlong tag = TagOf(type.loader);
  {
    std::lock_guard lock(mutex_);
    const auto found = loaders_.find(tag);
    if (found != loaders_.end() && !found->second.names.empty()) return true;
  }
  const std::optional<Refusal> refusal = tag == 0 ? Refusal::kNotDefined : Refused(jni, type, tag);
  if (refusal) ++refused_[static_cast<size_t>(*refusal)];
  return !refusal;
}

std::optional<std::string> LoaderHolders::Find(JNIEnv* jni, const ClassInLoader& type, Kind kind,
                                               uint32_t chunk) {
  if (!open_.load(std::memory_order_acquire)) return std::nullopt;
  const jlong tag = TagOf(type.loader);
  if (tag == 0) return std::nullopt;
  const std::string package = PackageFor(type);
  const Key key(package, kind, chunk);
  {
    std::lock_guard lock(mutex_);
    const Loader& known = loaders_[tag];
    if (const auto found = known.names.find(key); found != known.names.end()) return found->second;
  }
  if (Refused(jni, type, tag)) return std::nullopt;
  const std::optional<std::string> name = Define(jni, type, kind, chunk, package);
  if (!name) return std::nullopt;
  std::lock_guard lock(mutex_);
  Loader& loader = loaders_[tag];
  loader.knows_object = true;
  if (loader.names.try_emplace(key, *name).second) ++names_;
  return name;  // if another thread was faster, this is that thread's name
}

std::optional<std::string> LoaderHolders::Define(JNIEnv* jni, const ClassInLoader& type, Kind kind,
                                                 uint32_t chunk, const std::string& package) {
  uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = next_number_++;
  }
  const std::string name =
      LoaderHolderName(package, kind == Kind::kCounters ? "Counters" : "Sites", chunk, number);
  const std::vector<uint8_t> bytes =
      kind == Kind::kCounters ? LoaderCountersBytes(name, stripes_) : LoaderSitesBytes(name);
  jclass holder =
      jni->DefineClass(name.c_str(), type.loader, reinterpret_cast<const jbyte*>(bytes.data()),
                       static_cast<jsize>(bytes.size()));
  const bool filled = !Threw(jni) && holder != nullptr && Fill(jni, holder, kind, chunk);
  if (holder != nullptr) jni->DeleteLocalRef(holder);
  if (filled) return name;
  Threw(jni);
  ++refused_[static_cast<size_t>(Refusal::kNotDefined)];
  return std::nullopt;
}

bool LoaderHolders::Fill(JNIEnv* jni, jclass holder, Kind kind, uint32_t chunk) {
  const auto set = [&](const char* field, const char* descriptor, jobject value) {
    jfieldID id = value == nullptr ? nullptr : jni->GetStaticFieldID(holder, field, descriptor);
    if (Threw(jni) || id == nullptr) return false;
    jni->SetStaticObjectField(holder, id, value);
    return true;
  };
  if (kind == Kind::kSites) return set("sites", "[Ljava/lang/Object;", SitesOf(jni, chunk));
  jobject arrays = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (chunk < counters_.size()) arrays = counters_[chunk];
  }
  if (stripes_ == 1) return set("c", "[J", arrays);
  return set("rows", "[[J", arrays) && set("stripe", "Ljava/lang/Object;", stripe_);
}

// A global reference to an array with an object for each site of the chunk.
jobject LoaderHolders::SitesOf(JNIEnv* jni, uint32_t chunk) {
  {
    std::lock_guard lock(mutex_);
    if (chunk >= sites_.size()) return nullptr;
    if (sites_[chunk] != nullptr) return sites_[chunk];
  }
  jobject made = jni->CallStaticObjectMethod(site_, make_sites_, static_cast<jint>(chunk));
  if (Threw(jni) || made == nullptr) return nullptr;
  jobject global = jni->NewGlobalRef(made);
  jni->DeleteLocalRef(made);
  if (global == nullptr) return nullptr;
  std::unique_lock lock(mutex_);
  if (sites_[chunk] == nullptr) {
    sites_[chunk] = global;
    ++site_chunks_;
    return global;
  }
  jobject first = sites_[chunk];
  lock.unlock();
  jni->DeleteGlobalRef(global);
  return first;
}

uint64_t LoaderHolders::bytes() const {
  std::lock_guard lock(mutex_);
  return site_chunks_ * kSiteObjectsBytes + loaders_.size() * kLoaderBytes + names_ * kNameBytes;
}

std::string LoaderHolders::Report() const {
  std::string report;
  uint64_t defined = 0;
  size_t loaders = 0;
  {
    std::lock_guard lock(mutex_);
    defined = next_number_;
    loaders = loaders_.size();
  }
  if (defined > 0) {
    report += fmt::format("class loaders with holders of their own: {} now, {} holders in all\n",
                          loaders, defined);
  }
  return report;
}

std::string LoaderHolders::LeftAlone() const {
  std::string report;
  constexpr std::array<std::string_view, kRefusals> kReasons{
      "their class loader had not resolved java.lang.Object yet", "their class loader was locked",
      "their class loader cannot find the counters, and no class of the agent could be added to "
      "it"};
  for (size_t i = 0; i < kRefusals; ++i) {
    if (const uint64_t count = refused_[i].load(); count > 0)
      report += fmt::format("classes left alone: {} ({})\n", count, kReasons[i]);
  }
  return report;
}

}  // namespace iprof::vm
