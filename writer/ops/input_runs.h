// InputRuns: what an input of a merge says of its runs.
//
// Guarantees: empty for a profile that does not say it (provenance=n, other tools). NoteRun completes that of a raw file,
// whose snapshot says of which run it is also where the profile does not.
// Threads: any; pure. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "writer/base/run_id.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/io/snapshot_note.h"
#include "writer/profile/model.h"

namespace iprof {

struct InputRuns {
  bool was_read = false;  // otherwise, nothing is known
  std::vector<RunNote> runs;
  size_t older = 0;  // runs that are only counted
  std::optional<SnapshotNote>
      snapshot{};  // of a raw file, or of a profile that was recovered from one

  static InputRuns Of(const Profile& profile);
  void NoteRun(RunId run);
  // Whether it says of each of its runs which one that is.
  bool KnowsAll() const;
};

}  // namespace iprof
