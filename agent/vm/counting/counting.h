// Counting: everything between the JVM's class loading and the counters, for one session.
//
// It owns a JVMTI environment, so that its capabilities and callbacks are independent of other
// parts. It connects the class-file hook, the instrumenter (agent/instrument), the chunks of
// counters (ChunkStore) and the agent's thread.
//
// Order of events, as the StartupPlan says:
// - First bytecode: the hook from OnLoad; runtime classes and first chunks at early VMStart; at
//   VMInit the chunks are initialised and the thread begins.
// - Retransform: at VMInit runtime classes and chunks, then the hook; then loaded classes are
//   retransformed in batches.
// - Application: at VMInit runtime classes and chunks, then the hook, which ignores classes of the
//   boot and platform loaders.
//
// With the early hook, the environment does not request retransformation. The JVM calls the hooks
// of agents that cannot retransform first, in the order in which they were opened. So this agent
// sees the class file's own bytes, unless another agent was named before it on the command line.
// Positions in a profile must be those of the class file. So if another agent comes first, or if
// counting starts late, ClassOrigin compares.
//
// Guarantees: a class or method that cannot be counted is left unchanged and is counted as such;
// nothing is thrown.
// Threads: the constructor and Open on the loading thread, or where a recording begins; the hook on any thread; the rest as
// Recorder. Close not in a callback.
// Failure: Open, Prepare and Begin return a Status; later problems are logged.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/instrument/class_instrumenter.h"
#include "agent/instrument/table/memory_budget.h"
#include "agent/settings/log.h"
#include "agent/vm/cells/chunk_store.h"
#include "agent/vm/cells/class_access.h"
#include "agent/vm/cells/type_pairs.h"
#include "agent/vm/classes/class_filter.h"
#include "agent/vm/classes/class_origin.h"
#include "agent/vm/classes/class_restorer.h"
#include "agent/vm/classes/earlier_classes.h"
#include "agent/vm/classes/held_classes.h"
#include "agent/vm/classes/live_frames.h"
#include "agent/vm/classes/names/class_watch.h"
#include "agent/vm/classes/names/hidden_class_counting.h"
#include "agent/vm/classes/names/proxy_names.h"
#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/classes/unlinked_classes.h"
#include "agent/vm/counting/class_file_positions.h"
#include "agent/vm/counting/counting_plan.h"
#include "agent/vm/counting/freezer.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/recorder/recorder.h"
#include "writer/base/status.h"
#include "writer/records/first_seen.h"
#include "writer/records/raw/raw_writer.h"

namespace iprof::vm {

// Objects of the session that counting uses.
struct CountingContext {
  JavaVM* vm;
  Log& log;
  const ClassSource& classes;
  ProxyNames& proxies;
  ClassWatch& watch;
  instrument::MemoryBudget& budget;
  // Called on the agent's thread after it has swapped classes while the program is recorded: frames go on in the
  // old code. May be empty.
  std::function<void(JNIEnv*)> swapped = {};
  // Called again and again while a pause gives `all` classes their own code back. May be empty.
  std::function<void(uint64_t done, uint64_t all)> restoring = {};
  // Whether a harvest with this snapshot needs the exact counts (RecordSink::SetExact). Empty: none does.
  std::function<bool(RecordSink&)> needs_exact = {};
};

class Counting final : public Recorder, public HiddenClassCounting {
 public:
  // `origin` is null unless other agents may change classes first. Everything in the context must
  // outlive this object.
  Counting(const CountingContext& context, CountingPlan plan, std::unique_ptr<ClassOrigin> origin);
  ~Counting() override;
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  // `environment`: OpenForCounting. Once, before Prepare. Nothing is counted yet.
  Status Open(JvmtiEnvironment environment);

  // kWithJvm: counts from the moment that the StartupPlan names.
  Status Prepare(StartMoment moment) override;
  void OnVmStart(JNIEnv* jni) override;
  void OnVmInit(JNIEnv* jni) override;
  // Counts from now on. This includes the classes that are already loaded, which takes seconds in a large program.
  Status Begin(JNIEnv* jni) override;
  // What frames and hidden classes with probes count from now on is left out.
  std::string Pause(JNIEnv* jni) override;
  Status Reset(JNIEnv* jni, ResetScope scope) override;
  // From now on no further class is counted. Waits a little for the agent's thread and for nothing else. Classes that are
  // instrumented already keep counting.
  void End() override;
  // A class loader may block a thread: in Java code, where HotSpot's exit does not wait for it.
  void EndThreads(std::chrono::milliseconds patience) override;
  // Always false if java.lang.Object was given members, because it must keep them whenever it is redefined.
  bool Close() override;

  Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) override;
  void BeginLog() override;
  void EndLog() override;
  LogSize log_size() const override;
  void FillHeader(RawHeader& header) const override {
    header.assembly = instrumenter_.assembly_options();
  }

  CodeChange changes_code() const override {
    return plan_.restorable ? CodeChange::kUntilPause : CodeChange::kForGood;
  }
  void Describe(const ProfileSink& made, RecorderTexts& texts) override;
  void AddLosses(RunNote& note) const override;
  uint64_t AddTo(control::SessionStatus& status, bool is_stopped) const override;

  // For who swaps a class that is counted; null if none gets its own code back. Once Open has returned.
  SwapGuard* swap_guard() { return plan_.restorable ? &*guard_ : nullptr; }
  // Classes that kept their probes at the last pause, without hidden ones.
  uint64_t others_with_probes() const;
  ClassFilePositions positions() const { return {instrumenter_, proxies_.names(), Origins()}; }

  bool InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                        std::vector<uint8_t>* output,
                        std::optional<instrument::ClassId>* held) override;
  void HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                          instrument::ClassId held) override;
  void HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) override;

  // Whether the profile already knows this class's methods. The name has slashes.
  bool Knows(std::string_view internal_name) const { return instrumenter_.Knows(internal_name); }

 private:
  // How long to wait for a harvest of the classes of receivers, which takes milliseconds, and for class
  // files to be looked up.
  static constexpr std::chrono::milliseconds kHarvestTimeout{3000};
  static constexpr std::chrono::milliseconds kOriginTimeout{20000};

  void PrepareFreezing();
  Status Start();
  Status BeginFirst(JNIEnv* jni);
  Status BeginAgain(JNIEnv* jni);
  RestoredClasses Restore(JNIEnv* jni);
  Status LearnJvm(JNIEnv* jni);
  Status BeginLate(JNIEnv* jni);
  Status AwaitThread();
  Status NoteStart(const Status& status);
  // The caller holds unload_mutex_.
  void NoteFirstCalls(std::span<const uint64_t> counters);
  // How long to wait for unload_mutex_.
  std::chrono::milliseconds patience() const;
  void CloseWindow(JNIEnv* jni);
  void OpenWindow(JNIEnv* jni);
  void NoteSwap(const RestoredClasses& swap);
  // Empty if every class is known to be that of the class file.
  OriginOf Origins() const;
  bool IsOn() const { return on_.load(std::memory_order_acquire); }
  Status StartHook(JNIEnv* jni);
  void OnClassFile(JNIEnv* jni, jclass redefined, const ClassInLoader& type, jint* new_size,
                   unsigned char** new_bytes);
  void OnObject(std::span<const uint8_t> original, jint* new_size, unsigned char** new_bytes);
  bool Store(std::span<const uint8_t> bytes, jint* new_size, unsigned char** new_bytes);
  // `input.name` is the profile's name of the class that `type` describes.
  bool Instrument(JNIEnv* jni, const ClassInLoader& type, instrument::ClassBytes input,
                  const std::function<uint8_t*(size_t)>& output,
                  std::optional<instrument::ClassId>* held);
  bool MayHaveProbes(InternalName loaded) const;
  void OnClassLoad(JNIEnv* jni, jclass klass);
  void OnClassPrepare(JNIEnv* jni, jclass klass);
  void CountEarlier(JNIEnv* jni);
  bool GoesOn(JNIEnv* jni, size_t classes);
  void WarnOfCap();
  uint64_t refusals() const;  // of counters or records, because memory ran out
  RestoredClasses last_swap() const;
  std::unique_lock<std::timed_mutex> AddChanges(RawWriter& log);
  void AddClasses(const instrument::ClassTable::Changes& changes, RawWriter& log);
  void AddClass(uint32_t number, ClassRecord& klass, RawWriter& log);
  void JudgeAgain(RawWriter& log);
  Status WriteToLog(JNIEnv* jni, RecordSink& sink);
  Status WriteAll(JNIEnv* jni, RecordSink& sink);
  // All must outlive the result.
  ProbeCounts CountsOf(const instrument::KnownClasses& classes,
                       std::span<const std::pair<std::string_view, uint64_t>> live_frames,
                       EstimatedMethods estimated) const;
  // The counts, with their estimates, and the frames that were live.
  ChunkStore::Reading Read(JNIEnv* jni, bool is_locked, bool is_snapshot, LiveFrames* live,
                           EstimatedMethods* estimated);
  // Of everything that the counts and their estimates are made of, so that equal marks mean equal ones. With the lock.
  uint64_t MarkOf(JNIEnv* jni) const;
  void ReadForLog(JNIEnv* jni, RecordSink& sink, LiveFrames* live, EstimatedMethods* estimated);
  LiveFrames LiveNow(JNIEnv* jni, bool is_snapshot) const;
  void PrepareContexts();
  // Chooses the sites whose stacks are taken, once, and swaps their classes. Returns whether it did.
  bool FindContexts(JNIEnv* jni);
  instrument::ContextSites ChooseContexts(JNIEnv* jni);
  // nullopt: none are taken, or they could not be read in time.
  std::optional<ContextSamples> ReadContexts(std::chrono::milliseconds patience) const;
  void Work(JNIEnv* jni);

  static void JNICALL ClassLoad(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);
  static void JNICALL ClassFileLoadHook(jvmtiEnv* jvmti, JNIEnv* jni, jclass redefined,
                                        jobject loader, const char* name, jobject domain, jint size,
                                        const unsigned char* bytes, jint* new_size,
                                        unsigned char** new_bytes);
  static void JNICALL ClassPrepare(jvmtiEnv* jvmti, JNIEnv* jni, jthread thread, jclass klass);

  JavaVM* const vm_;
  Log& log_;
  const ClassSource& classes_;
  ProxyNames& proxies_;
  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  const std::function<void(JNIEnv*)> swapped_;
  const std::function<void(uint64_t done, uint64_t all)> restoring_;
  const std::function<bool(RecordSink&)> needs_exact_;
  const CountingPlan plan_;
  ClassFilter filter_;
  AgentThread thread_;
  ChunkStore store_;
  ClassAccess access_;
  instrument::ClassInstrumenter instrumenter_;
  instrument::ContextSites chosen_;  // without weights=
  bool finds_contexts_ = false;      // not yet; for Work
  HeldClasses held_;
  std::atomic<bool> on_{false};          // the hook instruments classes
  std::atomic<bool> sees_loads_{false};  // ClassLoad was enabled, so ClassDefinitions have an end
  std::atomic<bool> cap_told_{false};
  // Held while a profile is made and while unloaded classes are handled, also during calls to the
  // JVM, in which the thread may be suspended. Guards the store's window, edges_ and live_at_close_.
  mutable std::timed_mutex unload_mutex_;
  uint64_t window_moves_ = 0;                        // guarded by unload_mutex_
  std::chrono::steady_clock::time_point next_trim_;  // of the instrumenter's memory; for Work
  LiveFrames edges_;  // frames that were live when the recording was started, stopped or reset
  LiveFrames live_at_close_;  // that were live when it was stopped last
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> has_ended_{false};       // End was called
  bool begins_again_ = false;                // it has begun before
  instrument::SelfCheckResult self_check_;   // of the last profile
  FirstSeen first_seen_;                     // guarded by unload_mutex_
  std::atomic<size_t> first_seen_bytes_{0};  // of first_seen_, for those without the lock
  // What the log has.
  struct Copy {
    TypePairs pairs;
    bool is_whole = false;  // the last reading had all pairs
    uint32_t added_pairs = 0;
    uint64_t added_classes = 0;
    std::vector<uint64_t> counters;
    uint16_t added_readings = 0;   // of first_seen_
    std::optional<uint64_t> mark;  // see MarkOf; of the moment before they were read with estimates
    EstimatedMethods estimated;
    struct Class {
      uint32_t number;
      std::string name;
      Hash128 hash;
    };
    std::vector<Class> unjudged;  // whose origins are not known yet
  } copy_;
  mutable std::mutex swap_mutex_;   // guards swap_
  RestoredClasses swap_;            // of the last start or stop
  std::optional<SwapGuard> guard_;  // from Prepare on
  UnlinkedClasses unlinked_;
  const std::unique_ptr<ClassOrigin> origin_;  // null: all classes are those of the class files
  std::unique_ptr<Freezer> freezer_;  // null: methods never freeze. Guarded by unload_mutex_
  std::unique_ptr<EarlierClasses>
      earlier_;  // null if counting starts before any class, until Resume
  // Last, so that it is closed before the members that its callbacks use are destroyed.
  JvmtiEnvironment environment_;
};

}  // namespace iprof::vm
