// Sampling: the samples' side of the agent in one session: events, names, the
// sampler, and its share of the profile.
//
// It owns a JVMTI environment of its own, so that its capabilities and
// callbacks are its own affair.
//
// What it asks of the JVM, and why:
//  - ClassLoad (an empty callback): without it AsyncGetCallTrace answers
//  nothing.
//  - ClassPrepare: MethodLearner takes ids and names then.
//  - CompiledMethodLoad: HotSpot then compiles with the debug information that
//  puts samples onto
//    their true lines; its ranges, and those of DynamicCodeGenerated, tell
//    where frames can be popped.
//  - ThreadStart and ThreadEnd, which run on the thread itself. Threads from
//  before VMInit (or the
//    attach) are found by a roll call.
// Sampling begins at VMInit (the crash guard must stand behind the JVM's own
// handlers), or at once after an attach.
//
// Threads: Start on the loading thread, Begin on that of VMInit or the loading thread; AddTo and Report on any
// attached thread in the live phase, one at a time; Stop on any thread, during
// Start, too; Close on any thread but that of a callback. Failure: Start says
// what is wrong; later problems are logged and leave the program alone.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "agent/instrument/table/memory_budget.h"
#include "agent/sampling/sampler.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/hidden_class_names.h"
#include "agent/vm/sampling/method_learner.h"
#include "agent/vm/sampling/sample_report.h"
#include "agent/vm/sampling/sampling_profile.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/settings/options.h"
#include "writer/base/status.h"
#include "writer/model/model.h"

namespace iprof::vm {

// What the rest of the session knows of the program's classes. Null: nothing.
struct SamplingKnowledge {
  const HiddenClassNames* names = nullptr;  // stable names
  // Whether this part must look after unloaded classes, because no thread of
  // the agent does. Threads that prepare classes do it now and then.
  bool looks_after_unloaded = false;
};

class Sampling {
 public:
  Sampling(JavaVM* vm, const Options& options, Log& log, ClassWatch& watch,
           instrument::MemoryBudget& budget);
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;

  // Opens the environment and enables its events. The knowledge must outlive this.
  Status Start(const SamplingKnowledge& knowledge);

  // From now on samples are taken: at VMInit, or at once where the program runs already. Does nothing after Stop. Failure is
  // logged.
  void Begin();

  // No more samples are taken, for good: timers are gone, the sampler's thread
  // has ended. At VMDeath, too.
  void Stop();
  // After Stop, while the program goes on: disables the events. True: no
  // callback or signal handler is under way, so that this can be destroyed.
  bool Close();

  // Adds samplingProfiles, and to the section "iprofagent" the parts "lines" (their source lines) and
  // "sampling" (the statistics). While sampling goes on, too.
  // `bcis` is null where no code was rewritten. Tells what it wrote.
  SampleWriteCounts AddTo(JNIEnv* jni, const BciMap* bcis, Profile& profile);

  // The paragraph that verbose=1 prints at the end.
  std::string Report(const SampleWriteCounts& written);

 private:
  void StopSampler(sampling::Sampler& sampler);
  // What samples show by now; nothing where a handler does not return.
  std::optional<MethodLearner::SampledIds> SampledNow();
  SampleFigures Figures(const SampleWriteCounts& written);
  void OnClassPrepare(JNIEnv* jni, jclass klass);
  sampling::Sampler* sampler() const { return sampler_.load(); }
  sampling::Sampler* running() const { return running_.load(std::memory_order_acquire); }

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
  Log& log_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  sampling::SamplerOptions sampler_options_;
  SamplingKnowledge knowledge_;
  MethodLearner learner_;
  std::unique_ptr<sampling::Sampler> owned_;          // Begin's
  std::atomic<sampling::Sampler*> sampler_{nullptr};  // null until sampling has begun
  std::atomic<sampling::Sampler*> running_{nullptr};  // the same while callbacks may use it
  std::atomic<bool> stopping_{false};
  std::atomic<bool> handler_hangs_{false};  // a signal handler did not return in time
  std::atomic<uint32_t> prepared_{0};
  JvmtiEnvironment environment_;  // last: it is closed before what its callbacks
                                  // use is destroyed
};

}  // namespace iprof::vm
