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
//   true lines. Its code ranges, and those of DynamicCodeGenerated, show where frames can be
//   popped.
// - ThreadStart and ThreadEnd, which run on the thread itself. A roll call finds threads from
//   before VMInit or the attach.
// Sampling begins at VMInit, because the crash guard must be installed after the JVM's own
// handlers; after an attach it begins at once.
//
// Code that is older than the recording lacks this debug information. So CodeRenewal has it compiled
// again, on a thread of this object.
//
// Guarantees: nothing is thrown; problems leave the program unaffected.
// Threads: as Recorder. Close not in a callback.
// Failure: Prepare returns a Status; later problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/instrument/table/memory_budget.h"
#include "agent/sampling/sampler.h"
#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/vm/classes/names/class_watch.h"
#include "agent/vm/classes/names/hidden_class_names.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/recorder/recorder.h"
#include "agent/vm/recorder/thread_names.h"
#include "agent/vm/sampling/code_age.h"
#include "agent/vm/sampling/code_renewal.h"
#include "agent/vm/sampling/java_threads.h"
#include "agent/vm/sampling/method_learner.h"
#include "agent/vm/sampling/sample_baseline.h"
#include "agent/vm/sampling/sample_report.h"
#include "agent/vm/sampling/stack_copy.h"
#include "writer/base/status.h"

namespace iprof::vm {

// How code that exists is compiled again. Each gives up early when `goes_on` returns false.
struct CodeMeans {
  using GoesOn = std::function<bool()>;
  // See CodeRenewal::Hooks.
  std::function<void(JNIEnv*, const GoesOn& goes_on)> discard;
  std::function<uint64_t(JNIEnv*, const CodeRenewal::Classes&, const GoesOn& goes_on)> swap;
  std::function<std::optional<CodeRenewal::Classes>(JNIEnv*)> looping;
  bool may_swap_hot = true;
};

// What the rest of the session knows of the program's classes.
struct SamplingKnowledge {
  const HiddenClassNames* names = nullptr;  // stable names
  // Whether this part must handle unloaded classes, because the agent has no thread that does.
  // Threads that prepare classes then do it from time to time.
  bool looks_after_unloaded = false;
  bool swaps_classes =
      false;  // Begin follows a swap of the classes, so that their code is compiled again
  // Positions of code that was rewritten, in the class files. Null: none was.
  std::function<std::unique_ptr<BciMap>()> positions = {};
  std::optional<CodeMeans> renewal = {};  // nullopt: old code stays
};

class Sampling final : public Recorder {
 public:
  // Everything, and what `knowledge` refers to, must outlive this object.
  Sampling(JavaVM* vm, const Options& options, Log& log, const ClassSource& classes,
           ClassWatch& watch, instrument::MemoryBudget& budget, SamplingKnowledge knowledge);
  Sampling(const Sampling&) = delete;
  Sampling& operator=(const Sampling&) = delete;

  // Enables the events: from now on it knows what is compiled.
  Status Prepare(StartMoment moment) override;
  // Starts to take samples, as does Begin: a no-op after End. A failure is logged.
  void OnVmInit(JNIEnv* jni) override;
  Status Begin(JNIEnv* jni) override;
  void CallOff() override;
  std::string Pause(JNIEnv* jni) override;
  // Forgets all samples so far. Not while Write runs.
  Status Reset(JNIEnv* jni, ResetScope scope) override;
  // All timers are deleted and the sampler's thread has ended, for good.
  void End() override;
  void EndThreads(std::chrono::milliseconds patience) override;
  // False if a signal handler is running, too.
  bool Close() override;

  // Stacks with notes of their source lines and the part "sampling" (the statistics). It may be called while sampling
  // continues. Finding source lines takes a walk over all classes, which is taken only if there are new methods on stacks.
  Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) override;
  void BeginLog() override { copy_.Begin(); }
  void EndLog() override { copy_.Begin(); }
  LogSize log_size() const override { return {.bytes = copy_.bytes() + copied_lines_.bytes()}; }

  void Describe(const ProfileSink& made, RecorderTexts& texts) override;
  void AddLosses(RunNote& note) const override;
  uint64_t AddTo(control::SessionStatus& status, bool is_stopped) const override;
  // Learns the old code that frames go on in, so that samples of it have names.
  void ClassesSwapped(JNIEnv* jni) override;
  // Stacks and threads. Brings the parts of the budget up to date.
  uint64_t bytes_beyond_budget() const override;

 private:
  enum class CompiledCode { kAll, kNew };
  Status Start();
  Status Follow();
  void TakeSamples(JNIEnv* jni);
  CompiledCode CodeToAskFor() const;
  void StopTaking();
  // See CodeRenewal. `old code`: what was compiled before samples were taken.
  bool RenewsCode() const { return knowledge_.renewal.has_value(); }
  void WatchOldCode();
  OldCode FindOldCode(double share);
  void StartRenewal(JNIEnv* jni);
  void RenewCode(JNIEnv* jni);
  bool StopRenewal(std::chrono::milliseconds patience);
  CodeRenewal::Figures renewed() const;
  std::string RenewalSummary() const;
  void ReportMemory() const;
  uint64_t failed() const;
  // With the lock of the learner's texts.
  void WriteStacks(StackCopy& copy, const LineTables& lines, RecordSink& sink);
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
  SampleFigures ReportFigures(const SampleWriteCounts& written) const;
  void OnClassPrepare(JNIEnv* jni, jclass klass);
  // What threads are called. Their names may change: they are read when a thread starts, when samples begin to be taken, and
  // for each snapshot.
  void NoteThread(JNIEnv* jni, const void* env, jthread thread);
  void NoteThreads(JNIEnv* jni);
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
  const SamplingKnowledge knowledge_;
  const bool names_threads_;
  ThreadNames thread_names_;
  std::optional<JavaThreads>
      java_threads_;  // if samples know their threads; set before they are taken
  std::atomic<bool> is_started_{false};
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
  SampleWriteCounts written_;  // to the last profile
  CodeAge code_age_;
  SampleBaseline watched_since_;  // used by one thread at a time
  StackCopy copy_;
  std::atomic<bool> lines_changed_{false};    // running methods may have other positions
  LineTables copied_lines_;                   // of the methods in the next
  MethodLearner::SampledIds copied_methods_;  // those whose lines the copy has asked for
  std::atomic<bool> stopping_{false};
  std::atomic<bool> handler_hangs_{false};  // a signal handler did not return in time
  std::atomic<uint32_t> prepared_{0};
  mutable std::mutex renewal_mutex_;      // guards the pointer
  std::shared_ptr<CodeRenewal> renewal_;  // null: code was never renewed
  std::atomic<bool> renewal_goes_on_{false};
  AgentThread renewal_thread_;
  // Last, so that it is closed before the members that its callbacks use are destroyed.
  JvmtiEnvironment environment_;
};

}  // namespace iprof::vm
