// Sampling: the agent's samples in one session: events, names, the sampler, and its part of the
// profile.
//
// It owns a JVMTI environment, so that its capabilities and callbacks are independent of other
// parts.
//
// The events that it enables, and why:
// - ClassLoad (an empty callback): AsyncGetCallTrace fails without it.
// - ClassPrepare: MethodLearner reads ids and names then.
// - CompiledMethodLoad: HotSpot then compiles with the debug information that gives samples their
//   true lines. Its code ranges, and those of DynamicCodeGenerated, tell where frames can be
//   popped.
// - ThreadStart and ThreadEnd, which run on the thread itself. A roll call finds threads from
//   before VMInit or the attach.
// Sampling begins at VMInit, because the crash guard must be installed after the JVM's own
// handlers; after an attach it begins at once.
//
// Guarantees: nothing is thrown; problems leave the program unaffected.
// Threads: Start on the loading thread; Begin on the thread of VMInit or the loading thread; AddTo
// and Describe on any attached thread in the live phase, one at a time; Stop on any thread, also
// during Start; Close on any thread, but not in a callback.
// Failure: Start returns a Status; later problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/instrument/table/memory_budget.h"
#include "agent/sampling/sampler.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/hidden_class_names.h"
#include "agent/vm/sampling/code_age.h"
#include "agent/vm/sampling/code_renewal.h"
#include "agent/vm/sampling/method_learner.h"
#include "agent/vm/sampling/sample_baseline.h"
#include "agent/vm/sampling/sample_report.h"
#include "agent/vm/sampling/sampling_profile.h"
#include "agent/vm/sampling/stack_copy.h"
#include "agent/vm/settings/log.h"
#include "agent/vm/settings/options.h"
#include "writer/base/status.h"
#include "writer/model/model.h"
#include "writer/raw/raw_writer.h"

namespace iprof::vm {

// What the rest of the session knows of the program's classes. Null: nothing.
struct SamplingKnowledge {
  const HiddenClassNames* names = nullptr;  // stable names
  // Whether this part must handle unloaded classes, because the agent has no thread that does.
  // Threads that prepare classes then do it from time to time.
  bool looks_after_unloaded = false;
};

class Sampling {
 public:
  Sampling(JavaVM* vm, const Options& options, Log& log, const ClassSource& classes,
           ClassWatch& watch, instrument::MemoryBudget& budget);
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;

  // Opens the environment and enables its events. The knowledge must outlive this object.
  Status Start(const SamplingKnowledge& knowledge);

  // Starts to take samples: at VMInit, or at once if the program is already running. A no-op after
  // Stop. A failure is logged.
  void Begin();

  // Ends sampling for good: all timers are deleted and the sampler's thread has ended. Also called
  // at VMDeath.
  void Stop();
  // Called while the program keeps running: as Stop, and also disables the events. The samples stay.
  void Pause();
  // After Pause: enables the events again. From now on it knows what is compiled.
  Status Follow();
  // Before Begin and Resume: from now on FindOldCode knows what was compiled before they take samples, until
  // ForgetOldCode.
  void WatchOldCode();
  void ForgetOldCode() { code_age_.End(); }
  // The methods that are innermost in at least this share of the samples since then.
  OldCode FindOldCode(double share);
  bool IsOld(const void* method) const { return code_age_.IsOld(method); }
  // Classes were swapped while samples are taken: learns the ids of the methods that still run their old code.
  void LearnSwapped(JNIEnv* jni);
  // After Follow: takes samples again and adds them to the earlier ones. A no-op after Stop.
  // `classes_were_swapped`: since Follow, so that their code is compiled anew.
  void Resume(bool classes_were_swapped);
  // Classes were swapped while their methods ran. Learns the old code that frames go on in, so that samples of it have
  // names.
  void LearnReplaced(JNIEnv* jni);
  // Forgets all samples so far. Not while AddTo runs.
  void Reset();

  struct Figures {
    bool is_running = false;
    uint64_t samples = 0;  // stacks
    uint64_t failed = 0;
    uint64_t handler_ns = 0;
    uint64_t stack_bytes =
        0;  // native memory of stacks and threads, which the budget does not have
  };
  Figures figures() const;
  // Brings the parts of the budget up to date.
  void ReportMemory() const;

  // Called after Stop, while the program keeps running: disables the events. Returns true if no
  // callback or signal handler is running, so that this object can be destroyed.
  bool Close();

  // Adds samplingProfiles with notes of their source lines and, in the section "iprofagent",
  // "sampling" (the statistics). It may be called while sampling continues. `bcis` is null if no
  // code was rewritten. Returns what it wrote.
  SampleWriteCounts AddTo(JNIEnv* jni, const BciMap* bcis, Profile& profile);

  // The same for a raw file: adds the stacks that the file lacks. One at a time. Finding source lines takes a
  // walk over all classes, which is taken only if there are new methods on stacks.
  struct Numbers {
    std::span<const uint64_t> weights;  // by stack; valid until the next call
    std::string statistics;             // JSON; empty before sampling has begun
  };
  Numbers AddTo(JNIEnv* jni, const BciMap* bcis, RawWriter& file);
  // For a new file.
  void BeginCopy() { copy_.Begin(); }
  size_t copy_bytes() const { return copy_.bytes() + copied_lines_.bytes(); }

  // What verbose=1 and verbose=2 print about the samples of a profile; empty if there were none to take.
  SampleTexts Describe(const SampleWriteCounts& written);

 private:
  enum class CompiledCode { kAll, kNew };
  void TakeSamples(CompiledCode code);
  void OpenCode();
  void CloseCode();
  sampling::SamplerHooks Hooks(JNIEnv* jni);
  void StopSampler(sampling::Sampler& sampler);
  // The ids in the samples so far; nullopt if a handler does not return.
  std::optional<MethodLearner::SampledIds> SampledNow();
  // The lines of these methods and of those before, for the raw file. With the lock of the learner's
  // texts.
  const LineTables& CopiedLines(JNIEnv* jni, MethodLearner::SampledIds sampled);
  sampling::SampleStats StatsSinceReset() const;
  SampleFigures ReportFigures(const SampleWriteCounts& written);
  void OnClassPrepare(JNIEnv* jni, jclass klass);
  sampling::Sampler* sampler() const { return sampler_.load(); }

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
  // Where code is; null until the first Follow. Closed while paused, so that a late callback adds nothing.
  std::shared_ptr<sampling::CodeRanges> owned_code_;
  std::atomic<sampling::CodeRanges*> code_{nullptr};
  std::unique_ptr<sampling::Sampler> owned_sampler_;
  std::atomic<sampling::Sampler*> sampler_{nullptr};  // null until sampling has begun
  mutable std::mutex reset_mutex_;                    // guards the three below
  SampleBaseline baseline_;
  sampling::SampleStats stats_at_reset_;
  uint64_t watched_cpu_ns_at_reset_ = 0;
  CodeAge code_age_;
  SampleBaseline watched_since_;  // used by one thread at a time
  StackCopy copy_;
  std::atomic<bool> lines_changed_{false};    // running methods may have other positions
  LineTables copied_lines_;                   // of the methods in the next
  MethodLearner::SampledIds copied_methods_;  // those whose lines the copy has asked for
  std::atomic<bool> stopping_{false};
  std::atomic<bool> handler_hangs_{false};  // a signal handler did not return in time
  std::atomic<uint32_t> prepared_{0};
  // Last, so that it is closed before the members that its callbacks use are destroyed.
  JvmtiEnvironment environment_;
};

}  // namespace iprof::vm
