// TypeChunks: the rows inside the JVM in which class-counting sites keep their classes, and the
// spill table behind them.
//
// Rows hold classes that stay until the program ends; the spill table holds all others, and what
// rows had no room for. The table is swapped for an empty one every few seconds and the old one
// drained a period later, when no probe that began before the swap is still writing: types per site
// are unbounded, and no class is kept from being unloaded for long.
//
// Guarantees and threads as ChunkHolders; Harvest on the agent's thread; Collect on any attached
// thread, VMDeath included. Classes are drained by name, so counts outlive the classes.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/instrument/type_counts.h"
#include "agent/vm/chunk_holders.h"

namespace iprof::vm {

class TypeChunks final : public ChunkHolders {
 public:
  // Turns a class's signature into the name that a profile gives it; nothing where an image has no
  // such class.
  using Naming = std::function<std::optional<std::string>(std::string_view signature)>;

  TypeChunks(instrument::CounterSpace& space, Naming naming)
      : ChunkHolders(space), naming_(std::move(naming)) {}

  std::string HolderName(uint32_t chunk) const override;

  // Gives the probes' slow path what it needs to be safe with several threads and loaders: once, at
  // VMInit.
  Status ArmSlowPath(JNIEnv* jni);

  // Every few seconds: drains the table of the period before and swaps the current one. Nothing
  // happens while the current table is empty.
  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Whether the current table fills faster than harvests come.
  bool FillsUp(JNIEnv* jni) const;

  // Everything so far: what was harvested, both tables, all rows.
  instrument::TypeCounts Collect(jvmtiEnv* jvmti, JNIEnv* jni);

  uint64_t harvests() const { return harvests_; }

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

  jint SlotsUsed(JNIEnv* jni, jobjectArray spill) const;
  jobjectArray CurrentSpill(JNIEnv* jni) const;
  void Drain(jvmtiEnv* jvmti, JNIEnv* jni, jobjectArray spill, instrument::TypeCounts& into) const;
  void AddType(jvmtiEnv* jvmti, uint32_t site, jobject type, uint64_t count,
               instrument::TypeCounts& into) const;

  const Naming naming_;
  mutable std::mutex mutex_;  // guards rows_
  std::vector<Rows> rows_;
  std::mutex harvest_mutex_;  // guards what follows; never held by an application thread
  instrument::TypeCounts harvested_;
  jobjectArray draining_ = nullptr;  // global reference: swapped out, to be drained next time
  uint64_t harvests_ = 0;
};

}  // namespace iprof::vm
