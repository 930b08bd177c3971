// What samples know of their threads (threads=y). See sampling.h.
#include "agent/vm/jvmti/jvmti_memory.h"
#include "agent/vm/sampling/sampling.h"

namespace iprof::vm {

void Sampling::NoteThread(JNIEnv* jni, const void* env, jthread thread) {
  jvmtiThreadInfo info{};
  if (environment_->GetThreadInfo(thread, &info) != JVMTI_ERROR_NONE) return;
  JvmtiString name(environment_.get());
  *name.address() = info.name;
  if (info.thread_group != nullptr) jni->DeleteLocalRef(info.thread_group);
  if (info.context_class_loader != nullptr) jni->DeleteLocalRef(info.context_class_loader);
  thread_names_.Note(env, ViewOf(name));
}

void Sampling::NoteThreads(JNIEnv* jni) {
  if (!java_threads_) return;
  jint count = 0;
  JvmtiMemory<jthread> threads(environment_.get());
  if (environment_->GetAllThreads(&count, threads.address()) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; ++i) {
    // A thread that ends is forgotten by its ThreadEnd, or by its address's next owner.
    if (const void* const env = java_threads_->EnvOf(jni, threads[i]))
      NoteThread(jni, env, threads[i]);
    jni->DeleteLocalRef(threads[i]);
  }
}

}  // namespace iprof::vm
