// MakeRawProfile: the profile of a raw file, by the code that makes one when a program ends (ProfileSink, FinishForImage).
//
// A snapshot is not taken at one moment: threads go on counting while the counters are read, and the
// frames that are live then are unknown. So, unless nothing was counted in that time, counts are within
// k of the truth where they would be exact at the end, and how large k is, is not known. The profile says so in
// the parts "provenance" and "snapshot" of its section "iprofagent" (writer/profile/io/run_note.h, snapshot_note.h).
//
// If a file that should have HotSpot's own counters lacks them (it is full, or they were damaged), the run says nothing of
// them, and the note says that they are lost.
//
// Guarantees: the same file gives the same profile. If everything that was published is what a session
// had at its end, the profile is that of the session, except for that part.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include "writer/profile/io/snapshot_note.h"
#include "writer/profile/model.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/raw/raw_reader.h"

namespace iprof {

struct RawProfile {
  Profile profile;
  AssemblyResult assembly;
  SnapshotNote note;  // also in the profile
  RunId run{};        // of the raw file, also if the profile does not name it
};

RawProfile MakeRawProfile(const RawContents& contents);

}  // namespace iprof
