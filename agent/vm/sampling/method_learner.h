// MethodLearner: asks the JVM for what samples need to know of methods: ids,
// names and lines.
//
// Why early: AsyncGetCallTrace gives only jmethodIDs that exist, and
// GetClassMethods makes them. Names are taken when a class is prepared, on the
// preparing thread, while the class surely lives.
//
// Guarantees: an id is handed to the JVM only while its class is loaded. Names
// of methods that no sample shows are forgotten some time after their class was
// unloaded. Ids of classes that can be unloaded are made only within the memory
// budget, because the JVM never frees them.
//
// Threads: LearnClass on any thread in the live phase; LearnLoaded and LinesOf
// on any attached thread, one at a time; ForgetGone as ClassWatch says; Start
// before all of these. Failure: the method has no name or no lines, and the
// profile's statistics say how many.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>

#include "agent/instrument/table/memory_budget.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/hidden_class_names.h"
#include "agent/vm/sampling/line_tables.h"
#include "agent/vm/sampling/sampling_methods.h"
#include "agent/vm/settings/log.h"

namespace iprof::vm {

class MethodLearner {
 public:
  using SampledIds = std::unordered_set<const void*>;

  // `ids_in_samples` says which ids samples show by now; nothing while a sample
  // is being taken.
  MethodLearner(Log& log, ClassWatch& watch, instrument::MemoryBudget& budget,
                std::function<std::optional<SampledIds>()> ids_in_samples)
      : log_(log), watch_(watch), budget_(budget), ids_in_samples_(std::move(ids_in_samples)) {}
  MethodLearner(const MethodLearner&) = delete;
  MethodLearner& operator=(const MethodLearner&) = delete;

  // The environment has the capability for line numbers. It outlives this, and
  // so do the names, which may be null.
  void Start(jvmtiEnv* jvmti, const HiddenClassNames* names) {
    jvmti_ = jvmti;
    names_ = names;
  }

  void LearnClass(JNIEnv* jni, jclass klass);
  // The classes that are loaded, and methods from before a redefinition that
  // run now, `depth` frames of each thread.
  void LearnLoaded(JNIEnv* jni, jint depth);
  void ForgetGone(std::span<const UnloadTag> gone);

  // While the lock is held, texts of methods() live; it is not held where a
  // learning thread is suspended.
  std::unique_lock<std::timed_mutex> KeepTexts();
  const SampledMethods& methods() const { return methods_; }
  // The lines of those among these methods whose classes are loaded. With
  // KeepTexts.
  LineTables LinesOf(JNIEnv* jni, const SampledIds& sampled);

  // Classes whose methods have no names, for want of memory.
  uint64_t classes_without_ids() const { return classes_without_ids_.load(); }

 private:
  bool MayMakeIds();
  void Prune();
  void LearnRunningMethods(JNIEnv* jni, jint depth);
  void LearnReplaced(JNIEnv* jni, jmethodID id);
  void LearnLines(jmethodID id, LineTables& lines);

  Log& log_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  const std::function<std::optional<SampledIds>()> ids_in_samples_;
  jvmtiEnv* jvmti_ = nullptr;
  const HiddenClassNames* names_ = nullptr;
  SampledMethods methods_;
  LineTables replaced_lines_;     // of methods that no class lists any more
  std::timed_mutex texts_mutex_;  // held while texts of methods_ are in use, or pruned
  std::atomic<uint64_t> unloaded_classes_{0};
  std::atomic<uint64_t> unloaded_methods_{0};
  std::atomic<uint64_t> classes_without_ids_{0};
  std::atomic<bool> ids_told_{false};
};

}  // namespace iprof::vm
