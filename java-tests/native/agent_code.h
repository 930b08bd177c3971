// For libraries that are preloaded into a JVM: which calls come from the agent's code.
//
// Guarantees: before the agent is loaded, none does. Threads: any, except that the agent is loaded by one at a time.
// Failure: none.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#define IPROF_CALLER __builtin_return_address(0)
#define IPROF_EXPORT extern "C" __attribute__((visibility("default")))

namespace iprof {

inline std::atomic<uintptr_t> agent_low{0};
inline std::atomic<uintptr_t> agent_high{0};

inline bool IsAgent(const void* caller) {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  return at >= agent_low.load(std::memory_order_relaxed) &&
         at < agent_high.load(std::memory_order_relaxed);
}

inline int FindAgent(dl_phdr_info* info, size_t, void*) {
  if (std::strstr(info->dlpi_name, "libiprofagent.so") == nullptr) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    agent_low = info->dlpi_addr + segment.p_vaddr;
    agent_high = info->dlpi_addr + segment.p_vaddr + segment.p_memsz;
  }
  return 1;
}

}  // namespace iprof

IPROF_EXPORT void* dlopen(const char* name, int mode) {
  using Open = void* (*)(const char*, int);
  static const Open real = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  void* const library = real(name, mode);
  if (name != nullptr && std::strstr(name, "libiprofagent.so") != nullptr)
    dl_iterate_phdr(iprof::FindAgent, nullptr);
  return library;
}
