// For tests and `bench/run sessions`: what an agent costs that retransforms all classes and changes none. Its hook returns a
// copy of each class's bytes, as a Java agent's transformer may.
#include <jvmti.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace {

constexpr jint kBatch = 64;

void JNICALL CopyClassFile(jvmtiEnv* jvmti, JNIEnv*, jclass redefined, jobject, const char*,
                           jobject, jint size, const unsigned char* bytes, jint* new_size,
                           unsigned char** new_bytes) {
  if (redefined == nullptr || jvmti->Allocate(size, new_bytes) != JVMTI_ERROR_NONE) return;
  std::memcpy(*new_bytes, bytes, static_cast<size_t>(size));
  *new_size = size;
}

jvmtiEnv* Open(JNIEnv* env) {
  JavaVM* vm = nullptr;
  void* made = nullptr;
  if (env->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(&made, JVMTI_VERSION_11) != JNI_OK)
    return nullptr;
  auto* const jvmti = static_cast<jvmtiEnv*>(made);
  jvmtiCapabilities capabilities{};
  capabilities.can_retransform_classes = 1;
  capabilities.can_retransform_any_class = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = CopyClassFile;
  const bool able = jvmti->AddCapabilities(&capabilities) == JVMTI_ERROR_NONE &&
                    jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
                    jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
                                                    nullptr) == JVMTI_ERROR_NONE;
  return able ? jvmti : nullptr;
}

// Retransforms the linked classes that can be changed. Returns their number.
jint RetransformAll(JNIEnv* env) {
  static jvmtiEnv* const jvmti = Open(env);
  jint count = 0;
  jclass* classes = nullptr;
  if (jvmti == nullptr || jvmti->GetLoadedClasses(&count, &classes) != JVMTI_ERROR_NONE) return 0;
  std::vector<jclass> linked;
  for (jint i = 0; i < count; ++i) {
    jboolean is_modifiable = JNI_FALSE;
    jint status = 0;
    if (jvmti->IsModifiableClass(classes[i], &is_modifiable) == JVMTI_ERROR_NONE && is_modifiable &&
        jvmti->GetClassStatus(classes[i], &status) == JVMTI_ERROR_NONE &&
        (status & JVMTI_CLASS_STATUS_PREPARED) != 0)
      linked.push_back(classes[i]);
  }
  jint done = 0;
  for (size_t i = 0; i < linked.size(); i += kBatch) {
    const jint size = static_cast<jint>(std::min<size_t>(kBatch, linked.size() - i));
    if (jvmti->RetransformClasses(size, &linked[i]) == JVMTI_ERROR_NONE) done += size;
  }
  for (jint i = 0; i < count; ++i) env->DeleteLocalRef(classes[i]);
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(classes));
  return done;
}

}  // namespace

extern "C" JNIEXPORT jint JNICALL Java_SessionPhases_retransform(JNIEnv* env, jclass /*self*/) {
  return RetransformAll(env);
}

extern "C" JNIEXPORT jint JNICALL Java_overhead_Rounds_retransform(JNIEnv* env, jclass /*self*/) {
  return RetransformAll(env);
}
