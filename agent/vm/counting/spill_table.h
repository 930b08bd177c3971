// SpillTable: reads and empties the table inside the JVM that counts classes for which a site has
// no row; see IprofTypes.
//
// One of its two halves is written to. Every few seconds they are swapped. The half that is no
// longer written to is drained one period later, when no probe that began before the swap is still
// writing. So the number of types per site is unlimited. Classes that may be unloaded are in the
// table by identity hash; ClassHashes names them.
//
// Guarantees: counts outlive their classes. An object whose class is not known for sure counts as
// lost. If the agent's thread is suspended in the middle of a harvest (by a debugger, say), AddTo
// continues without the table.
// Threads: Adopt once, at VMInit; Harvest on the agent's thread; AddTo on any attached thread,
// including VMDeath.
// Failure: Adopt returns a Status; AddTo returns false if the harvest did not end in time.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "agent/vm/counting/class_hashes.h"
#include "writer/base/status.h"
#include "writer/methods/type_counts.h"

namespace iprof::vm {

class SpillTable {
 public:
  // `slots` in each half.
  SpillTable(ClassHashes& hashes, uint32_t slots)
      : hashes_(hashes), slots_(static_cast<jsize>(slots)) {}

  Status Adopt(JNIEnv* jni, jclass runtime);

  // Drains the half that was swapped out one period ago, forgets classes that are gone, and swaps
  // the halves unless the current one is empty.
  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Whether the current half fills faster than harvests come.
  bool FillsUp(JNIEnv* jni) const;
  uint64_t harvests() const { return harvests_.load(std::memory_order_relaxed); }
  // What was counted before a harvest is included once the following harvest has ended.
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

  // Adds everything so far. Returns false if a harvest did not end in time; its counts are then
  // missing.
  bool AddTo(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience, TypeCounts& into);
  // Adds the counts that found no slot, for sites below the limit.
  void AddLost(JNIEnv* jni, uint32_t site_limit, TypeCounts& into) const;
  // The counts that found no slot, of this site and those that share its place.
  uint64_t LostAt(JNIEnv* jni, uint32_t site) const;

  // Moves the harvested counts of a site to `into`, and returns what the site lost.
  uint64_t TakeHarvested(uint32_t site, TypeCounts& into);
  // The memory of the harvested classes, and its limit.
  size_t harvested_bytes();
  void LimitHarvested(size_t bytes);

 private:
  jsize HalfInUse(JNIEnv* jni) const { return jni->GetStaticIntField(runtime_, half_); }
  jint SlotsUsed(JNIEnv* jni, jsize half) const;
  // Adds up one half, which starts at slot `half`.
  void Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half, TypeCounts& into);
  void Clear(JNIEnv* jni, jsize half) const;
  HashNames::Answer Find(jvmtiEnv* jvmti, JNIEnv* jni, int32_t hash, bool& walked);

  ClassHashes& hashes_;
  const jsize slots_;
  jclass runtime_ = nullptr;
  // Global references to the table's arrays.
  jlongArray keys_ = nullptr;
  jlongArray counts_ = nullptr;
  jobjectArray types_ = nullptr;
  jintArray used_ = nullptr;
  jlongArray lost_ = nullptr;
  jfieldID half_ = nullptr;  // the first slot of the current half
  // Guards the members below, and the sweeping of the hashes. Not held while Java code runs, but
  // held during calls to the JVM, in which the thread may be suspended.
  std::timed_mutex mutex_;
  TypeCounts harvested_;
  bool at_rest_ = false;  // the other half must be drained
  std::atomic<uint64_t> harvests_{0};
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace iprof::vm
