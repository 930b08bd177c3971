#include "agent/vm/cells/loader_kinds.h"

#include "agent/vm/jvmti/jvmti_memory.h"

namespace iprof::vm {
namespace {

// The kind that follows from the loader's class alone; kReflection for the delegating loaders.
LoaderKind KindByClass(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) {
  JvmtiString signature(jvmti);
  if (jvmti->GetClassSignature(type, signature.address(), nullptr) != JVMTI_ERROR_NONE)
    return LoaderKind::kCustom;
  const std::string_view name = ViewOf(signature);
  LoaderKind kind = LoaderKind::kCustom;
  if (name == "Ljdk/internal/loader/ClassLoaders$AppClassLoader;") {
    kind = LoaderKind::kApplication;
  } else if (name == "Ljdk/internal/loader/ClassLoaders$PlatformClassLoader;") {
    kind = LoaderKind::kPlatform;
  } else if (name == "Ljdk/internal/reflect/DelegatingClassLoader;") {
    kind = LoaderKind::kReflection;
  } else {
    return kind;
  }
  jobject definer = nullptr;
  if (jvmti->GetClassLoader(type, &definer) != JVMTI_ERROR_NONE) return LoaderKind::kCustom;
  if (definer == nullptr) return kind;
  jni->DeleteLocalRef(definer);  // another class with the same name
  return LoaderKind::kCustom;
}

}  // namespace

LoaderKind KindOfLoader(jvmtiEnv* jvmti, JNIEnv* jni, jobject loader) {
  if (loader == nullptr) return LoaderKind::kBoot;
  jclass type = jni->GetObjectClass(loader);
  LoaderKind kind = KindByClass(jvmti, jni, type);
  if (kind == LoaderKind::kReflection) {
    jfieldID field = jni->GetFieldID(type, "parent", "Ljava/lang/ClassLoader;");
    if (field == nullptr) {
      jni->ExceptionClear();
    } else {
      jobject parent = jni->GetObjectField(loader, field);
      const LoaderKind of_parent = KindOfLoader(jvmti, jni, parent);
      if (of_parent != LoaderKind::kCustom) kind = of_parent;
      if (parent != nullptr) jni->DeleteLocalRef(parent);
    }
  }
  jni->DeleteLocalRef(type);
  return kind;
}

}  // namespace iprof::vm
