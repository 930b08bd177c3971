// For tests: LD_PRELOAD it to learn whether a program writes into memory that it has freed. Blocks of
// the sizes of a JVM's own objects stay allocated when they are freed, and are looked at when the
// process ends. It prints a line on stderr for each that was changed, and one with their number.
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>

extern "C" void __libc_free(void* block);  // NOLINT: glibc's name for its own

namespace {

constexpr size_t kSmallest = 1000;
constexpr size_t kLargest = 8000;
constexpr size_t kMost = 20'000;
constexpr unsigned char kFreed = 0xa5;

struct Block {
  unsigned char* start;
  size_t size;
};

Block blocks[kMost];
std::atomic<size_t> count{0};

void Tell(const char* text, int length) {
  const ssize_t written = write(STDERR_FILENO, text, static_cast<size_t>(length));
  static_cast<void>(written);
}

__attribute__((destructor)) void LookAtAll() {
  const size_t all = count < kMost ? count.load() : kMost;
  size_t changed = 0;
  char line[120];
  for (size_t i = 0; i < all; ++i) {
    for (size_t at = 0; at < blocks[i].size; ++at) {
      if (blocks[i].start[at] == kFreed) continue;
      ++changed;
      Tell(line, std::snprintf(line, sizeof line,
                               "freed_memory: a block of %zu bytes was changed at %zu\n",
                               blocks[i].size, at));
      break;
    }
  }
  Tell(line, std::snprintf(line, sizeof line, "freed_memory: %zu of %zu blocks were changed\n",
                           changed, all));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void free(void* block) {
  const size_t size = block == nullptr ? 0 : malloc_usable_size(block);
  if (size >= kSmallest && size <= kLargest) {
    const size_t at = count++;
    if (at < kMost) {
      std::memset(block, kFreed, size);
      blocks[at] = {static_cast<unsigned char*>(block), size};
      return;
    }
  }
  __libc_free(block);
}
