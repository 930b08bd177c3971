#include "cli/live/large_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace iprof::cli {

#if defined(__GLIBC__)
namespace {

constexpr uintptr_t kLargePage = 2 << 20;
constexpr int kAtOnce = 96 << 20;  // how much the heap grows, once
constexpr int kLater = 1 << 20;    // and by how much then, if that was too little
// Larger pieces have a mapping of their own, and go back to the kernel when they are freed. The pieces
// of 16 MiB that hold copied memory are not among them: what comes after reading uses them again.
constexpr int kOwnMapping = 20 << 20;

uintptr_t HeapEnd() { return reinterpret_cast<uintptr_t>(sbrk(0)); }

}  // namespace

void UseLargePages() {
  mallopt(M_MMAP_THRESHOLD, kOwnMapping);
  mallopt(M_TRIM_THRESHOLD, 2 * kAtOnce);
  const uintptr_t before = HeapEnd();
  mallopt(M_TOP_PAD, kAtOnce);
  // If the heap has less than this free, it grows. If not, an earlier call made it grow. Without
  // volatile, compilers remove the two calls.
  void* volatile piece = std::malloc(kOwnMapping / 2);
  std::free(piece);
  mallopt(M_TOP_PAD, kLater);
  const uintptr_t from = (before + kLargePage - 1) / kLargePage * kLargePage;
  const uintptr_t to = HeapEnd() / kLargePage * kLargePage;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
}

void GiveBackMemory() { malloc_trim(0); }
#else
void UseLargePages() {}
void GiveBackMemory() {}
#endif

}  // namespace iprof::cli
