// For tests: LD_PRELOAD it to learn how much memory the agent holds in a program. The file that AGENT_MEMORY names gets
// three 64-bit numbers, which always show the present: the bytes of blocks that code of libiprofagent.so has allocated and
// not freed, as malloc rounds them, their number, and the bytes of its mappings. Memory of the JVM and of other libraries
// does not count, nor do blocks that a function of another library made for the agent.
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>

#include "java-tests/native/agent_code.h"

extern "C" {
void* __libc_malloc(size_t bytes);                  // NOLINT: glibc's names for its own
void* __libc_calloc(size_t count, size_t size);     // NOLINT
void* __libc_realloc(void* block, size_t bytes);    // NOLINT
void* __libc_memalign(size_t align, size_t bytes);  // NOLINT
void __libc_free(void* block);                      // NOLINT
}

namespace {

using iprof::IsAgent;

struct Figures {
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> blocks{0};
  std::atomic<int64_t> mapped{0};
};

Figures unseen;
Figures* figures = &unseen;
__attribute__((constructor)) void OpenFile() {
  const char* const name = std::getenv("AGENT_MEMORY");
  const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  if (ftruncate(file, sizeof(Figures)) == 0) {
    void* const mapping =
        mmap(nullptr, sizeof(Figures), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapping != MAP_FAILED) figures = static_cast<Figures*>(mapping);
  }
  close(file);
}

void* Made(void* block, const void* caller) {
  if (block == nullptr || !IsAgent(caller)) return block;
  figures->bytes += static_cast<int64_t>(malloc_usable_size(block) + sizeof(size_t));
  ++figures->blocks;
  return block;
}

void Gone(void* block, const void* caller) {
  if (block == nullptr || !IsAgent(caller)) return;
  figures->bytes -= static_cast<int64_t>(malloc_usable_size(block) + sizeof(size_t));
  --figures->blocks;
}

}  // namespace

IPROF_EXPORT void* malloc(size_t bytes) { return Made(__libc_malloc(bytes), IPROF_CALLER); }

IPROF_EXPORT void* calloc(size_t count, size_t size) {
  return Made(__libc_calloc(count, size), IPROF_CALLER);
}

IPROF_EXPORT void* realloc(void* block, size_t bytes) {
  Gone(block, IPROF_CALLER);
  return Made(__libc_realloc(block, bytes), IPROF_CALLER);
}

IPROF_EXPORT void* aligned_alloc(size_t align, size_t bytes) {
  return Made(__libc_memalign(align, bytes), IPROF_CALLER);
}

IPROF_EXPORT int posix_memalign(void** block, size_t align, size_t bytes) {
  *block = Made(__libc_memalign(align, bytes), IPROF_CALLER);
  return *block == nullptr ? ENOMEM : 0;
}

IPROF_EXPORT void free(void* block) {
  Gone(block, IPROF_CALLER);
  __libc_free(block);
}

IPROF_EXPORT void* mmap(void* at, size_t bytes, int access, int flags, int file, off_t offset) {
  using Map = void* (*)(void*, size_t, int, int, int, off_t);
  static const Map real = reinterpret_cast<Map>(dlsym(RTLD_NEXT, "mmap"));
  void* const mapping = real(at, bytes, access, flags, file, offset);
  if (mapping != MAP_FAILED && IsAgent(IPROF_CALLER))
    figures->mapped += static_cast<int64_t>(bytes);
  return mapping;
}

IPROF_EXPORT int munmap(void* at, size_t bytes) {
  using Unmap = int (*)(void*, size_t);
  static const Unmap real = reinterpret_cast<Unmap>(dlsym(RTLD_NEXT, "munmap"));
  if (IsAgent(IPROF_CALLER)) figures->mapped -= static_cast<int64_t>(bytes);
  return real(at, bytes);
}
