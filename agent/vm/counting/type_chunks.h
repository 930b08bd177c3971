// TypeChunks: the rows inside the JVM in which class-counting sites keep their classes, and the
// spill table behind them.
//
// Rows hold classes that stay until the program ends: those of the boot, platform and application
// loaders. All others, and what rows had no room for, go to the SpillTable. So no class is kept from
// being unloaded.
//
// Guarantees and threads as ChunkHolders; Harvest on the agent's thread; Collect on any attached
// thread, VMDeath included.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "agent/vm/counting/chunk_holders.h"
#include "agent/vm/counting/chunk_reach.h"
#include "agent/vm/counting/class_hashes.h"
#include "agent/vm/counting/spill_table.h"
#include "writer/methods/type_counts.h"
#include "writer/methods/unloaded_counts.h"

namespace iprof::vm {

class TypeChunks final : public ChunkHolders {
 public:
  struct Sizes {
    uint32_t spill_slots = 1 << 16;     // in a half of the spill table; a power of two
    size_t hash_names_bytes = 8 << 20;  // native memory for names of classes that may be unloaded
  };

  TypeChunks(instrument::CounterSpace& space, TypeNaming naming, Sizes sizes, ChunkReach& reach)
      : ChunkHolders(space),
        reach_(reach),
        sizes_(sizes),
        hashes_(std::move(naming), sizes.hash_names_bytes),
        spill_(hashes_, sizes.spill_slots) {}

  std::string HolderName(uint32_t chunk) const override;

  // Gives the probes' slow path what it needs to be safe with several threads and loaders: once, at
  // VMInit. From the moment that `report_classes` is called, Prepared must hear of every class.
  Status ArmSlowPath(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<Status()>& report_classes);

  void Prepared(jvmtiEnv* jvmti, JNIEnv* jni, jclass type) { hashes_.Prepared(jvmti, jni, type); }
  // A hidden class that was just defined and has its name. `strong`: it lives as long as its loader,
  // so that rows may hold it if that loader stays. Any thread that may run Java code; ignored before
  // ArmSlowPath.
  void HiddenDefined(jvmtiEnv* jvmti, JNIEnv* jni, jclass type, bool strong);

  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Whether a harvest should come early.
  bool FillsUp(JNIEnv* jni) const;
  uint64_t harvests() const { return spill_.harvests(); }
  HashNames::Statistics hash_statistics() const { return hashes_.names().statistics(); }

  struct Collected {
    TypeCounts counts;
    bool whole = true;  // false: a harvest was not over in time, and what it has is missing
  };

  // Everything so far: what was harvested, both halves, all rows. Waits so long for a harvest that
  // is under way.
  Collected Collect(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience);

  // What the sites of unloaded classes have met is all in once two harvests have ended since.
  uint64_t rounds() const { return spill_.rounds(); }
  // Appends what such sites have met, numbered from `first` on, and forgets it. False: their
  // numbers must not be used again. On the agent's thread.
  bool Take(jvmtiEnv* jvmti, JNIEnv* jni, CounterRange sites, uint32_t first,
            UnloadedCounts* counts);
  // What the harvested classes take, and may take.
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

  // Empties the rows of a site.
  void TakeRows(jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site, TypeCounts& into);

  ChunkReach& reach_;
  const Sizes sizes_;
  ClassHashes hashes_;
  SpillTable spill_;
  jmethodID keep_hidden_ = nullptr;
  std::atomic<bool> armed_{false};  // the slow path and the spill table are ready
  mutable std::mutex mutex_;        // guards rows_
  std::vector<Rows> rows_;
};

}  // namespace iprof::vm
