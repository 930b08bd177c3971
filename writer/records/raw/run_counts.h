// What a run's note says of its counts (writer/profile/io/run_note.h), at the end of a recording and for a
// snapshot.
//
// Guarantees: pure. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <algorithm>
#include <cstdint>

#include "writer/profile/io/run_note.h"
#include "writer/profile/io/snapshot_note.h"
#include "writer/records/profile_assembly.h"

namespace iprof {

// As a note has it: small enough for sums.
inline int64_t NumberInNote(uint64_t count) {
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX / 8));
}

// How exact the counts are, and what was left out. How far estimates are off is unknown.
void AddCounts(const AssemblyResult& assembly, RunNote* note);
// Notes in the profile which calls are estimated (writer/profile/io/estimate_note.h): of methods that compilers replaced, and of
// those that were without probes; and of the latter how sure they are.
void NoteEstimates(const AssemblyResult& assembly, Profile& profile);
// The numbers of methods of a snapshot, which says whether it was at rest.
void AddCounts(const AssemblyResult& assembly, SnapshotNote* note);
// Threads went on counting while the counts were read: none is exact, and how large k is, is not known.
void NoteCountingGoesOn(RunNote* note);

}  // namespace iprof
