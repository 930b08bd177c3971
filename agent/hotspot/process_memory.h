// ProcessMemory: reads the memory of another process (or of this one), whatever its addresses are.
//
// Guarantees: an address that is not mapped, or that the kernel does not let us read, fails the read; nothing faults, nothing
// is written, and the process is not stopped. So what it writes meanwhile may be seen half. Needs the right to ptrace the
// process: the same user where kernel.yama.ptrace_scope is 0, else CAP_SYS_PTRACE; OpenProcess says so.
//
// PageCache remembers the pages that it has read: for data that does not change, such as the tables of VmStructs and the
// symbols of a library, which would take a system call for each name. One thread at a time.
#pragma once

#include <sys/types.h>

#include <unordered_map>
#include <vector>

#include "agent/hotspot/memory.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

class ProcessMemory final : public Memory {
 public:
  explicit ProcessMemory(pid_t pid) : pid_(pid) {}

  bool Read(Address from, void* into, size_t size) const override;
  std::optional<std::string> Text(Address from, size_t most = 4096) const override;

  // Whether the process can be read at all, and why not: `at` is an address that it surely has.
  Status Check(Address at) const;

 private:
  const pid_t pid_;
};

class PageCache final : public Memory {
 public:
  explicit PageCache(const Memory& memory) : memory_(memory) {}

  bool Read(Address from, void* into, size_t size) const override;

 private:
  using Page = std::vector<unsigned char>;  // empty: it cannot be read

  const Page& At(Address page) const;

  const Memory& memory_;
  mutable std::unordered_map<Address, Page> pages_;
};

}  // namespace iprof::hotspot
