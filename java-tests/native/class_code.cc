// For tests: lets a Java program see how much bytecode its classes run at the moment, probes included.
#include <jvmti.h>

namespace {

jvmtiEnv* Open(JNIEnv* env) {
  JavaVM* vm = nullptr;
  void* made = nullptr;
  if (env->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(&made, JVMTI_VERSION_11) != JNI_OK)
    return nullptr;
  auto* const jvmti = static_cast<jvmtiEnv*>(made);
  jvmtiCapabilities capabilities{};
  capabilities.can_get_bytecodes = 1;
  return jvmti->AddCapabilities(&capabilities) == JVMTI_ERROR_NONE ? jvmti : nullptr;
}

jvmtiEnv* Environment(JNIEnv* env) {
  static jvmtiEnv* const jvmti = Open(env);
  return jvmti;
}

void Free(jvmtiEnv* jvmti, void* memory) { jvmti->Deallocate(static_cast<unsigned char*>(memory)); }

}  // namespace

// All classes that are linked and have methods.
extern "C" JNIEXPORT jobjectArray JNICALL Java_Kept_loaded(JNIEnv* env, jclass /*self*/) {
  jvmtiEnv* const jvmti = Environment(env);
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti == nullptr || jvmti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE)
    return nullptr;
  const jclass type = env->FindClass("java/lang/Class");
  const jobjectArray all = env->NewObjectArray(count, type, nullptr);
  for (jint i = 0; i < count; ++i) {
    jint status = 0;
    const bool is_linked = jvmti->GetClassStatus(classes[i], &status) == JVMTI_ERROR_NONE &&
                           (status & JVMTI_CLASS_STATUS_PREPARED) != 0;
    if (is_linked) env->SetObjectArrayElement(all, i, classes[i]);
    env->DeleteLocalRef(classes[i]);
  }
  Free(jvmti, classes);
  return all;
}

// The bytes of code of all methods of a class; -1 on a failure.
extern "C" JNIEXPORT jint JNICALL Java_Kept_codeLength(JNIEnv* env, jclass /*self*/, jclass type) {
  jvmtiEnv* const jvmti = Environment(env);
  jint count = 0;
  jmethodID* methods = nullptr;
  if (jvmti == nullptr || jvmti->GetClassMethods(type, &count, &methods) != JVMTI_ERROR_NONE)
    return -1;
  jint sum = 0;
  for (jint i = 0; i < count; ++i) {
    jint length = 0;
    unsigned char* code = nullptr;
    if (jvmti->GetBytecodes(methods[i], &length, &code) != JVMTI_ERROR_NONE) continue;  // native
    sum += length;
    Free(jvmti, code);
  }
  Free(jvmti, methods);
  return sum;
}
