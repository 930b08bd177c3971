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
// Threads: the constructor, Prepare and Start on the loading thread; Begin, Pause, Resume and Reset on
// an attached thread that may run Java code, one at a time; the hook on any thread; AddTo on any
// attached thread in the live phase, including VMDeath; Stop on the loading thread or after Start;
// Close after Stop, not in a callback.
// Failure: Start returns a Status; later problems are logged.
#pragma once

#include <jvmti.h>

#include <algorithm>
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
#include "agent/vm/counting/chunk_store.h"
#include "agent/vm/counting/class_access.h"
#include "agent/vm/counting/class_filter.h"
#include "agent/vm/counting/class_origin.h"
#include "agent/vm/counting/class_restorer.h"
#include "agent/vm/counting/counting_plan.h"
#include "agent/vm/counting/earlier_classes.h"
#include "agent/vm/counting/freezer.h"
#include "agent/vm/counting/held_classes.h"
#include "agent/vm/counting/live_frames.h"
#include "agent/vm/counting/swap_guard.h"
#include "agent/vm/counting/type_pairs.h"
#include "agent/vm/counting/unlinked_classes.h"
#include "agent/vm/jvmti/agent_thread.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "agent/vm/names/class_watch.h"
#include "agent/vm/names/hidden_class_counting.h"
#include "agent/vm/names/proxy_names.h"
#include "agent/vm/settings/log.h"
#include "writer/base/status.h"
#include "writer/model/model.h"
#include "writer/raw/raw_writer.h"

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
};

// Maps positions of running instructions to class files, for one profile. It must not outlive its
// Counting.
class ClassFilePositions {
 public:
  ClassFilePositions(const instrument::ClassInstrumenter& instrumenter, const HiddenNames& names,
                     OriginOf origin_of)
      : instrumenter_(instrumenter), names_(names), origin_of_(std::move(origin_of)) {}

  // A position in a running method; see ClassInstrumenter::RunningPosition.
  struct Position {
    std::string_view class_descriptor;
    std::string_view name;
    std::string_view descriptor;
    Bci running;
    CodeStamp code = {};
    std::optional<Bci> original = std::nullopt;
    uint32_t original_length = 0;
    bool is_recorded = false;
  };
  // Fills the last three. Each class is looked up once.
  void Translate(std::span<Position> positions) const;
  // Whether a class that is not recorded may have had probes: it was unloaded, and what was known of it was dropped.
  bool MayHaveForgotten() const;

 private:
  void TranslateOneClass(std::span<Position*> positions) const;

  const instrument::ClassInstrumenter& instrumenter_;
  const HiddenNames& names_;
  const OriginOf origin_of_;
};

// What a profile is for, and so what it may cost.
enum class ProfileUse : uint8_t {
  kDump,     // complete; it stops all threads for a moment, to know the frames that are live
  kPartial,  // while the program goes on: stops no thread, and waits for nothing for long
};

// What Counting added to a profile.
struct CountedProfile {
  instrument::AddedCounts added;
  ClassFilePositions positions;
  // The methods that were without probes for a while, with their estimated calls.
  FrozenCounts::EstimatedCalls estimated_calls = {};
  uint64_t without_estimates = 0;  // methods whose estimates could not be read
  uint64_t unnamed_estimates = 0;  // methods with estimates that are not in estimated_calls
  // Of a partial profile: false if the agent's tables could not be read in time, so that something is missing.
  bool is_whole = true;

  // How many methods have estimates. The others were counted whenever they ran.
  size_t WithEstimates() const {
    const auto named = std::count_if(estimated_calls.begin(), estimated_calls.end(),
                                     [](const auto& call) { return call.second > 0; });
    return static_cast<size_t>(named) + unnamed_estimates;
  }
};

class Counting final : public HiddenClassCounting {
 public:
  // `origin` is null unless other agents may change classes first. Everything in the context must
  // outlive this object.
  Counting(const CountingContext& context, CountingPlan plan, std::unique_ptr<ClassOrigin> origin);
  ~Counting() override;
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;

  // `environment`: OpenForCounting. Nothing is counted yet.
  Status Prepare(JvmtiEnvironment environment);
  // After Prepare, with the JVM's start: counts from the moment that the StartupPlan names.
  Status Start();
  // After Prepare, in the live phase: counts from now on. This includes the classes that are already
  // loaded, which takes seconds in a large program.
  Status Begin(JNIEnv* jni);
  bool has_begun() const { return has_begun_.load(); }

  // Called if the agent started with the JVM; OnVmStart only if counting starts with the first
  // bytecode.
  void OnVmStart(JNIEnv* jni);
  void OnVmInit(JNIEnv* jni);

  // From now on no further class is counted. Waits a little for the agent's thread and for nothing
  // else. Also called at VMDeath. Classes that are instrumented already keep counting, and AddTo
  // still works.
  void Stop();

  // At VMDeath, after the last AddTo: ends all threads, and none begins again. It may run while another thread is
  // in Begin or Resume. A class loader may block a thread: in Java code, where HotSpot's exit does not wait for it.
  void EndThreads(std::chrono::milliseconds patience);

  // Called while the program keeps running: stops counting, gives the classes their own code back, and
  // ends all threads. What was counted stays, and AddTo still works. What frames and hidden classes
  // with probes count from now on is left out.
  RestoredClasses Pause(JNIEnv* jni);
  // Whether Pause and Resume give classes other code.
  bool SwapsClasses() const { return plan_.restorable; }
  // After Pause: counting continues from the same counts.
  Status Resume(JNIEnv* jni);
  // Forgets what was counted so far, without a pause.
  Status Reset(JNIEnv* jni);

  struct Figures {
    instrument::OutcomeTally::Sums sums;
    uint64_t counters = 0;
    uint64_t refusals = 0;    // of counters or records, because memory ran out
    uint64_t cpu_ns = 0;      // of the agent's thread
    bool restorable = false;  // a stop can give classes their own code back
    // Classes that kept their probes at the last stop.
    uint64_t hidden_with_probes = 0;
    uint64_t others_with_probes = 0;
    RetransformOutcome swap;                // of the last start or stop
    std::optional<FreezeFigures> freezing;  // nullopt: methods never freeze
  };
  Figures figures() const;

  // Called after Stop and the last AddTo, while the program keeps running: disables the events and
  // ends all threads. Returns true if no callback or thread is running, so that this object can be
  // destroyed. Always false if java.lang.Object was given members, because it must keep them
  // whenever it is redefined.
  bool Close();

  // Adds the types, methods and counts of every instrumented class.
  CountedProfile AddTo(JNIEnv* jni, Profile& profile, ProfileUse use = ProfileUse::kDump);
  // Changes whenever something is counted; nullopt if the counters cannot be read now.
  std::optional<uint64_t> MarkOf(JNIEnv* jni);
  // Nothing is being recorded: the recording is stopped.
  bool IsAtRest() const { return !store_.is_open(); }

  // The same for a raw file: adds what the file lacks, and reads the numbers. Without a safepoint, and
  // without a lock that threads of the program wait for. One at a time; not while Pause or Resume runs.
  struct Numbers {
    std::span<const uint64_t> counters;  // as are the pairs, valid until the next call
    std::span<const uint64_t> pairs;
    // Frames that were live when the recording was started, stopped or reset. The texts are valid
    // until then.
    std::vector<std::pair<std::string_view, uint64_t>> live_frames;
    bool at_rest = false;  // the recording is stopped
  };
  // Nullopt if a profile is being made, or the agent's thread is suspended.
  std::optional<Numbers> AddTo(JNIEnv* jni, RawWriter& file);
  // For a new file.
  void BeginCopy();
  // There is no file any more.
  void EndCopy();
  size_t copy_bytes() const;
  // What copy_bytes() will be soon after BeginCopy, roughly.
  size_t expected_copy_bytes() const;
  // Whether most classes in the file are gone, or a third of the pairs of a site and a class.
  bool CopyHasOutgrown() const;
  ClassFilePositions positions() const { return {instrumenter_, proxies_.names(), Origins()}; }
  AssemblyOptions assembly_options() const { return instrumenter_.assembly_options(); }

  bool InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                        std::vector<uint8_t>* output,
                        std::optional<instrument::ClassId>* held) override;
  void HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                          instrument::ClassId held) override;
  void HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) override;

  // Whether the profile already knows this class's methods. The name has slashes.
  bool Knows(std::string_view internal_name) const { return instrumenter_.Knows(internal_name); }

  // The lines about a profile that verbose=1 prints: what was counted, what was left out and why, and
  // how exact the counts are.
  std::string Summary(const CountedProfile& counted) const;
  // Those that verbose=2 adds: how it was counted.
  std::string Report(const CountedProfile& counted) const;

 private:
  // How long to wait for a harvest of the classes of receivers, which takes milliseconds, and for class
  // files to be looked up.
  static constexpr std::chrono::milliseconds kHarvestTimeout{3000};
  static constexpr std::chrono::milliseconds kOriginTimeout{20000};

  void PrepareFreezing();
  Status LearnJvm(JNIEnv* jni);
  Status BeginLate(JNIEnv* jni);
  Status AwaitThread();
  Status NoteStart(const Status& status);
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
  void AddClasses(const instrument::ClassTable::Changes& changes, RawWriter& file);
  void AddClass(uint32_t number, ClassRecord& klass, RawWriter& file);
  void JudgeAgain(RawWriter& file);
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
  const CountingPlan plan_;
  ClassFilter filter_;
  AgentThread thread_;
  ChunkStore store_;
  ClassAccess access_;
  instrument::ClassInstrumenter instrumenter_;
  HeldClasses held_;
  std::atomic<bool> on_{false};          // the hook instruments classes
  std::atomic<bool> sees_loads_{false};  // ClassLoad was enabled, so ClassDefinitions have an end
  std::atomic<bool> cap_told_{false};
  // Held while a profile is made and while unloaded classes are handled, also during calls to the
  // JVM, in which the thread may be suspended. Guards the store's window, edges_ and live_at_close_.
  mutable std::timed_mutex unload_mutex_;
  std::chrono::steady_clock::time_point next_trim_;  // of the instrumenter's memory; for Work
  LiveFrames edges_;  // frames that were live when the recording was started, stopped or reset
  LiveFrames live_at_close_;  // likewise, when it was stopped last
  std::atomic<bool> has_begun_{false};
  std::atomic<bool> has_ended_{false};  // Stop was called
  // What a raw file has.
  struct Copy {
    TypePairs pairs;
    bool is_whole = false;  // the last reading had all pairs
    uint32_t added_pairs = 0;
    uint64_t added_classes = 0;
    std::vector<uint64_t> counters;
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
