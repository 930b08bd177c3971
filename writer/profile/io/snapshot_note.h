// SnapshotNote: says of a profile that it was recovered from a raw file; how old it is, and what is missing. It is a part
// of the profile's section "iprofagent" (agent_section.h):
//   "snapshot": {"files":1,"generation":12,"time":"2026-11-22T23:35:27.120Z","recorded_ms":61000, …}
// The note of a merge adds up files and losses; it has the earliest time, and is at rest only if all
// inputs are.
//
// Guarantees: Parse reads what ToJson returns, also with additional members. Anything else is no
// note. Uniting is commutative and associative.
// Threads: any; pure functions. Failure: what is not a note is nullopt; std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iprof {

struct SnapshotNote {
  int64_t files = 1;       // raw files that were recovered and merged
  int64_t generation = 0;  // the highest
  std::string time{};      // UTC, "2026-11-22T23:35:27.120Z"; the earliest
  // Until the snapshot, without pauses; the sum. 0: the file does not say.
  int64_t recorded_ms = 0;
  bool at_rest = false;  // nothing was counted while it was taken: as exact as a profile of the end
  // Methods that ran, by what is known of their counts.
  int64_t methods_exact = 0;
  int64_t methods_within_k = 0;
  // What the file did not have: because it was full, because records were damaged, or because HotSpot's own
  // counts could not be read.
  int64_t lost_classes = 0;
  int64_t lost_counts = 0;  // counters, receivers, stacks, counts of unloaded classes
  int64_t lost_other = 0;   // types without counts, and what follows
  int64_t lost_notes = 0;   // parts of the section; the frames that were live count as one
  // false: lost_other may have notes, too (notes of earlier versions of iprof).
  bool tells_notes = true;
  int64_t damaged_records = 0;
  // Files in which there seems to be a newer snapshot, which is not whole.
  int64_t newer_damaged = 0;
  bool without_harvest = false;
  bool operator==(const SnapshotNote&) const = default;

  std::string ToJson() const;
  static std::optional<SnapshotNote> Parse(std::string_view json);
  // Adds what the note of another input of a merge says.
  void Unite(const SnapshotNote& other);
  // How much of the snapshot is missing, to compare files of one run. 0: nothing.
  int64_t Losses() const;
  // Without types that did not run and notes: what another file of the run may have counts of.
  int64_t LossesOfCounts() const;
  bool HasLosses() const { return Losses() > 0 || newer_damaged > 0; }
  // For people: "snapshot 12 of 2026-11-22T23:35:27.120Z; …". Without recorded_ms, which the run of the
  // snapshot has, too (run_note.h). `tells_counts`: also how exact the counts are; a single run says that, too.
  std::string Describe(bool tells_counts = true) const;
};

}  // namespace iprof
