// InputRuns: what an input of a merge says of its runs.
//
// Guarantees: empty for a profile that does not tell (provenance=n, other tools).
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <optional>
#include <vector>

#include "writer/io/run_note.h"
#include "writer/io/snapshot_note.h"
#include "writer/model/model.h"

namespace iprof {

struct InputRuns {
  bool was_read = false;  // otherwise, nothing is known
  std::vector<RunNote> runs;
  std::optional<SnapshotNote>
      snapshot;  // of a raw file, or of a profile that was recovered from one

  static InputRuns Of(const Profile& profile);
};

}  // namespace iprof
