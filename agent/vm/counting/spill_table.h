// SpillTable: reads and empties the table inside the JVM that counts classes for which a site has
// no row; see IprofTypes.
//
// Of its two halves one is written to. Every few seconds they change places, and the one that came
// to rest is drained a period later, when no probe that began before the change is still writing:
// types per site are unbounded. Classes that may be unloaded are in it by identity hash and named
// by ClassHashes.
//
// Guarantees: counts outlive their classes; an object whose class is not known for sure counts as
// lost. Whoever suspends the agent's thread (a debugger, say) may do so in the middle of a harvest,
// and AddTo does without the table then.
// Threads: Adopt once, at VMInit; Harvest on the agent's thread; AddTo on any attached thread,
// VMDeath included.
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
  // `slots` in a half.
  SpillTable(ClassHashes& hashes, uint32_t slots)
      : hashes_(hashes), slots_(static_cast<jsize>(slots)) {}

  Status Adopt(JNIEnv* jni, jclass runtime);

  // Drains the half that was put to rest the period before, forgets classes that are gone, and
  // changes halves unless the one in use is empty.
  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Whether the half in use fills faster than harvests come.
  bool FillsUp(JNIEnv* jni) const;
  uint64_t harvests() const { return harvests_.load(std::memory_order_relaxed); }
  // What was met before a harvest is in once the one after it has ended.
  uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }

  // Adds everything so far. False: a harvest was not over in time, and what it has is missing.
  bool AddTo(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience, TypeCounts& into);
  // Adds what found no slot, for sites below the limit.
  void AddLost(JNIEnv* jni, uint32_t site_limit, TypeCounts& into) const;
  // What found no slot at this site or one that shares its place.
  uint64_t LostAt(JNIEnv* jni, uint32_t site) const;

  // Moves what was harvested at a site, and gives what it lost.
  uint64_t TakeHarvested(uint32_t site, TypeCounts& into);
  // What the harvested classes take, and may take.
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
  jfieldID half_ = nullptr;  // the first slot in use
  // Guards what follows, and the hashes' sweeping. Not held while Java code runs, but across calls
  // to the JVM, in which the thread may be suspended.
  std::timed_mutex mutex_;
  TypeCounts harvested_;
  bool at_rest_ = false;  // the half not in use is to be drained
  std::atomic<uint64_t> harvests_{0};
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace iprof::vm
