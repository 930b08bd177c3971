// For tests: a library that a Java program loads. It retransforms a class without changing it, as
// many agents do; after that, the call sites of the class are linked again.
#include <jvmti.h>

extern "C" JNIEXPORT jboolean JNICALL Java_names_Relinked_retransform(JNIEnv* env, jclass /*self*/,
                                                                      jclass type) {
  static jvmtiEnv* jvmti = [env]() -> jvmtiEnv* {
    JavaVM* vm = nullptr;
    void* made = nullptr;
    if (env->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(&made, JVMTI_VERSION_11) != JNI_OK)
      return nullptr;
    jvmtiCapabilities capabilities{};
    capabilities.can_retransform_classes = 1;
    auto* environment = static_cast<jvmtiEnv*>(made);
    const bool able = environment->AddCapabilities(&capabilities) == JVMTI_ERROR_NONE;
    return able ? environment : nullptr;
  }();
  const bool done = jvmti != nullptr && jvmti->RetransformClasses(1, &type) == JVMTI_ERROR_NONE;
  return done ? JNI_TRUE : JNI_FALSE;
}
