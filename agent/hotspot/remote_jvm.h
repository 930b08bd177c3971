// RemoteJvm: the HotSpot in another process or in a core file, read from outside: its tables and
// flags.
//
// Guarantees: reads only what is mapped in the process, so it does not matter if libjvm's file was
// replaced or is in a container.
// Threads: one. Failure: Open returns a sentence.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "agent/hotspot/block_cache.h"
#include "agent/hotspot/metadata_layout.h"
#include "agent/hotspot/vm_flags.h"
#include "agent/hotspot/vm_structs.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

// Why a libjvm.so is refused that is in memory whole and is not HotSpot's, however long one waits.
inline constexpr char kNoTables[] =
    "has a libjvm.so without HotSpot's tables (gHotSpotVMStructs): it is not HotSpot, or its "
    "symbols "
    "were stripped";

class RemoteJvm {
 public:
  // `bases`: where files with the name libjvm.so are mapped. The memory must outlive the object.
  static Result<std::unique_ptr<RemoteJvm>> Open(const Memory& memory,
                                                 std::span<const Address> bases);

  // Reads each block once. For what changes, make another BlockCache.
  const Memory& tables() const { return cache_; }
  const MetadataLayout& layout() const { return layout_; }
  const VmFlags& flags() const { return *flags_; }
  // As "17.0.15+6-Debian-1deb12u1", and the main class or jar with its arguments; empty if the tables
  // do not have them.
  std::string Version() const { return StaticText("Abstract_VM_Version", "_s_vm_release"); }
  std::string JavaCommand() const { return StaticText("Arguments", "_java_command"); }
  // As HotSpot writes it into archives: its kind, version, platform and when it was built.
  std::string Build() const {
    return StaticText("Abstract_VM_Version", "_s_internal_vm_info_string");
  }
  // Where its copy of the header of its base class-data archive is; 0: it has none, or the tables
  // do not say where.
  Address ArchiveHeader() const;

 private:
  std::string StaticText(const char* type, const char* field) const;
  explicit RemoteJvm(const Memory& memory) : cache_(memory) {}

  BlockCache cache_;
  std::unique_ptr<VmStructs> structs_;
  std::unique_ptr<VmFlags> flags_;
  MetadataLayout layout_;
};

}  // namespace iprof::hotspot
