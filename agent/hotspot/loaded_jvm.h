// LoadedJvm: the HotSpot in this process: its exported symbols and its tables. It is found by an
// address in its code. For another process, join BasesOf, ProcessMemory, BlockCache and ElfImage as
// process_memory_test.cc does.
//
// Guarantees: it works however libjvm was loaded (by the launcher, by a program that embeds it, or
// from a file that has since been deleted), because it reads only the mapped memory.
// Threads: any; the object does not change after construction.
// Failure: if the address is not in a HotSpot, there are no symbols and no tables, and every lookup
// returns null or nullopt.
#pragma once

#include <optional>

#include "agent/hotspot/elf_image.h"
#include "agent/hotspot/memory.h"
#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

class LoadedJvm {
 public:
  explicit LoadedJvm(const void* inside);
  LoadedJvm(const LoadedJvm&) = delete;
  LoadedJvm& operator=(const LoadedJvm&) = delete;

  // The address of an exported function or variable, or null.
  void* Symbol(const char* name) const;
  const VmStructs& structs() const { return structs_; }

 private:
  const OwnMemory memory_;
  const std::optional<ElfImage> image_;
  const VmStructs structs_;
};

}  // namespace iprof::hotspot
