// TypeChunks: the rows inside the JVM in which class-counting sites keep their classes, and the
// spill table behind them.
//
// Rows hold classes that stay until the program ends; the spill table holds all others, and what
// rows had no room for. Of its two halves one is written to; every few seconds they change places,
// and the one that came to rest is drained a period later, when no probe that began before the
// change is still writing: types per site are unbounded, and no class is kept from being unloaded
// for long.
//
// Guarantees and threads as ChunkHolders; Harvest on the agent's thread; Collect on any attached
// thread, VMDeath included. Classes are drained by name, so counts outlive the classes. Whoever
// suspends the agent's thread (a debugger, say) may do so in the middle of a harvest, and Collect
// does without the spill table then.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/instrument/type_counts.h"
#include "agent/instrument/unloaded_counts.h"
#include "agent/vm/chunk_holders.h"
#include "agent/vm/chunk_reach.h"

namespace iprof::vm {

class TypeChunks final : public ChunkHolders {
 public:
  // Turns a class's signature into the name that a profile gives it; nothing where an image has no
  // such class.
  using Naming = std::function<std::optional<std::string>(std::string_view signature)>;

  TypeChunks(instrument::CounterSpace& space, Naming naming, ChunkReach& reach)
      : ChunkHolders(space), naming_(std::move(naming)), reach_(reach) {}

  std::string HolderName(uint32_t chunk) const override;

  // Gives the probes' slow path what it needs to be safe with several threads and loaders: once, at
  // VMInit.
  Status ArmSlowPath(JNIEnv* jni);

  // A hidden class that lives as long as its loader: rows may hold it if that loader stays. Any
  // thread that may run Java code, when the class was just defined; ignored before ArmSlowPath.
  void KeepHidden(JNIEnv* jni, jclass type);

  // Every few seconds: drains the half that was put to rest the period before, and changes halves.
  // Nothing happens while the half in use is empty.
  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Whether the half in use fills faster than harvests come.
  bool FillsUp(JNIEnv* jni) const;

  struct Collected {
    instrument::TypeCounts counts;
    bool whole = true;  // false: a harvest was not over in time, and what it has is missing
  };

  // Everything so far: what was harvested, both halves, all rows. Waits so long for a harvest that
  // is under way.
  Collected Collect(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience);

  // What the sites of unloaded classes have met is all in once two harvests have ended since.
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }
  // Appends what such sites have met, numbered from `first` on, and forgets it. False: their
  // numbers must not be used again. On the agent's thread.
  bool Take(jvmtiEnv* jvmti, JNIEnv* jni, instrument::CounterRange sites, uint32_t first,
            instrument::UnloadedCounts* counts);
  // What the harvested classes take, and may take.
  size_t harvested_bytes();
  void LimitHarvested(size_t bytes);

  uint64_t harvests() const { return harvests_.load(std::memory_order_relaxed); }

 private:
  struct Rows {
    jobjectArray types;  // global references
    jlongArray counts;
  };

  std::string_view RuntimeName() const override;
  std::span<const uint8_t> RuntimeBytes() const override;
  std::vector<uint8_t> HolderBytes(uint32_t chunk) const override;
  Status HandOver(JNIEnv* jni) override;
  Status Adopt(JNIEnv* jni, jclass holder) override;

  // The arrays of the spill table, see IprofTypes; global references.
  struct Spill {
    jobjectArray types;
    jintArray sites;
    jlongArray counts;
    jintArray used;
    jlongArray lost;
    jfieldID half;  // the first slot in use
    jmethodID keep_hidden;
  };

  Status KeepSpill(JNIEnv* jni);
  jsize HalfInUse(JNIEnv* jni) const { return jni->GetStaticIntField(runtime(), spill_.half); }
  jint SlotsUsed(JNIEnv* jni, jsize half) const;
  // Adds up one half of the spill table, which starts at slot `half`.
  void Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half, instrument::TypeCounts& into) const;
  void Clear(JNIEnv* jni, jsize half) const;
  void AddLost(JNIEnv* jni, instrument::TypeCounts& into) const;
  // Empties the rows of a site.
  void TakeRows(jvmtiEnv* jvmti, JNIEnv* jni, uint32_t site, instrument::TypeCounts& into);
  void AddType(jvmtiEnv* jvmti, uint32_t site, jobject type, uint64_t count,
               instrument::TypeCounts& into) const;

  const Naming naming_;
  ChunkReach& reach_;
  Spill spill_{};                   // set by ArmSlowPath
  std::atomic<bool> armed_{false};  // spill_ is there
  mutable std::mutex mutex_;        // guards rows_
  std::vector<Rows> rows_;
  // Guards what follows. Not held while Java code runs, but across calls to the JVM, in which the
  // thread may be suspended.
  std::timed_mutex harvest_mutex_;
  instrument::TypeCounts harvested_;
  bool at_rest_ = false;  // the half not in use is to be drained
  std::atomic<uint64_t> harvests_{0};
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace iprof::vm
