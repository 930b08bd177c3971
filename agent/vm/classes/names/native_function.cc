#include "agent/vm/classes/names/native_function.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

namespace iprof::vm {

bool NativeFunction::MayBe(const void* address) {
  if (function_.load(std::memory_order_acquire) == nullptr) Find();
  const void* const function = function_.load(std::memory_order_acquire);
  if (function == nullptr || address == function) return true;
  return !its_library_.Contains(address) && !vm_library_.Contains(address);
}

void NativeFunction::Find() {
  const std::lock_guard lock(mutex_);
  if (function_.load(std::memory_order_relaxed) != nullptr) return;
  void* const library = dlopen(library_, RTLD_LAZY | RTLD_NOLOAD);
  if (library == nullptr) return;
  const void* const function = dlsym(library, symbol_);
  dlclose(library);  // the JVM keeps it loaded
  if (function == nullptr) return;
  its_library_ = LibraryOf(function);
  vm_library_ = LibraryOf(vm_code_);
  function_.store(function, std::memory_order_release);
}

NativeFunction::Range NativeFunction::LibraryOf(const void* inside) {
  struct Search {
    const void* inside;
    Range found;
  } search{inside, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* const wanted = static_cast<Search*>(data);
        Range range{UINTPTR_MAX, 0};
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD) continue;
          const uintptr_t low = info->dlpi_addr + segment.p_vaddr;
          range.low = std::min(range.low, low);
          range.high = std::max(range.high, low + segment.p_memsz);
        }
        if (!range.Contains(wanted->inside)) return 0;
        wanted->found = range;
        return 1;
      },
      &search);
  return search.found;
}

}  // namespace iprof::vm
