// MethodLearner: asks the JVM for what samples need to know about methods: ids, names and lines.
//
// Why early: AsyncGetCallTrace returns only jmethodIDs that exist, and GetClassMethods creates
// them. Names are read when a class is prepared, on the preparing thread, while the class is sure
// to be loaded.
//
// Guarantees: an id is passed to the JVM only while its class is loaded. Names of methods that no
// sample shows are forgotten some time after their class was unloaded. Ids of classes that may be
// unloaded are created only within the memory budget, because the JVM never frees them.
// Threads: LearnClass on any thread in the live phase; LearnLoaded and LinesOf on any attached
// thread, one at a time; ForgetGone as ClassWatch says; Start before all of these.
// Failure: a method has no name or no lines, and the profile's statistics say how many.
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
#include "agent/settings/log.h"
#include "agent/vm/classes/names/class_watch.h"
#include "agent/vm/classes/names/hidden_class_names.h"
#include "agent/vm/jvmti/class_source.h"
#include "agent/vm/sampling/line_tables.h"
#include "agent/vm/sampling/sampling_methods.h"

namespace iprof::vm {

class MethodLearner {
 public:
  using SampledIds = std::unordered_set<const void*>;

  // `ids_in_samples` returns the ids that samples contain so far, or nullopt while a sample is
  // being taken. Without lines, LinesOf has only lengths of code.
  MethodLearner(Log& log, const ClassSource& classes, ClassWatch& watch,
                instrument::MemoryBudget& budget,
                std::function<std::optional<SampledIds>()> ids_in_samples, bool with_lines = true)
      : log_(log),
        classes_(classes),
        watch_(watch),
        budget_(budget),
        ids_in_samples_(std::move(ids_in_samples)),
        with_lines_(with_lines) {}
  MethodLearner(const MethodLearner&) = delete;
  MethodLearner& operator=(const MethodLearner&) = delete;

  // The environment needs the capability for line numbers. It must outlive this object, and so must
  // the names, which may be null.
  void Start(jvmtiEnv* jvmti, const HiddenClassNames* names) {
    jvmti_ = jvmti;
    names_ = names;
  }

  void LearnClass(JNIEnv* jni, jclass klass);
  // Learns the loaded classes, and methods from before a redefinition that are running now, in the
  // top `depth` frames of each thread.
  void LearnLoaded(JNIEnv* jni, jint depth);
  // The second part of it, after classes were swapped. Any attached thread.
  void LearnRunningMethods(JNIEnv* jni, jint depth);
  void ForgetGone(std::span<const UnloadTag> gone);
  // Brings its part of the budget up to date.
  void ReportMemory() const;

  // While the lock is held, texts of methods() stay valid. A learning thread that may be suspended
  // does not hold it.
  std::unique_lock<std::timed_mutex> KeepTexts();
  const SampledMethods& methods() const { return methods_; }
  // The lines of those methods whose classes are loaded. Call it with the lock of KeepTexts.
  LineTables LinesOf(JNIEnv* jni, const SampledIds& sampled);

  // Classes whose methods have no names, because of the memory limit.
  uint64_t classes_without_ids() const { return classes_without_ids_.load(); }

 private:
  bool MayMakeIds();
  void Prune();
  void LearnReplaced(JNIEnv* jni, jmethodID id);
  void ForgetReplaced();
  void LearnLines(jmethodID id, LineTables& lines);

  Log& log_;
  const ClassSource& classes_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  const std::function<std::optional<SampledIds>()> ids_in_samples_;
  const bool with_lines_;
  jvmtiEnv* jvmti_ = nullptr;
  const HiddenClassNames* names_ = nullptr;
  SampledMethods methods_;
  LineTables replaced_lines_;  // of methods that no class lists any more; guarded by texts_mutex_
  std::atomic<size_t> replaced_line_bytes_{0};
  std::timed_mutex texts_mutex_;  // held while texts of methods_ are used or pruned
  std::atomic<uint64_t> unloaded_classes_{0};
  std::atomic<uint64_t> unloaded_methods_{0};
  std::atomic<uint64_t> classes_without_ids_{0};
  std::atomic<bool> ids_told_{false};
};

}  // namespace iprof::vm
