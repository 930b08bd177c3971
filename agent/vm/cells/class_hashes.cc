#include "agent/vm/cells/class_hashes.h"

#include <algorithm>

#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "writer/names/type_names.h"

namespace iprof::vm {

Status ClassHashes::Start(JNIEnv* jni, jobject platform, jobject application) {
  platform_ = jni->NewGlobalRef(platform);
  application_ = jni->NewGlobalRef(application);
  if (platform_ != nullptr && application_ != nullptr) return {};
  if (jni->ExceptionCheck()) jni->ExceptionClear();
  return {Code::kLimit, "the JVM has no memory for references to its loaders"};
}

std::optional<std::string> ClassHashes::NameOf(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const {
  JvmtiString signature(jvmti);
  if (type == nullptr ||
      jvmti->GetClassSignature(type, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return std::nullopt;
  return naming_(jvmti, jni, type, ViewOf(signature));
}

void ClassHashes::AddTo(TypeCounts& counts, jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site,
                        jclass type, uint64_t count) const {
  if (const auto name = NameOf(jvmti, jni, type)) {
    counts.Add(site, *name, count);
  } else {
    counts.AddLost(site, count);
  }
}

bool ClassHashes::LoaderStays(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) const {
  jobject loader = nullptr;
  if (jvmti->GetClassLoader(type, &loader) != JVMTI_ERROR_NONE) return false;
  if (loader == nullptr) return true;
  const bool stays =
      jni->IsSameObject(loader, application_) || jni->IsSameObject(loader, platform_);
  jni->DeleteLocalRef(loader);
  return stays;
}

void ClassHashes::Add(JNIEnv* jni, jclass type, jint hash, const std::optional<std::string>& name) {
  jweak reference = jni->NewWeakGlobalRef(type);
  if (reference == nullptr) {
    if (jni->ExceptionCheck()) jni->ExceptionClear();
    return;
  }
  if (!names_.Add(hash, name, reference)) jni->DeleteWeakGlobalRef(reference);
}

void ClassHashes::Prepared(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) {
  JvmtiString signature(jvmti);
  jint hash = 0;
  if (jvmti->GetClassSignature(type, signature.address(), nullptr) != JVMTI_ERROR_NONE) return;
  // For a hidden class, its name and whether its loader keeps it are not known yet: see
  // HiddenDefined.
  if (IsHiddenClass(Descriptor(ViewOf(signature)))) return;
  if (LoaderStays(jvmti, jni, type)) return;
  if (jvmti->GetObjectHashCode(type, &hash) != JVMTI_ERROR_NONE) return;
  Add(jni, type, hash, naming_(jvmti, jni, type, ViewOf(signature)));
}

void ClassHashes::HiddenDefined(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) {
  jint hash = 0;
  if (jvmti->GetObjectHashCode(type, &hash) != JVMTI_ERROR_NONE) return;
  Add(jni, type, hash, NameOf(jvmti, jni, type));
}

bool ClassHashes::Knows(JNIEnv* jni, jclass type, jint hash) const {
  const auto entries = names_.WithHash(hash);
  return std::any_of(entries.begin(), entries.end(), [&](const HashNames::Entry& entry) {
    return entry.reference != nullptr && jni->IsSameObject(entry.reference, type);
  });
}

void ClassHashes::LearnLoaded(jvmtiEnv* jvmti, JNIEnv* jni) {
  names_.Absorb();
  const LoadedClasses classes(classes_, jvmti, jni);
  for (jclass type : classes.all()) {
    JvmtiString signature(jvmti);
    if (jvmti->GetClassSignature(type, signature.address(), nullptr) != JVMTI_ERROR_NONE) continue;
    const bool is_array = ViewOf(signature).starts_with('[');
    if (is_array ||
        (!IsHiddenClass(Descriptor(ViewOf(signature))) && LoaderStays(jvmti, jni, type)))
      continue;
    jint hash = 0;
    if (jvmti->GetObjectHashCode(type, &hash) != JVMTI_ERROR_NONE || Knows(jni, type, hash))
      continue;
    Add(jni, type, hash, naming_(jvmti, jni, type, ViewOf(signature)));
  }
  names_.Absorb();
}

void ClassHashes::Sweep(JNIEnv* jni) {
  names_.Sweep([jni](jweak reference) {
    if (!jni->IsSameObject(reference, nullptr)) return false;
    jni->DeleteWeakGlobalRef(reference);
    return true;
  });
}

}  // namespace iprof::vm
