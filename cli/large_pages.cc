#include "cli/large_pages.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace iprof::cli {

void UseLargePages() {
#if defined(__GLIBC__)
  constexpr uintptr_t kLargePage = 2 << 20;
  constexpr int kAhead = 64 << 20;  // how much the heap grows at once
  constexpr int kGivenBack = 3 << 20;  // what is larger goes back to the kernel when it is freed
  constexpr size_t kMoreThanIsFree = 1 << 20;
  const auto end = [] { return reinterpret_cast<uintptr_t>(sbrk(0)); };
  mallopt(M_TOP_PAD, kAhead);
  mallopt(M_TRIM_THRESHOLD, 2 * kAhead);
  mallopt(M_MMAP_THRESHOLD, kGivenBack);
  const uintptr_t from = (end() + kLargePage - 1) / kLargePage * kLargePage;
  void* volatile grown = std::malloc(kMoreThanIsFree);  // volatile: compilers remove unused memory
  std::free(grown);
  const uintptr_t to = end() / kLargePage * kLargePage;
  if (from < to) madvise(reinterpret_cast<void*>(from), to - from, MADV_HUGEPAGE);
#endif
}

}  // namespace iprof::cli
