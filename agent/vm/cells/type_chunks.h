// TypeChunks: the rows inside the JVM in which class-counting sites keep their classes, and the
// spill table for the rest.
//
// Rows hold classes that are never unloaded: those of the boot, platform and application loaders.
// All others, and those for which rows have no room, go to the SpillTable. So no class is prevented
// from being unloaded.
//
// Guarantees, threads and failure: as ChunkHolders. Harvest on the agent's thread; Collect on any
// attached thread, including VMDeath.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "agent/vm/cells/chunk_holders.h"
#include "agent/vm/cells/chunk_reach.h"
#include "agent/vm/cells/class_hashes.h"
#include "agent/vm/cells/row_pairs.h"
#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/cells/spill_table.h"
#include "agent/vm/cells/type_pairs.h"
#include "writer/records/counter_range.h"
#include "writer/records/type_counts.h"
#include "writer/records/unloaded_counts.h"

namespace iprof::vm {

class TypeChunks final : public ChunkHolders {
 public:
  struct Sizes {
    uint32_t spill_slots = 1 << 16;     // in one half of the spill table; a power of two
    size_t hash_names_bytes = 8 << 20;  // native memory for names of classes that may be unloaded
  };

  TypeChunks(instrument::CounterSpace& space, const ClassSource& classes, TypeNaming naming,
             Sizes sizes, ChunkReach& reach)
      : ChunkHolders(space),
        reach_(reach),
        sizes_(sizes),
        hashes_(classes, std::move(naming), sizes.hash_names_bytes),
        spill_(hashes_, sizes.spill_slots),
        row_pairs_(size_t{kChunkSites} * kSiteRows) {}

  std::string HolderName(uint32_t chunk) const override;

  // Gives the probes' slow path what it needs to be safe with several threads and loaders. Call it
  // once, at VMInit. From the call of `report_classes` on, Prepared must be called for every class.
  Status ArmSlowPath(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<Status()>& report_classes);

  // The classes that are loaded now, of which Prepared may not have heard.
  void LearnLoaded(jvmtiEnv* jvmti, JNIEnv* jni) { hashes_.LearnLoaded(jvmti, jni); }
  void Prepared(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) { hashes_.Prepared(jvmti, jni, type); }
  // Call it for a hidden class that was just defined and named. `strong`: it lives as long as its
  // loader, so rows may hold it if that loader is never unloaded. Any thread that may run Java
  // code. A no-op before ArmSlowPath.
  void HiddenDefined(jvmtiEnv* jvmti, JNIEnv* jni, jclass type, bool strong);

  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Whether a harvest should come early.
  bool FillsUp(JNIEnv* jni) const;
  uint64_t harvests() const { return spill_.harvests(); }
  HashNames::Statistics hash_statistics() const { return hashes_.names().statistics(); }

  struct Collected {
    TypeCounts counts;
    bool whole = true;  // false: a harvest did not end in time, and its counts are missing
  };

  // Returns everything so far: what was harvested, both halves, all rows. Waits up to `patience`
  // for a harvest in progress.
  Collected Collect(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience) const;

  // The same as pairs, again and again; see SpillTable::AddTo. Not while Take runs. Returns false if
  // a harvest did not end in time.
  bool Collect(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience, TypePairs* pairs);
  // The pairs have other numbers from the next call on. Any thread, also while Take runs.
  void ForgetPairs();
  // Frees what is kept for the next call. Not while Take runs.
  void DropPairs(std::chrono::milliseconds patience);
  // On the thread that collects pairs.
  size_t pairs_bytes() const;

  // All counts of an unloaded class's sites are included once two harvests have ended since.
  uint64_t rounds() const { return spill_.rounds(); }
  // Appends the counts of such sites, numbered from `first` on, and clears them. `release` is called with what each
  // site saw, which it may change. Returns false if the sites' numbers must not be reused. On the agent's thread.
  bool Take(jvmtiEnv* jvmti, JNIEnv* jni, CounterRange sites, uint32_t first,
            const std::function<void(uint32_t site, TypeCounts& seen)>& release,
            UnloadedCounts* counts);
  // The memory of the harvested classes, and its limit.
  size_t harvested_bytes() { return spill_.harvested_bytes(); }
  void LimitHarvested(size_t bytes) { spill_.LimitHarvested(bytes); }

 private:
  struct Rows {
    jobjectArray types;  // global references
    jlongArray counts;
  };

  std::string_view RuntimeName() const override;
  std::vector<uint8_t> RuntimeBytes() const override;
  std::vector<uint8_t> HolderBytes(uint32_t chunk) const override;
  Status HandOver(JNIEnv* jni) override;
  Status Adopt(JNIEnv* jni, jclass holder) override;

  std::vector<Rows> AllRows() const;
  template <typename Visit>
  static void ForEachRow(JNIEnv* jni, const std::vector<Rows>& rows, Visit visit);
  // Empties the rows of a site.
  void TakeRows(jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site, TypeCounts& into);

  ChunkReach& reach_;
  const Sizes sizes_;
  mutable ClassHashes hashes_;
  mutable SpillTable spill_;
  jmethodID keep_hidden_ = nullptr;
  std::atomic<bool> armed_{false};  // the slow path and the spill table are ready
  mutable std::mutex mutex_;        // guards rows_
  std::vector<Rows> rows_;
  RowPairs row_pairs_;  // for Collect; guarded by the owner's lock, as Collect and Take are
  std::atomic<bool> forgets_rows_{false};  // row_pairs_ has numbers of before
};

}  // namespace iprof::vm
