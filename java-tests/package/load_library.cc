// Loads the agent's library as a JVM does on attach, which is late: other threads run already, and the room for
// thread-locals that a loader gives out is given out. Then it asks for the agent's options, and for an agent in a JVM
// without JVMTI, which must be refused.
//   load_library LIBRARY
#include <dlfcn.h>
#include <jni.h>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

jint HasNoJvmti(JavaVM*, void**, jint) { return JNI_EVERSION; }

using OnAttach = jint (*)(JavaVM*, char*, void*);

bool Fails(const char* what) {
  const char* why = dlerror();
  std::fprintf(stderr, "%s: %s\n", what, why == nullptr ? "unknown" : why);
  return false;
}

bool Load(const char* path) {
  void* const library = dlopen(path, RTLD_LAZY);
  if (library == nullptr) return Fails("dlopen");
  const auto attach = reinterpret_cast<OnAttach>(dlsym(library, "Agent_OnAttach"));
  if (attach == nullptr) return Fails("dlsym");
  JNIInvokeInterface_ functions{};
  functions.GetEnv = HasNoJvmti;
  JavaVM jvm{};
  jvm.functions = &functions;
  char help[] = "help";
  char mistyped[] = "outt=x";
  char none[] = "";
  if (attach(&jvm, help, nullptr) != JNI_OK) return Fails("help");
  if (attach(&jvm, mistyped, nullptr) == JNI_OK) return Fails("took a mistyped option");
  if (attach(&jvm, none, nullptr) == JNI_OK) return Fails("took a JVM without JVMTI");
  return true;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::atomic<bool> is_done = false;
  std::thread earlier([&] { is_done.wait(false); });
  const bool is_loaded = Load(words[1]);
  std::thread later([] {});
  later.join();
  is_done = true;
  is_done.notify_all();
  earlier.join();
  return is_loaded ? 0 : 1;
}
