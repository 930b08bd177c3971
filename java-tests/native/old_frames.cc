// For tests: what AsyncGetCallTrace says about the calling thread's frames, and redefinition of classes.
#include <dlfcn.h>
#include <jvmti.h>
#include <ucontext.h>

#include <string>
#include <vector>

namespace {

struct Frame {
  jint bci;
  jmethodID method;
};
struct Trace {
  JNIEnv* env;
  jint count;
  Frame* frames;
};
using GetTrace = void (*)(Trace*, jint, void*);

void JNICALL OnLoad(jvmtiEnv*, JNIEnv*, jthread, jclass) {}

jvmtiEnv* Open(JNIEnv* env) {
  JavaVM* vm = nullptr;
  void* made = nullptr;
  if (env->GetJavaVM(&vm) != JNI_OK || vm->GetEnv(&made, JVMTI_VERSION_11) != JNI_OK)
    return nullptr;
  auto* const jvmti = static_cast<jvmtiEnv*>(made);
  jvmtiCapabilities capabilities{};
  capabilities.can_redefine_classes = 1;
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassLoad = OnLoad;
  const bool able = jvmti->AddCapabilities(&capabilities) == JVMTI_ERROR_NONE &&
                    jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
                    jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_LOAD,
                                                    nullptr) == JVMTI_ERROR_NONE;
  return able ? jvmti : nullptr;
}

jvmtiEnv* Environment(JNIEnv* env) {
  static jvmtiEnv* const jvmti = Open(env);
  return jvmti;
}

std::string Describe(jvmtiEnv* jvmti, const Frame& frame) {
  std::string text = std::to_string(frame.bci) + "/";
  if (frame.method == nullptr) return text + "none";
  jlocation first = 0;
  jlocation last = -1;
  jboolean is_obsolete = JNI_FALSE;
  if (jvmti->GetMethodLocation(frame.method, &first, &last) != JVMTI_ERROR_NONE) last = -1;
  if (jvmti->IsMethodObsolete(frame.method, &is_obsolete) != JVMTI_ERROR_NONE) return text + "?";
  return text + std::to_string(last + 1) + (is_obsolete == JNI_TRUE ? "/o" : "/");
}

}  // namespace

extern "C" JNIEXPORT void JNICALL Java_sampling_OldFrames_prepare(JNIEnv* env, jclass /*self*/,
                                                                  jclass type) {
  jvmtiEnv* const jvmti = Environment(env);
  jint count = 0;
  jmethodID* methods = nullptr;
  if (jvmti != nullptr && jvmti->GetClassMethods(type, &count, &methods) == JVMTI_ERROR_NONE)
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(methods));
}

extern "C" JNIEXPORT jstring JNICALL Java_sampling_OldFrames_frames(JNIEnv* env, jclass /*self*/) {
  jvmtiEnv* const jvmti = Environment(env);
  const auto get_trace = reinterpret_cast<GetTrace>(dlsym(RTLD_DEFAULT, "AsyncGetCallTrace"));
  if (jvmti == nullptr || get_trace == nullptr) return env->NewStringUTF("refused");
  Frame frames[16];
  Trace trace{env, 0, frames};
  ucontext_t context;
  getcontext(&context);
  get_trace(&trace, 16, &context);
  std::string text = std::to_string(trace.count);
  for (jint i = 0; i < trace.count; ++i) text += " " + Describe(jvmti, frames[i]);
  return env->NewStringUTF(text.c_str());
}

extern "C" JNIEXPORT void JNICALL Java_sampling_OldFrames_walk(JNIEnv* env, jclass /*self*/) {
  jvmtiEnv* const jvmti = Environment(env);
  jvmtiStackInfo* stacks = nullptr;
  jint count = 0;
  if (jvmti != nullptr && jvmti->GetAllStackTraces(16, &stacks, &count) == JVMTI_ERROR_NONE)
    jvmti->Deallocate(reinterpret_cast<unsigned char*>(stacks));
}

extern "C" JNIEXPORT jboolean JNICALL Java_sampling_OldFrames_redefine(JNIEnv* env, jclass /*self*/,
                                                                       jclass type,
                                                                       jbyteArray bytes) {
  jvmtiEnv* const jvmti = Environment(env);
  const jsize length = env->GetArrayLength(bytes);
  std::vector<unsigned char> copy(static_cast<size_t>(length));
  env->GetByteArrayRegion(bytes, 0, length, reinterpret_cast<jbyte*>(copy.data()));
  const jvmtiClassDefinition definition{type, length, copy.data()};
  const bool done = jvmti != nullptr && jvmti->RedefineClasses(1, &definition) == JVMTI_ERROR_NONE;
  return done ? JNI_TRUE : JNI_FALSE;
}
