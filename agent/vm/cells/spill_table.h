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
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/vm/cells/class_hashes.h"
#include "agent/vm/cells/type_pairs.h"
#include "writer/base/status.h"
#include "writer/records/type_counts.h"

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
  // The same for pairs, again and again: what it learns is kept, so that a call costs little if
  // little has changed. It asks the JVM for no list of classes.
  bool AddTo(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience, TypePairs& into);
  // The pairs have other numbers from the next call on. Any thread.
  void ForgetPairs() { forgets_pairs_.store(true); }
  // No call comes any more, so far as is known: frees the memory. Where AddTo may be called; false if a harvest hangs.
  bool DropPairs(std::chrono::milliseconds patience);
  // The memory of what the last call kept for the next one. Any thread.
  size_t pairs_bytes() const { return pairs_bytes_.load(std::memory_order_relaxed); }
  // Calls visit(site, count) for the counts that found no slot, for sites below the limit.
  template <typename Visit>
  void ForEachLost(JNIEnv* jni, uint32_t site_limit, Visit visit) const {
    std::vector<jlong> lost(static_cast<size_t>(slots_));
    jni->GetLongArrayRegion(lost_, 0, slots_, lost.data());
    for (uint32_t i = 0; i < lost.size(); ++i) {
      if (lost[i] == 0) continue;
      // All sites that share a slot count as having lost: more than is true, never less.
      for (uint32_t site = i; site < site_limit; site += static_cast<uint32_t>(slots_))
        visit(site, static_cast<uint64_t>(lost[i]));
    }
  }
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
  // Calls visit(slot, key, count) for each slot in use of one half, which starts at slot `half`.
  template <typename Visit>
  void ForEachSlot(JNIEnv* jni, jsize half, Visit visit) const;
  // The name of a slot's class; nullopt if it is not known. `walked` is null if the JVM must not be
  // asked for its classes, and otherwise whether it was asked already.
  std::optional<std::string> NameAt(jvmtiEnv* jvmti, JNIEnv* jni, jsize slot, jlong key,
                                    bool* walked);
  // Adds up one half.
  void Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half, TypeCounts& into);
  void Drain(jvmtiEnv* jvmti, JNIEnv* jni, jsize half, TypePairs& into);
  uint32_t PairOf(jvmtiEnv* jvmti, JNIEnv* jni, jsize slot, jlong key, TypePairs& into);
  void AddHarvested(TypePairs& into);
  void Clear(JNIEnv* jni, jsize half);
  HashNames::Answer Find(jvmtiEnv* jvmti, JNIEnv* jni, int32_t hash, bool* walked);

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
  // The pairs' numbers: of keys with a hash, as long as the hashes have the same names; of other slots, as long
  // as they have the same key and their half was not cleared; and of what was harvested, by site and the
  // number of the class there.
  struct KnownPairs {
    struct Slot {
      jlong key = 0;
      uint64_t clearings = 0;
      uint32_t pair = 0;
    };
    std::unordered_map<jlong, uint32_t> hashed;
    uint64_t hash_changes = 0;  // of HashNames
    std::unordered_map<jsize, Slot> slots;
    std::unordered_map<uint32_t, std::vector<std::pair<uint32_t, uint32_t>>> harvested;
  } known_;
  uint64_t clearings_ = 0;
  std::atomic<bool> forgets_pairs_{false};  // known_ has numbers of before
  std::atomic<size_t> pairs_bytes_{0};
  std::atomic<uint64_t> harvests_{0};
  std::atomic<uint64_t> rounds_{0};
};

}  // namespace iprof::vm
