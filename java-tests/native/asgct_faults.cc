// For tests: LD_PRELOAD it to have AsyncGetCallTrace fault in each thread of a JVM with the agent, once: at the first
// sample with more than 256 frames. The memory where it writes the others cannot be written to. (The agent itself writes
// to the first ones.)
//
// The agent must have depth=1000. It maps the slots of 16 threads at once, with room for their frames at the end.
#include <dlfcn.h>
#include <sys/mman.h>

#include "java-tests/native/agent_code.h"

namespace {

constexpr size_t kThreads = 16;
constexpr size_t kPage = 4096;
constexpr size_t kFrameBytes = 16384;         // 1,002 frames, in whole pages
constexpr size_t kLargest = size_t{1} << 20;  // its other mappings are larger

}  // namespace

IPROF_EXPORT void* mmap(void* at, size_t bytes, int access, int flags, int file, off_t offset) {
  using Map = void* (*)(void*, size_t, int, int, int, off_t);
  static const Map real = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
  void* const mapping = real(at, bytes, access, flags, file, offset);
  constexpr size_t kFrames = kThreads * kFrameBytes;
  if (mapping == MAP_FAILED || !iprof::IsAgent(IPROF_CALLER) || bytes <= kFrames ||
      bytes > kLargest)
    return mapping;
  for (size_t thread = 0; thread < kThreads; ++thread) {
    char* const frames = static_cast<char*>(mapping) + bytes - kFrames + thread * kFrameBytes;
    mprotect(frames + kPage, kFrameBytes - kPage, PROT_NONE);
  }
  return mapping;
}
