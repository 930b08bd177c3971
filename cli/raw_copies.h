// RawCopies: which of the raw files of one process are copies of one recording, of which the newest has all. A process
// that was reset has several recordings; they count nothing twice.
//
// Guarantees: of each recording, one file is kept: the newest, of equally new ones that with the fewest losses, and of equal
// ones the first. A file that does not tell its start (provenance=n, or a lost note) is of the recording that had begun last before
// its snapshot. What is kept does not depend on the order of the files, except for equal ones.
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "writer/io/snapshot_note.h"

namespace iprof::cli {

struct RawCopy {
  int64_t start_ms;  // of the recording; 0: not known
  SnapshotNote note;
};

struct LeftOutCopy {
  size_t copy;
  size_t kept;           // of the same recording
  std::string_view why;  // what to say after "NAME is of the same run"; a literal
};

// Sorted by `copy`.
std::vector<LeftOutCopy> LeaveOutCopies(std::span<const RawCopy> files);

}  // namespace iprof::cli
