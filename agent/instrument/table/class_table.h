// ClassTable: every class that was looked at for counting, and the counts of those that are gone.
// (But for those that came when there was no room for any counter of theirs: there may be classes
// without end.)
//
// Guarantees:
//  - A class is known by its name and the hash of its bytes; adding the same one again gives the
//    one that is there, with its counters.
//  - A class stays, with its counters, while somebody holds it: each definition of it in the JVM
//    does, whatever the loader, and so does whoever reads it. Nobody else may forget it. A class
//    that nobody holds can be found again until it is taken out.
//  - All look-ups take constant time, however many classes share a name. The mutex is held for one
//    class at a time, never across a call to the JVM.
//  - Of a class that is gone, only what was counted is kept (Unload), within a limit: the classes
//    with the fewest counts go first, and are counted.
//  - Classes with equal methods share one content (kept_class.h), and all classes share names.
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/instrument/table/kept_class.h"
#include "agent/instrument/table/memory_budget.h"
#include "writer/base/hash_index.h"
#include "writer/base/name_table.h"
#include "writer/methods/class_record.h"
#include "writer/methods/unloaded_counts.h"

namespace iprof::instrument {

enum class ClassId : uint32_t {};

class ClassTable {
 public:
  // The budget is told the table's size; it may be null.
  explicit ClassTable(MemoryBudget* budget = nullptr) : budget_(budget) {}

  // Holds the class and decodes it; nothing where it is not there. The decoded texts live while the
  // class is held.
  std::optional<ClassId> Find(std::string_view name, const Hash128& hash, ClassRecord* decoded);

  struct Added {
    ClassId id;   // held
    bool is_new;  // false: another thread was faster
  };
  Added Add(const ClassRecord& added);

  void Hold(ClassId id);
  void Release(ClassId id);

  // A class that lost its last hold; how often it had done so by then.
  struct Idle {
    ClassId id;
    uint32_t releases;
  };
  // Those since the last call. Each comes once, until TakeOut takes it or finds it held.
  std::vector<Idle> TakeIdle();
  // Whether any site's objects are counted in the class, of which counts may still be under way
  // when it is idle.
  bool HasSites(ClassId id) const;
  // Takes the class out: it cannot be found any more, and its counters are the caller's. Nothing
  // where somebody holds it; nor where it was held meanwhile, and then it is idle from now on.
  struct Taken {
    std::vector<CounterRange> counters;
    std::vector<CounterRange> sites;
  };
  std::optional<Taken> TakeOut(const Idle& idle);
  // Ends what TakeOut began: keeps the counts, or forgets the class where there are none. Counters
  // are numbered from 0 in the order of the taken ranges, and so are sites.
  void Unload(ClassId id, const UnloadedCounts& counts);

  // Bytes that counts of unloaded classes may take.
  void LimitUnloaded(uint64_t bytes);
  // Is told of each class of which nothing is left; under the table's mutex. Before any class goes.
  using Forgotten = std::function<void(std::string_view name, const Hash128& hash)>;
  void OnForgotten(Forgotten forgotten) { forgotten_ = std::move(forgotten); }

  bool KnowsName(std::string_view name) const;
  // The version that was added last; an unloaded one where there is no other.
  bool DecodeLatest(std::string_view name, ClassRecord* decoded) const;

  // All classes in the order of their names, versions of one name in that of their hashes: the
  // order of loading leaves no trace. All are held.
  std::vector<ClassId> HoldAll();
  void ReleaseAll(const std::vector<ClassId>& held);
  // What follows is for classes that are held. Whether this one is unloaded; its counts then.
  bool CountsOf(ClassId id, UnloadedCounts* counts) const;
  // The counters of an unloaded class are numbered from `counter_base`, its sites from `site_base`.
  void Decode(ClassId id, uint32_t counter_base, uint32_t site_base, ClassRecord* decoded) const;
  std::string_view NameOf(ClassId id) const;

  struct Statistics {
    uint64_t loaded = 0;            // classes that are known, and not gone
    uint64_t contents = 0;          // different ones
    uint64_t unloaded = 0;          // that are gone and left counts
    uint64_t bytes = 0;             // of everything
    uint64_t unloaded_bytes = 0;    // of this what the unloaded ones take
    uint64_t dropped = 0;           // were unloaded, and nothing was counted in them
    uint64_t forgotten = 0;         // unloaded classes whose counts were given up for want of room
    uint64_t forgotten_counts = 0;  // the sum of these
  };
  Statistics statistics() const;

 private:
  struct Entry {
    KeptClass kept;
    std::unique_ptr<uint8_t[]> counts;  // of an unloaded class: EncodeCounts
    uint32_t counts_size = 0;
    uint32_t holds = 0;
    uint32_t releases = 0;              // times that it lost its last hold
    uint32_t older = HashIndex::kNone;  // another version of the same name
    uint32_t newer = HashIndex::kNone;
    uint64_t total = 0;   // of its counts
    uint64_t charge = 0;  // what it takes as an unloaded class
    enum class State : uint8_t { kFree, kLoaded, kTakenOut, kUnloaded } state = State::kFree;
    bool idle = false;  // TakeIdle gave it, or will
  };
  struct Content {
    std::unique_ptr<uint8_t[]> bytes;
    uint32_t size = 0;
    uint32_t uses = 0;
  };

  static uint32_t KeyHash(std::string_view name, const Hash128& hash);
  static uint32_t NameHash(std::string_view name);
  static uint32_t ContentHash(std::span<const uint8_t> bytes);
  std::span<const uint8_t> BytesOf(uint32_t content) const {
    return {contents_[content].bytes.get(), contents_[content].size};
  }
  Entry& At(ClassId id) { return *entries_[static_cast<uint32_t>(id)]; }
  const Entry& At(ClassId id) const { return *entries_[static_cast<uint32_t>(id)]; }

  uint32_t FindKey(const HashIndex& index, std::string_view name, const Hash128& hash) const;
  uint32_t NewEntry();
  uint32_t KeepContent(std::vector<uint8_t> bytes);
  void ReleaseContent(uint32_t content);
  void LinkName(uint32_t number);
  void UnlinkName(uint32_t number);
  void Free(uint32_t number);
  void DropCounts(Entry& entry);
  void SetCounts(Entry& entry, const UnloadedCounts& counts);
  void Forget(uint32_t number);
  void MakeRoomForUnloaded();
  void TellBudget() const;
  size_t Bytes() const;

  MemoryBudget* const budget_;
  Forgotten forgotten_;
  mutable std::mutex mutex_;  // guards all that follows
  NameTable names_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by ClassId; null where free
  std::vector<uint32_t> free_entries_;
  std::vector<Content> contents_;
  std::vector<uint32_t> free_contents_;
  HashIndex by_key_;           // loaded classes by name and hash
  HashIndex unloaded_by_key_;  // unloaded ones
  HashIndex newest_by_name_;   // of all versions the one that was added last
  HashIndex content_by_bytes_;
  std::vector<Idle> idle_;
  size_t entry_bytes_ = 0;
  size_t content_bytes_ = 0;
  uint64_t unloaded_bytes_ = 0;
  uint64_t unloaded_limit_ = UINT64_MAX;
  Statistics statistics_;
};

}  // namespace iprof::instrument
