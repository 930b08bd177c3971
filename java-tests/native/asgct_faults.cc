// For tests: LD_PRELOAD it to have AsyncGetCallTrace fault in each thread of a JVM with the agent, once: at the first
// sample with a Java frame. The agent finds this function instead of HotSpot's, which is called with memory for the
// frames that cannot be written to.
#include <dlfcn.h>
#include <jni.h>
#include <sys/mman.h>

#include "java-tests/native/agent_code.h"

namespace {

struct Trace {
  JNIEnv* env;
  jint count;
  void* frames;
};

constexpr size_t kFrameBytes = size_t{1} << 20;

}  // namespace

IPROF_EXPORT void AsyncGetCallTrace(Trace* trace, jint depth, void* context) {
  using Walk = void (*)(Trace*, jint, void*);
  static const Walk real = reinterpret_cast<Walk>(dlsym(RTLD_NEXT, "AsyncGetCallTrace"));
  static void* const no_memory =
      mmap(nullptr, kFrameBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  Trace walked{trace->env, trace->count, no_memory};
  real(&walked, depth, context);
  trace->count = walked.count;
}
