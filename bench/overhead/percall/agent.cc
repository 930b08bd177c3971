// A profiler of every call like HPROF's cpu=times, for comparison in the benchmark.
//
// HPROF inserted calls of a tracker class at each method's entry and returns; the tracker called
// the agent through JNI, which took the time and kept a stack for each thread. This agent does the
// same: it inserts bytecode that calls native methods. It does not use JVMTI's MethodEntry and
// MethodExit events, because they keep HotSpot in the interpreter, which would make the comparison
// unfair. It is simpler and faster than HPROF: no Java code between probe and native method, no
// locks, relaxed counters.
//
// Usage: -agentpath:libpercall.so=FILE. Classes that are loaded before the VM is initialised are
// retransformed, later ones are changed when they are loaded. A class that cannot be rewritten is
// not changed.
#include <jni.h>
#include <jvmti.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "agent/classfile/rewriter.h"
#include "bench/overhead/percall/call_times.h"
#include "percall_tracker.inc"

namespace {

using iprof::classfile::ByteSpan;
using iprof::classfile::ClassFile;
using iprof::classfile::ClassRewriter;
using iprof::classfile::Insn;
using iprof::classfile::MethodCode;
using iprof::classfile::MethodEditor;
using iprof::classfile::Reason;
using iprof::classfile::Workspace;

constexpr const char* kTracker = "java/lang/PerCallTracker";

std::string& report_path = *new std::string("percall.txt");

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "percall: %s\n", what);
  std::_Exit(1);
}

void AddProbes(const ClassFile& file, ClassRewriter& rewriter, uint32_t method) {
  MethodCode code;
  if (rewriter.Open(method, &code) != Reason::kOk) return;
  const auto& info = file.methods()[method];
  const int32_t number =
      percall::Name(std::string(file.name()) + "." + std::string(file.NameOf(info)) +
                    std::string(file.DescriptorOf(info)));
  if (number == 0) return;
  MethodEditor editor = rewriter.Edit(code);
  const auto entered =
      editor.Build().PushInt(number).InvokeStatic(kTracker, "entered", "(I)V").Finish();
  const auto left = editor.Build().PushInt(number).InvokeStatic(kTracker, "left", "(I)V").Finish();
  editor.OnEntry(entered);
  for (Insn i = 0; i < code.count(); ++i) {
    if (iprof::classfile::IsReturn(code.at(i).op)) editor.Before(i, left);
  }
  editor.CatchAll(left);
  rewriter.Apply(editor);
}

void JNICALL OnClassFile(jvmtiEnv* jvmti, JNIEnv*, jclass, jobject, const char*, jobject, jint size,
                         const unsigned char* bytes, jint* new_size, unsigned char** new_bytes) {
  thread_local Workspace memory;
  memory.class_memory.Reset();
  ClassFile file;
  if (file.Parse(ByteSpan(bytes, static_cast<size_t>(size)), memory.class_memory) != Reason::kOk ||
      file.name() == kTracker) {
    return;
  }
  ClassRewriter rewriter(file, memory);
  for (uint32_t method = 0; method < file.methods().size(); ++method) {
    // HotSpot checks whether Object.finalize is empty.
    if (file.NameOf(file.methods()[method]) != "finalize") AddProbes(file, rewriter, method);
  }
  if (rewriter.rewritten_methods() == 0) return;
  const ByteSpan result = rewriter.Finish();
  if (jvmti->Allocate(static_cast<jlong>(result.size()), new_bytes) != JVMTI_ERROR_NONE) return;
  std::memcpy(*new_bytes, result.data(), result.size());
  *new_size = static_cast<jint>(result.size());
}

void JNICALL OnVmStart(jvmtiEnv*, JNIEnv* jni) {
  const jclass tracker =
      jni->DefineClass(kTracker, nullptr, reinterpret_cast<const jbyte*>(kTrackerClass),
                       static_cast<jsize>(sizeof(kTrackerClass)));
  if (tracker == nullptr) Die("cannot define the tracker");
}

// HotSpot finds native methods with Java code, so register them before that code has probes that
// need them.
void LinkNatives(JNIEnv* jni) {
  const jclass tracker = jni->FindClass(kTracker);
  for (const char* name : {"entered", "left"}) {
    const jmethodID native = tracker ? jni->GetStaticMethodID(tracker, name, "(I)V") : nullptr;
    if (native == nullptr) Die("the tracker has no natives");
    jni->CallStaticVoidMethod(tracker, native, jint{0});
    if (jni->ExceptionCheck()) Die("the tracker's natives are not found");
  }
}

void JNICALL OnVmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread) {
  LinkNatives(jni);
  jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, nullptr);
  jint count = 0;
  jclass* loaded = nullptr;
  if (jvmti->GetLoadedClasses(&count, &loaded) != JVMTI_ERROR_NONE) Die("cannot list the classes");
  std::vector<jclass> modifiable;
  for (jint i = 0; i < count; ++i) {
    jboolean can = JNI_FALSE;
    if (jvmti->IsModifiableClass(loaded[i], &can) == JVMTI_ERROR_NONE && can == JNI_TRUE) {
      modifiable.push_back(loaded[i]);
    }
  }
  const jvmtiError error =
      jvmti->RetransformClasses(static_cast<jint>(modifiable.size()), modifiable.data());
  if (error != JVMTI_ERROR_NONE) Die("cannot retransform the classes of the start");
  jvmti->Deallocate(reinterpret_cast<unsigned char*>(loaded));
}

void JNICALL OnVmDeath(jvmtiEnv*, JNIEnv*) {
  if (!percall::Write(report_path)) std::fprintf(stderr, "percall: cannot write the report\n");
}

}  // namespace

extern "C" {

JNIEXPORT void JNICALL Java_java_lang_PerCallTracker_entered(JNIEnv*, jclass, jint method) {
  percall::Enter(method);
}

JNIEXPORT void JNICALL Java_java_lang_PerCallTracker_left(JNIEnv*, jclass, jint method) {
  percall::Leave(method);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  if (options != nullptr && *options != '\0') report_path = options;
  jvmtiEnv* jvmti = nullptr;
  if (vm->GetEnv(reinterpret_cast<void**>(&jvmti), JVMTI_VERSION_11) != JNI_OK) return JNI_ERR;
  jvmtiCapabilities capabilities = {};
  capabilities.can_generate_all_class_hook_events = 1;
  capabilities.can_retransform_classes = 1;
  jvmtiEventCallbacks callbacks = {};
  callbacks.ClassFileLoadHook = OnClassFile;
  callbacks.VMStart = OnVmStart;
  callbacks.VMInit = OnVmInit;
  callbacks.VMDeath = OnVmDeath;
  if (jvmti->AddCapabilities(&capabilities) != JVMTI_ERROR_NONE ||
      jvmti->SetEventCallbacks(&callbacks, sizeof(callbacks)) != JVMTI_ERROR_NONE) {
    return JNI_ERR;
  }
  for (const jvmtiEvent event : {JVMTI_EVENT_VM_START, JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH}) {
    if (jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr) != JVMTI_ERROR_NONE) {
      return JNI_ERR;
    }
  }
  return JNI_OK;
}

}  // extern "C"
