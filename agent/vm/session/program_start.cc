#include "agent/vm/session/program_start.h"

#include <string>
#include <string_view>

#include "agent/vm/jvmti/boot_class.h"
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/jvmti/local_frame.h"

namespace iprof::vm {
namespace {

constexpr jint kMostFrames = 1024;  // of a thread
constexpr std::string_view kSourceLauncher = "Lcom/sun/tools/javac/launcher/";

bool IsFromLauncher(jvmtiEnv* jvmti) {
  JvmtiString value(jvmti);
  return jvmti->GetSystemProperty("sun.java.launcher", value.address()) == JVMTI_ERROR_NONE;
}

// Initialised, or failed to.
bool IsInitialised(jvmtiEnv* jvmti, jclass type) {
  jint status = 0;
  return jvmti->GetClassStatus(type, &status) == JVMTI_ERROR_NONE &&
         (status & (JVMTI_CLASS_STATUS_INITIALIZED | JVMTI_CLASS_STATUS_ERROR)) != 0;
}

std::string SignatureOf(jvmtiEnv* jvmti, jclass type) {
  JvmtiString signature(jvmti);
  if (jvmti->GetClassSignature(type, signature.address(), nullptr) != JVMTI_ERROR_NONE) return {};
  return std::string(ViewOf(signature));
}

// Whether any thread runs a method of this class.
bool Runs(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) {
  JvmtiMemory<jvmtiStackInfo> stacks(jvmti);
  jint threads = 0;
  if (jvmti->GetAllStackTraces(kMostFrames, stacks.address(), &threads) != JVMTI_ERROR_NONE)
    return true;
  for (jint i = 0; i < threads; ++i) {
    const jvmtiStackInfo& stack = stacks[i];
    for (jint frame = 0; frame < stack.frame_count; ++frame) {
      jclass declaring = nullptr;
      if (jvmti->GetMethodDeclaringClass(stack.frame_buffer[frame].method, &declaring) !=
          JVMTI_ERROR_NONE)
        continue;
      const bool is_it = jni->IsSameObject(declaring, type) == JNI_TRUE;
      jni->DeleteLocalRef(declaring);
      if (is_it) return true;
    }
  }
  return false;
}

// Whether the launcher that compiles a source file has loaded a class of it.
bool HasLoadedCompiled(jvmtiEnv* jvmti, JNIEnv* jni) {
  JvmtiMemory<jclass> classes(jvmti);
  jint count = 0;
  if (jvmti->GetLoadedClasses(&count, classes.address()) != JVMTI_ERROR_NONE) return true;
  for (jint i = 0; i < count; ++i) {
    jobject loader = nullptr;
    if (jvmti->GetClassLoader(classes[i], &loader) != JVMTI_ERROR_NONE || loader == nullptr)
      continue;
    jclass type = jni->GetObjectClass(loader);
    const std::string signature = SignatureOf(jvmti, type);
    jni->DeleteLocalRef(type);
    jni->DeleteLocalRef(loader);
    if (signature.starts_with(kSourceLauncher)) return true;
  }
  return false;
}

}  // namespace

bool HasProgramBegun(jvmtiEnv* jvmti, JNIEnv* jni) {
  if (!IsFromLauncher(jvmti)) return true;
  const LocalFrame frame(jni);
  jclass helper = BootClass(jni, "sun/launcher/LauncherHelper");
  if (helper == nullptr) return true;
  // The launcher has not come to its helper: an agent in Java has ended the JVM.
  if (!IsInitialised(jvmti, helper)) return false;
  jfieldID field = jni->GetStaticFieldID(helper, "appClass", "Ljava/lang/Class;");
  if (field == nullptr) {
    jni->ExceptionClear();
    return true;
  }
  auto main = static_cast<jclass>(jni->GetStaticObjectField(helper, field));
  if (main == nullptr) return false;
  if (SignatureOf(jvmti, main).starts_with(kSourceLauncher)) return HasLoadedCompiled(jvmti, jni);
  return IsInitialised(jvmti, main) || Runs(jvmti, jni, main);
}

}  // namespace iprof::vm
