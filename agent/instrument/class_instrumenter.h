// ClassInstrumenter: from a class file's bytes to the bytes with counters, and from the counters to
// a profile.
//
// Guarantees:
//  - What cannot be instrumented is left as it was, method by method, and counted by reason. A
//    method whose plan would make it too long to compile gets a lighter one (effort.h).
//  - The same class file (by name and bytes), loaded again by whatever loader or retransformed,
//    gets the same counters: its counts are merged by construction, and repeated loading costs no
//    memory. A class that is counted under another name than its own (a lambda, a proxy) is the
//    same whatever its own name is, see content_hash.h.
//  - What is learned of a class that nobody holds any more is given back (Unload): its counters are
//    used for other classes, its counts are kept beside, within a limit.
//  - Without room in the budget classes are left as they were, and counted; known ones go on.
//  - Classes of one name with different bytes are told apart here; AddTo merges their calls, and
//    where a method's code differs between them writes the branches of the version that was called
//    most often.
//  - A class whose loader may not find the agent's holders reaches its counters as its ChunkAccess
//    says; methods that have no way to them are left alone.
//  - Methods that HotSpot tells by their code are never touched (kept_shapes.h).
// Threads: Instrument, Release and Knows from any thread in any phase, several at a time; no lock is held
// while a class is rewritten or while `output` runs. AddTo and Report whenever, against a
// consistent set of classes; nothing remembers an AddTo but its result.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/classfile/rewriter.h"
#include "agent/instrument/plan/placement.h"
#include "agent/instrument/plan/self_check.h"
#include "agent/instrument/probes/counter_space.h"
#include "agent/instrument/probes/site_probes.h"
#include "agent/instrument/table/class_table.h"
#include "agent/instrument/table/known_classes.h"
#include "agent/instrument/table/memory_budget.h"
#include "writer/methods/live_frame_count.h"
#include "writer/methods/profile_assembly.h"
#include "writer/methods/type_counts.h"
#include "writer/model/model.h"

namespace iprof::instrument {

struct InstrumenterOptions {
  bool calls = true;
  bool branches = true;
  SiteKinds sites;
  double receivers_max_lost = 0.02;  // a site that lost a larger share of its objects is left out
  PlacementPolicy placement = PlacementPolicy::kAutomatic;
  bool self_check = false;
  uint32_t stripes = 1;
  // The longest method that HotSpot compiles, in bytes: none may cross it. 0: it compiles all.
  uint32_t huge_method_limit = classfile::kHugeMethodLimit;
  bool black_holes = false;  // some empty methods are treated as such (kept_shapes.h)
};

// How the code of one class gets at its chunks, where the class's loader may not find the agent's own
// holders. Called while the class is rewritten, on the same thread, with no lock held.
class ChunkAccess {
 public:
  virtual ~ChunkAccess() = default;
  // Through the members that every class inherits (inherited_members.h); no holders then.
  virtual bool inherited() const = 0;
  // The internal name of a class that the loader is sure to find and that stands for the chunk's
  // holder; nothing where there is none.
  virtual std::optional<std::string> CounterHolder(uint32_t chunk) = 0;
  virtual std::optional<std::string> SiteHolder(uint32_t chunk) = 0;
};

struct ClassBytes {
  std::string_view name;  // internal; empty where the JVM does not say
  std::span<const uint8_t> bytes;
  ChunkAccess* access = nullptr;  // null: the loader finds the agent's own holders
};

// What AddTo put into a profile: what was left out and why, and what the counts are worth.
struct AddedCounts {
  AssemblyResult assembly;
  SelfCheckResult self_check;  // empty without InstrumenterOptions::self_check
};

class ClassInstrumenter {
 public:
  // The internal name of a chunk's holder class.
  using HolderName = std::function<std::string(uint32_t chunk)>;

  // The budget may be null.
  ClassInstrumenter(InstrumenterOptions options, CounterSpace& space, HolderName holder_name,
                    MemoryBudget* budget = nullptr);
  // Also counts classes at sites: `sites` is a space of its own.
  void UseSites(CounterSpace& sites, uint32_t sites_in_chunk, HolderName site_holder_name);
  ~ClassInstrumenter();
  ClassInstrumenter(const ClassInstrumenter&) = delete;
  ClassInstrumenter& operator=(const ClassInstrumenter&) = delete;

  // Rewrites the class and copies the result to output(size), unless that answers null. False:
  // nothing to change. The class is held once more in the end, if it is kept at all: `*held` says
  // which. Whoever gives no `held` keeps it for ever.
  bool Instrument(const ClassBytes& input, const std::function<uint8_t*(size_t)>& output,
                  std::optional<ClassId>* held = nullptr);
  // A definition of the class is gone, or never came to be.
  void Release(ClassId held);

  // The counters of unloaded classes, which somebody must read and zero before others get them.
  class Counters {
   public:
    virtual ~Counters() = default;
    // Appends the values of the counters, in order, and zeroes them. False: they could not be had.
    virtual bool Take(CounterRange counters, std::vector<uint64_t>* values) = 0;
    // Appends what the sites met, numbered from `first` on, and forgets it. False: they could not be
    // had, or more may come in for them: they must not be used again.
    virtual bool TakeSites(CounterRange sites, uint32_t first, UnloadedCounts* counts) = 0;
  };
  // Gives back what classes without holds had. Those whose sites' counts may still be under way wait
  // for two rounds: a round ends when all that sites met before it began has come in. One thread;
  // not while AddTo runs.
  void Unload(Counters& counters, uint64_t rounds);
  // Bytes that counts of unloaded classes may take.
  void LimitUnloaded(uint64_t bytes);
  // Is told of classes of which nothing is left.
  void OnForgotten(ClassTable::Forgotten forgotten);

  bool Knows(std::string_view internal_name) const;

  // Where an instruction of a running method stands in the class file; the position itself where
  // the method was not rewritten. Of several versions of a class the one that was loaded last.
  // Nothing where another agent changed the method first, and its positions with it.
  std::optional<uint32_t> OriginalBci(std::string_view internal_class, std::string_view method,
                                      std::string_view descriptor, uint32_t running_bci,
                                      const OriginOf& origin_of = {}) const;

  // Adds types, methods and counts of all classes; `counters` by CounterIndex (missing ones count
  // as 0), `types` by site number.
  AddedCounts AddTo(std::span<const uint64_t> counters, const TypeCounts& types,
                    const LiveFrameCount& live_frames, Profile& profile,
                    const OriginOf& origin_of = {});
  AddedCounts AddTo(std::span<const uint64_t> counters, const LiveFrameCount& live_frames,
                    Profile& profile) {
    return AddTo(counters, TypeCounts(), live_frames, profile);
  }

  // The classes that AddTo would put into a profile, with their counts, for whoever writes them down
  // (writer/methods/class_record_bytes.h). Not while Unload runs.
  std::unique_ptr<const KnownClasses> Classes(std::span<const uint64_t> counters,
                                              const TypeCounts& types,
                                              const OriginOf& origin_of = {});
  AssemblyOptions assembly_options() const;

  ClassTable::Statistics classes() const;

  // Lines about classes and methods, instrumented and left alone by reason, and about the exactness
  // of what AddTo gave.
  std::string Report(const AddedCounts& added) const;

 private:
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

}  // namespace iprof::instrument
