// ClassInstrumenter: from a class file's bytes to the bytes with counters, and from the counters to
// a profile.
//
// Guarantees:
// - What cannot be instrumented is left unchanged, method by method, and counted by reason. If a
//   method's plan would make it too long to compile, it gets a lighter plan
//   (writer/records/effort.h).
// - The same class file (by name and bytes) always gets the same counters: loaded again, by any
//   loader, or retransformed. So its counts are merged without further work, and repeated loading
//   takes no memory. A class that is counted under another name than its own (a lambda, a proxy) is
//   the same for every name of its own, see content_hash.h.
// - What is known of a class without holds is freed (Unload): its counters are used for other
//   classes, and its counts are kept separately, within a limit.
// - If the budget has no room, new classes are left unchanged and counted; known classes are still
//   instrumented.
// - Classes with the same name and different bytes are distinguished here. AddTo adds up their
//   calls. If a method's code differs between them, it writes the branches of the version that was
//   called most often.
// - A class whose loader may not find the agent's holders reaches its counters as its ChunkAccess
//   says. Methods without access to them are left unchanged.
// - Methods that HotSpot recognises by their code are never changed (kept_shapes.h).
// Threads: Instrument, Release and Knows on any thread in any phase, several at a time; no lock is
// held while a class is rewritten or while `output` runs. AddTo and Report at any time; they see a
// consistent set of classes. AddTo keeps no state; its result has everything.
// Failure: Instrument returns false and the class stays as it was; Report says how many and why.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/instrument/chunk_access.h"
#include "agent/instrument/instrumenter_options.h"
#include "agent/instrument/method_instrumenter.h"
#include "agent/instrument/outcome_tally.h"
#include "agent/instrument/probes/counter_space.h"
#include "agent/instrument/table/class_table.h"
#include "agent/instrument/table/frozen_methods.h"
#include "agent/instrument/table/known_classes.h"
#include "agent/instrument/table/memory_budget.h"
#include "agent/plan/self_check.h"
#include "writer/base/code_stamp.h"
#include "writer/profile/model.h"
#include "writer/records/counter_range.h"
#include "writer/records/live_frame_count.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"
#include "writer/records/unloaded_counts.h"

namespace iprof::instrument {

// Access to the counters of unloaded classes. They must be read and set to zero before other
// classes get them.
class FreedCounters {
 public:
  virtual ~FreedCounters() = default;
  // Appends the values of the counters, in order, and sets them to zero. Returns false if that is
  // not possible.
  virtual bool Take(CounterRange counters, std::vector<uint64_t>* values) = 0;
  // Appends the counts of the sites, numbered from `first` on, and clears them. Returns false if
  // that is not possible, or if more counts may follow; then the sites must not be reused.
  virtual bool TakeSites(CounterRange sites, uint32_t first, UnloadedCounts* counts) = 0;
};

// What is kept of unloaded classes, and when their counters may be reused: only after they were
// read and set to zero, and never if that fails. If counts of a class's sites may still be on their
// way, the class waits for two rounds. A round has ended when everything that sites counted before
// it began has been collected.
// Example: a class becomes idle in round 7. Its counters are read and freed in round 9.
class ClassUnloading {
 public:
  ClassUnloading(ClassTable& table, InstrumentSpaces& spaces) : table_(table), spaces_(spaces) {}

  // Takes classes out of the table that are not held and have waited long enough. `rounds` is the
  // number of rounds that have ended.
  void Unload(FreedCounters& counters, uint64_t rounds);
  // Whether it would take any.
  bool IsDue(uint64_t rounds);

 private:
  using Waiting = std::pair<ClassTable::Idle, uint64_t>;
  void NoteIdle(uint64_t rounds);
  bool HasWaited(const Waiting& waiting, uint64_t rounds) const;
  UnloadedCounts Collect(const ClassTable::Taken& taken, FreedCounters& counters);

  ClassTable& table_;
  InstrumentSpaces& spaces_;
  // Idle classes, with the round in which each was found idle.
  std::vector<Waiting> idle_;
};

struct ClassBytes {
  std::string_view name;  // internal; empty if the JVM does not say
  std::span<const uint8_t> bytes;
  ChunkAccess* access = nullptr;  // null: the loader finds the agent's own holders
};

// What AddTo put into a profile: what was left out and why, and how exact the counts are.
struct AddedCounts {
  AssemblyResult assembly;
  SelfCheckResult self_check;  // empty without InstrumenterOptions::self_check
};

class ClassInstrumenter {
 public:
  // The budget may be null.
  ClassInstrumenter(InstrumenterOptions options, CounterSpace& space, HolderName holder_name,
                    MemoryBudget* budget = nullptr);
  // From now on, objects' classes are counted at sites too. `sites` is a separate space.
  void UseSites(CounterSpace& sites, uint32_t sites_in_chunk, HolderName site_holder_name);
  // From now on, classes get probes that take stacks. Any thread.
  void Watch(WatchedSites& sites);
  ~ClassInstrumenter();
  ClassInstrumenter(const ClassInstrumenter&) = delete;
  ClassInstrumenter& operator=(const ClassInstrumenter&) = delete;

  // Rewrites the class and copies the result to output(size), unless that returns null. Returns
  // false if there is nothing to change. If the class is kept, it is held once more afterwards, and
  // `*held` is its id. Without `held` it is kept forever.
  bool Instrument(const ClassBytes& input, const std::function<uint8_t*(size_t)>& output,
                  std::optional<ClassId>* held = nullptr);
  // A definition of the class was unloaded, or failed.
  void Release(ClassId held);

  // Frees what classes without holds had. If counts of their sites may still be on their way, they
  // wait for two rounds. A round has ended when everything that sites counted before it began has
  // been collected. One thread; not while AddTo runs.
  void Unload(FreedCounters& counters, uint64_t rounds);
  // Whether Unload would free something.
  bool IsUnloadDue(uint64_t rounds);
  // Limits the memory for counts of unloaded classes, in bytes.
  void LimitUnloaded(uint64_t bytes);
  // Forgets the counts of unloaded classes. Not while AddTo or Unload runs.
  void ForgetUnloaded();
  // Frees the memory for rewriting that was not used since the last call. Any thread.
  void TrimWorkers();
  // Called for classes of which nothing is left.
  void OnForgotten(ClassTable::Forgotten forgotten);

  // The methods that are left without probes from now on, when their class is instrumented again.
  // Their counters stay theirs.
  FrozenMethods& frozen();

  bool Knows(std::string_view internal_name) const;

  // The position of an instruction in a running method.
  struct RunningPosition {
    std::string_view method;
    std::string_view descriptor;
    uint32_t running;
    CodeStamp code = {};  // of the code that ran
    // That in the class file. nullopt: not known, because other agents change the method, or because the versions of the
    // class, with and without probes, that have such code do not all give the same position.
    std::optional<uint32_t> original = std::nullopt;
    uint32_t original_length = 0;  // of the method's code in the class file, if it is known
    bool is_recorded =
        false;  // otherwise its code was never changed here, and `original` is `running`
  };
  // Classes run, or ran, without probes: because counting starts late, or was stopped.
  void NoteOwnCodeRuns();
  // Fills all but the first four, for positions in one class.
  void OriginalBcis(std::string_view internal_class, std::span<RunningPosition> positions,
                    const OriginOf& origin_of = {}) const;

  // Adds types, methods and counts of all classes. `counters` are by CounterIndex (missing ones are
  // 0), `types` by site number.
  AddedCounts AddTo(std::span<const uint64_t> counters, const TypeCounts& types,
                    const LiveFrameCount& live_frames, Profile& profile,
                    const OriginOf& origin_of = {});
  AddedCounts AddTo(std::span<const uint64_t> counters, const LiveFrameCount& live_frames,
                    Profile& profile) {
    return AddTo(counters, TypeCounts(), live_frames, profile);
  }

  // With InstrumenterOptions::self_check, what AddTo would say of it.
  SelfCheckResult CheckSelf(std::span<const uint64_t> counters,
                            const LiveFrameCount& live_frames) const;

  // The classes that AddTo would put into a profile, with their counts, for example to write them
  // to a file (writer/records/class_record_bytes.h). Not while Unload runs.
  std::unique_ptr<const KnownClasses> Classes(std::span<const uint64_t> counters,
                                              const TypeCounts& types,
                                              const OriginOf& origin_of = {});
  AssemblyOptions assembly_options() const;
  // For a copy that is kept up to date (ClassTable::TakeChanges).
  ClassTable& table();

  ClassTable::Statistics classes() const;
  OutcomeTally::Sums sums() const;

  // Lines about classes and methods, instrumented or left unchanged by reason, and about the
  // exactness of AddTo's counts.
  // For a user: what was counted, what was left out and why, and how exact the counts are.
  std::string Summary(const AddedCounts& added) const;
  // How it was counted.
  std::string Report(const AddedCounts& added) const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace iprof::instrument
