#include "agent/vm/jvmti/boot_class.h"

#include "agent/vm/jvmti/own_jvm.h"

namespace iprof::vm {
namespace {

using FindInBootLoader = jclass(JNICALL*)(JNIEnv*, const char*);

FindInBootLoader Find(JNIEnv* jni) {
  JavaVM* vm = nullptr;
  if (jni->GetJavaVM(&vm) != JNI_OK) return nullptr;
  static const auto find =
      reinterpret_cast<FindInBootLoader>(OwnJvm(vm).Symbol("JVM_FindClassFromBootLoader"));
  return find;
}

}  // namespace

jclass BootClass(JNIEnv* jni, const char* name) {
  const FindInBootLoader find = Find(jni);
  jclass klass = find != nullptr ? find(jni, name) : jni->FindClass(name);
  if (!jni->ExceptionCheck()) return klass;
  jni->ExceptionClear();
  return nullptr;
}

}  // namespace iprof::vm
