// LoadedJvm: the HotSpot of this process, found by an address in its code: its exported symbols, and the tables in which it
// says where its data is.
//
// Guarantees: works however libjvm was loaded (by the launcher, privately by a program that embeds it, from a file that was
// deleted since), because nothing but its memory is read. Where it is no HotSpot, there are no symbols and no tables; every
// question is then answered with nothing. Any thread; nothing changes after construction.
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

  // An exported function or variable; null where there is none.
  void* Symbol(const char* name) const;
  const VmStructs& structs() const { return structs_; }

 private:
  const OwnMemory memory_;
  const std::optional<ElfImage> image_;
  const VmStructs structs_;
};

}  // namespace iprof::hotspot
