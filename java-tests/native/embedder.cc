// A program that creates a JVM through JNI, as application servers and native launchers do. There is no
// java launcher, so no main class is known.
//
//   embedder LIBJVM HOW JVM-OPTION...
//
// HOW: "destroy" ends the JVM in an orderly way, "exit" ends the process from native code, without the JVM.
#include <dlfcn.h>
#include <jni.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  using Create = jint(JNICALL*)(JavaVM**, void**, void*);
  const auto create = reinterpret_cast<Create>(dlsym(library, "JNI_CreateJavaVM"));
  if (create == nullptr) return 2;
  std::vector<JavaVMOption> options;
  for (int i = 3; i < argc; ++i) options.push_back({argv[i], nullptr});
  JavaVMInitArgs arguments{};
  arguments.version = JNI_VERSION_10;
  arguments.nOptions = static_cast<jint>(options.size());
  arguments.options = options.data();
  JavaVM* vm = nullptr;
  JNIEnv* jni = nullptr;
  if (create(&vm, reinterpret_cast<void**>(&jni), &arguments) != JNI_OK) return 3;
  if (std::strcmp(argv[2], "exit") == 0) std::exit(5);
  return vm->DestroyJavaVM() == JNI_OK ? 0 : 4;
}
