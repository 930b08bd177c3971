// ClassTable: every class that was examined for counting, and the counts of those that were
// unloaded. (Classes for which there was no room for any counter are not stored, because their
// number is unlimited.)
//
// Guarantees:
// - A class is identified by its name and the hash of its bytes. Adding the same class again
//   returns the existing one, with its counters.
// - A class and its counters stay while it is held. Each of its definitions in the JVM holds it,
//   by any loader, and so does every reader. A class without holds can still be found until
//   it is taken out.
// - All lookups take constant time, however many classes share a name. The mutex is held for one
//   class at a time, and never during a call to the JVM.
// - Of an unloaded class only the counts are kept (Unload), within a limit: the classes with the
//   lowest counts are dropped first, and counted.
// - Classes with equal methods share one content (kept_class.h), and all classes share names.
// Threads: any. Failure: throws std::bad_alloc if memory is short.
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
#include "writer/records/class_record.h"
#include "writer/records/unloaded_counts.h"

namespace iprof::instrument {

enum class ClassId : uint32_t {};

class ClassTable {
 public:
  // Reports the table's size to the budget, which may be null.
  explicit ClassTable(MemoryBudget* budget = nullptr) : budget_(budget) {}

  // Holds and decodes the class; nullopt if the table does not have it. The decoded texts are valid
  // while the class is held.
  std::optional<ClassId> Find(std::string_view name, const Hash128& hash, ClassRecord* decoded);

  struct Added {
    ClassId id;   // held
    bool is_new;  // false: another thread was faster
  };
  Added Add(const ClassRecord& added);

  void Hold(ClassId id);
  void Release(ClassId id);

  // A class that lost its last hold, and how often that had happened by then.
  struct Idle {
    ClassId id;
    uint32_t uses;
  };
  // Returns the classes that became idle since the last call. The caller then calls TakeOut for each
  // of them; before that, no class is returned a second time.
  std::vector<Idle> TakeIdle();
  // Whether the class has sites. If so, counts may still be on their way when it is idle.
  bool HasSites(ClassId id) const;
  // Takes the class out: it cannot be found any more, and its counters belong to the caller.
  // Returns nullopt if the class is held, or was held after it became idle, but by HoldAll. In the second
  // case, TakeIdle returns the class again.
  struct Taken {
    std::vector<CounterRange> counters;
    std::vector<CounterRange> sites;
  };
  std::optional<Taken> TakeOut(const Idle& idle);
  // Completes TakeOut: keeps the counts, or forgets the class if there are none. Counters are
  // numbered from 0 in the order of the taken ranges, and so are sites.
  void Unload(ClassId id, const UnloadedCounts& counts);

  // Limits the memory for counts of unloaded classes, in bytes.
  void LimitUnloaded(uint64_t bytes);
  // Forgets all counts of unloaded classes, except of those that are held.
  void ForgetUnloaded();
  // Called under the table's mutex for each class of which nothing is left. Set it before any class
  // is unloaded.
  using Forgotten = std::function<void(std::string_view name, const Hash128& hash)>;
  void OnForgotten(Forgotten forgotten) { forgotten_ = std::move(forgotten); }

  bool KnowsName(std::string_view name) const;
  // Decodes the wanted methods of the versions of a name, that which was added last first, and unloaded ones after the
  // others. The records have these methods alone. Of more versions than kMostVersions the older ones are left out.
  using Wanted = std::function<bool(std::string_view method, std::string_view descriptor)>;
  static constexpr size_t kMostVersions = 16;
  std::vector<ClassRecord> DecodeVersions(std::string_view name, const Wanted& wanted) const;

  // Holds all classes. They are ordered by name, and versions of a name by hash, so the order of
  // loading has no effect.
  std::vector<ClassId> HoldAll();
  void ReleaseAll(const std::vector<ClassId>& held);
  // The functions below are for classes that are held. CountsOf: whether the class is unloaded, and
  // then its counts.
  bool CountsOf(ClassId id, UnloadedCounts* counts) const;
  // The counters of an unloaded class are numbered from `counter_base`, its sites from `site_base`.
  void Decode(ClassId id, uint32_t counter_base, uint32_t site_base, ClassRecord* decoded) const;
  std::string_view NameOf(ClassId id) const;

  // For a copy of the table in a file. The copy numbers the classes itself, from 0 on, and keeps the
  // counts of an unloaded class under its number.
  struct Changes {
    // The counts of all classes that were unloaded before are void.
    bool forgets_unloaded = false;
    struct Class {
      ClassId id;
      uint32_t number;
    };
    std::vector<Class> added;  // loaded, or unloaded with counts (CountsOf)
    struct Unloaded {
      uint32_t number;
      UnloadedCounts counts;
      std::vector<uint8_t> record;  // EncodeClassRecord, if it was not returned as added
    };
    std::vector<Unloaded> unloaded;
    bool has_more = false;
  };
  // From now on changes are noted, for a new copy. All present classes count as added.
  void NoteChanges();
  void StopNotingChanges();
  // What has changed since the last call; at most this many of the added classes. Their ids are valid
  // until Unload or ForgetUnloaded is called.
  Changes TakeChanges(size_t most);

  struct Statistics {
    uint64_t loaded = 0;            // classes that are known and not unloaded
    uint64_t contents = 0;          // different contents
    uint64_t unloaded = 0;          // unloaded classes with counts
    uint64_t bytes = 0;             // of everything
    uint64_t unloaded_bytes = 0;    // part of it for unloaded classes
    uint64_t dropped = 0;           // unloaded classes without counts
    uint64_t forgotten = 0;         // unloaded classes whose counts were dropped for lack of room
    uint64_t forgotten_counts = 0;  // the sum of those counts
  };
  Statistics statistics() const;

 private:
  struct Entry {
    KeptClass kept;
    std::unique_ptr<uint8_t[]> counts;  // of an unloaded class: EncodeCounts
    uint32_t counts_size = 0;
    uint32_t holds = 0;
    uint32_t uses = 0;                  // how often it was held, but by HoldAll
    uint32_t older = HashIndex::kNone;  // another version of the same name
    uint32_t newer = HashIndex::kNone;
    uint64_t total = 0;   // sum of its counts
    uint64_t charge = 0;  // memory that it takes as an unloaded class
    enum class State : uint8_t { kFree, kLoaded, kTakenOut, kUnloaded } state = State::kFree;
    bool idle = false;                        // TakeIdle has returned it or will
    uint32_t pending = HashIndex::kNone;      // its place in pending_
    uint32_t copy_number = HashIndex::kNone;  // in the copy
  };
  struct Content {
    std::unique_ptr<uint8_t[]> bytes;
    uint32_t size = 0;
    uint32_t uses = 0;
  };

  static uint32_t KeyHash(std::string_view name, const Hash128& hash);
  static uint32_t NameHash(std::string_view name);
  void DecodeWanted(const Entry& entry, const Wanted& wanted, ClassRecord* decoded) const;
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
  void NoteAdded(uint32_t number);
  void NoteUnloaded(uint32_t number, const UnloadedCounts& counts);
  void DropCounts(Entry& entry);
  void SetCounts(Entry& entry, const UnloadedCounts& counts);
  void Forget(uint32_t number);
  void ForgetUnloadedClass(uint32_t number);
  void MakeRoomForUnloaded();
  void TellBudget() const;
  size_t Bytes() const;

  MemoryBudget* const budget_;
  Forgotten forgotten_;
  mutable std::mutex mutex_;  // guards all that follows
  NameTable names_;
  std::vector<std::unique_ptr<Entry>> entries_;  // by ClassId; null if free
  std::vector<uint32_t> free_entries_;
  std::vector<Content> contents_;
  std::vector<uint32_t> free_contents_;
  HashIndex by_key_;           // loaded classes by name and hash
  HashIndex unloaded_by_key_;  // unloaded ones
  HashIndex newest_by_name_;   // of all versions, the one that was added last
  HashIndex content_by_bytes_;
  std::vector<Idle> idle_;
  bool notes_changes_ = false;
  std::vector<uint32_t> pending_;  // added classes, from next_pending_ on; kNone: gone
  size_t next_pending_ = 0;
  uint32_t next_copy_number_ = 0;
  Changes changes_;  // without added classes
  size_t entry_bytes_ = 0;
  size_t content_bytes_ = 0;
  uint64_t unloaded_bytes_ = 0;
  uint64_t unloaded_limit_ = UINT64_MAX;
  Statistics statistics_;
};

}  // namespace iprof::instrument
