// Sampling: the samples' side of the agent in one JVM: events, names, the sampler, and its share of
// the profile.
//
// It owns a JVMTI environment of its own, so that its capabilities and callbacks are its own
// affair.
//
// What it asks of the JVM, and why:
//  - ClassLoad (an empty callback): without it AsyncGetCallTrace answers nothing.
//  - ClassPrepare: AsyncGetCallTrace gives only jmethodIDs that exist, and GetClassMethods makes
//    them; names are taken then, too, on the preparing thread, while the class surely lives.
//  - CompiledMethodLoad: HotSpot then compiles with the debug information that puts samples onto
//    their true lines; its ranges, and those of DynamicCodeGenerated, tell where frames can be
//    popped.
//  - ThreadStart and ThreadEnd, which run on the thread itself. Threads from before VMInit (or the
//    attach) are found by a roll call.
// Sampling begins at VMInit (the crash guard must stand behind the JVM's own handlers), or at once
// after an attach.
//
// Threads: Create and Begin on the loading thread; AddTo and Report on any attached thread in the
// live phase, one at a time; Stop on any thread, during Begin, too. Failure: Create says what is wrong; later problems are logged and
// leave the program alone.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

#include "agent/instrument/memory_budget.h"
#include "agent/sampling/sampler.h"
#include "agent/vm/jvmti/loaded_classes.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/sampling/line_tables.h"
#include "agent/vm/sampling/sampling_methods.h"
#include "agent/vm/sampling/sampling_profile.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/settings/options.h"
#include "writer/base/status.h"
#include "writer/model/model.h"

namespace iprof::vm {

class Sampling {
 public:
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;

  // Nothing is returned where samples=n. The result lives until the process ends, as callbacks may
  // come until then.
  static Result<Sampling*> Create(JavaVM* vm, const Options& options, Log& log, ClassWatch& watch,
                                  instrument::MemoryBudget& budget);

  // After an attach. Where the program starts with the agent, VMInit calls it.
  void Begin();

  // For whoever knows stable names and rewritten code; before the first dump. They must outlive
  // this.
  void SetHiddenClassNames(const HiddenClassNames* names) { names_ = names; }
  void SetBciMap(const BciMap* bcis) { bcis_ = bcis; }
  // Where nothing is counted there is no thread that looks after unloaded classes: those that prepare
  // classes do it now and then. Before the first class is prepared.
  void LookAfterUnloaded() { looks_after_unloaded_ = true; }

  // Adds samplingProfiles, and to the section "iprofagent" the parts "lines" (their source lines) and
  // "sampling" (the statistics). While sampling goes on, too.
  void AddTo(JNIEnv* jni, Profile& profile);

  // The paragraph that verbose=1 prints at the end; as of the last AddTo where it concerns the
  // profile.
  std::string Report();

  // VMDeath, or a start that failed after all: no more samples are taken, for good.
  void Stop();
  // After Stop, where the start failed: no callback comes any more but those under way.
  void StopEvents();

 private:
  Sampling(JavaVM* vm, jvmtiEnv* jvmti, const Options& options, Log& log, ClassWatch& watch,
           instrument::MemoryBudget& budget);

  Status Register();
  void LearnClass(JNIEnv* jni, jclass klass);
  // Whether to make the ids of a class that may go: the JVM never frees them.
  bool MayMakeIds();
  void ForgetGone(std::span<const UnloadTag> gone);
  void Prune();
  void LearnLoadedClasses(JNIEnv* jni, const LoadedClasses& classes);
  void LearnRunningMethods(JNIEnv* jni);
  void LearnReplaced(JNIEnv* jni, jmethodID id);
  void LearnLines(jmethodID id, LineTables& lines);
  LineTables LinesOfSamples(JNIEnv* jni);
  std::string StatisticsJson(const sampling::SampleStats& stats) const;
  sampling::Sampler* sampler() const { return sampler_.load(); }
  sampling::Sampler* running() const { return running_.load(std::memory_order_acquire); }

  static Sampling* Of(jvmtiEnv* jvmti);
  static void JNICALL VmInit(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  static void JNICALL ClassLoad(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);
  static void JNICALL ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);
  static void JNICALL ThreadStart(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  static void JNICALL ThreadEnd(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread);
  static void JNICALL CompiledMethodLoad(jvmtiEnv* jvmti, jmethodID method, jint size,
                                         const void* address, jint map_length,
                                         const jvmtiAddrLocationMap* map, const void* info);
  static void JNICALL CompiledMethodUnload(jvmtiEnv* jvmti, jmethodID method, const void* address);
  static void JNICALL DynamicCodeGenerated(jvmtiEnv* jvmti, const char* name, const void* address,
                                           jint size);

  JavaVM* const vm_;
  jvmtiEnv* const jvmti_;
  Log& log_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  sampling::SamplerOptions sampler_options_;
  SampledMethods methods_;
  LineTables replaced_lines_;  // of methods that no class lists any more
  const HiddenClassNames* names_ = nullptr;
  const BciMap* bcis_ = nullptr;
  std::atomic<sampling::Sampler*> sampler_{nullptr};  // null until sampling has begun
  std::atomic<sampling::Sampler*> running_{nullptr};  // the same while callbacks may use it
  std::atomic<bool> stopping_{false};
  std::timed_mutex names_mutex_;  // held while texts of methods_ are in use, or pruned
  bool looks_after_unloaded_ = false;
  std::atomic<uint32_t> prepared_{0};
  std::atomic<uint64_t> unloaded_classes_{0};
  std::atomic<uint64_t> unloaded_methods_{0};
  std::atomic<uint64_t> classes_without_ids_{0};
  std::atomic<bool> ids_told_{false};
  SampleWriteCounts written_;
};

}  // namespace iprof::vm
