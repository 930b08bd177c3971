// For tests: threads that the JVM did not start, which attach themselves, run Java, and detach.
#include <jni.h>

#include <cstdint>
#include <thread>
#include <vector>

extern "C" JNIEXPORT jint JNICALL Java_sampling_Attached_runThreads(JNIEnv* env, jclass type,
                                                                    jint count, jlong ns) {
  JavaVM* vm = nullptr;
  if (env->GetJavaVM(&vm) != JNI_OK) return 0;
  auto* shared = static_cast<jclass>(env->NewGlobalRef(type));
  const jmethodID burn = env->GetStaticMethodID(type, "burn", "(J)V");
  if (burn == nullptr) return 0;
  std::vector<std::thread> threads;
  std::vector<jint> ran(static_cast<size_t>(count));
  for (jint& each : ran) {
    threads.emplace_back([=, &each] {
      void* own = nullptr;
      if (vm->AttachCurrentThread(&own, nullptr) != JNI_OK) return;
      auto* jni = static_cast<JNIEnv*>(own);
      jni->CallStaticVoidMethod(shared, burn, ns);
      each = jni->ExceptionCheck() == JNI_TRUE ? 0 : 1;
      vm->DetachCurrentThread();
    });
  }
  jint good = 0;
  for (size_t i = 0; i < threads.size(); ++i) {
    threads[i].join();
    good += ran[i];
  }
  env->DeleteGlobalRef(shared);
  return good;
}
