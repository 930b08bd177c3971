// RunRecord: what a session's profiles say about the run that they were recorded in (RunNote).
//
// A run goes on after a stop and a start, because its counts do: what is written then has all that was counted before
// the stop. A reset begins another one, with its own identity.
//
// Guarantees: of the program it has only the main class or the name of the file behind -jar, without
// arguments and folders.
// Threads: Learn and SetBegin before all else; then any. Failure: what is not known is left out; std::bad_alloc.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "agent/settings/options.h"
#include "writer/base/run_id.h"
#include "writer/profile/io/run_note.h"
#include "writer/profile/model.h"

namespace iprof::vm {

// The tables that the options ask for: "calls", "branches" …
std::vector<std::string_view> TablesOf(const Options& options);

class RunRecord {
 public:
  // In the OnLoad or live phase.
  void Learn(jvmtiEnv* jvmti, const Options& options);
  // See RunNote::begin. Before Begin.
  void SetBegin(std::string_view begin) { facts_.begin = begin; }

  // The recording begins, or goes on.
  void Begin();
  void Pause();
  // Forgets what was recorded so far: another run begins.
  void Reset();

  // What is known now, without exactness and losses.
  RunNote Note() const;

 private:
  RunNote facts_;
  mutable std::mutex mutex_;  // guards the rest
  RunId id_;
  int64_t start_ms_ = 0;     // of the whole window; 0: it has not begun
  int64_t begin_ms_ = 0;     // of what is being recorded; 0: nothing is
  int64_t end_ms_ = 0;       // of what was recorded last
  int64_t recorded_ms_ = 0;  // before begin_ms_
};

// Writes the note into the profile, whose hashes of code FinishForImage writes; or forgets the hashes if
// the user wants neither.
void NoteProvenance(const Options& options, const RunNote& note, Profile& profile);

}  // namespace iprof::vm
