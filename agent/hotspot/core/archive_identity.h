// ArchiveIdentity: whether a file is the class-data archive (CDS) that the JVM of a core had mapped.
//
// Why: parts of a core are read from the archive's file, and archives of other builds, or made
// again by the same one, hold other data at the same addresses.
//
// How: HotSpot writes its build into the archive's header, and a checksum that covers it. It keeps
// the header of its base archive in memory, so the two can be compared. A dynamic archive (on top
// of the base) is compared by its build alone.
//
// Guarantees: pure on the memories' bytes, and bounded. A file that is no archive differs in
// nothing.
// Threads: those of the Memory. Failure: what cannot be read differs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// The first words of an archive's header.
struct ArchiveHead {
  uint32_t magic = 0;
  uint32_t checksum = 0;
  uint32_t version = 0;
  bool operator==(const ArchiveHead&) const = default;
};

// What the JVM's memory says about the JVM and its archive.
struct ArchiveOwner {
  std::string build;                // HotSpot's own description of it
  std::optional<ArchiveHead> base;  // of the archive that it mapped, if its tables have it
};

bool IsArchive(const Memory& file);

// Empty, or why the file is not the archive of this JVM: the end of a sentence about it.
std::string DifferenceOfArchive(const Memory& file, const ArchiveOwner& owner);

}  // namespace iprof::hotspot
