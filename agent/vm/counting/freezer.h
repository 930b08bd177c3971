// Freezer: takes the probes of methods out while the program runs, once enough is known of them.
//
// Every second it looks at the counters, and does what the Budget decides. The classes of methods that freeze are
// retransformed, and the instrumenter leaves their probes out. From then on their counts are estimated
// (FrozenCounts). After a while all of them thaw for a moment, and their classes get the probes back.
//
// It works on the agent's thread, like everything else that retransforms classes while the program is
// recorded, so swaps never meet. A stop ends that thread first, and waits for it as long as
// AgentThread::kBusyPatience. Chunks for new classes wait as long as the batches take.
//
// Left as they are: classes that the JVM cannot change (hidden ones), those that somebody else has
// redefined (SwapGuard), proxies, methods that do not do the same as before (ShapeHistory), and those whose
// callers are mostly not counted (reflection, method handles). A class in which a loop runs for long is not swapped,
// because HotSpot would interpret the loop from then on. A class is swapped at most MethodLives::kMostSwaps
// times until its methods thaw.
//
// Guarantees: methods of a class that the JVM refused to change are counted on, or estimated on, as before.
// So are those of a class that somebody else has redefined until its batch is swapped; if their probes were left
// out then, they are estimated. A class that was being loaded when methods thaw gets its probes too, by a second
// look. Where several loaders have a class of one name, its methods thaw only if all of
// them can be changed. No lock is held while classes are swapped, and no class is kept loaded for longer than it
// takes to list them.
// Threads: Work on the agent's thread; figures, Summary, Report and TellLimit on any thread; all others by
// whoever holds the mutex that guards the ChunkStore's window.
// Failure: a class that the JVM refuses to change keeps its probes and is counted in the figures.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/hotspot/pause_clock.h"
#include "agent/instrument/class_instrumenter.h"
#include "agent/settings/log.h"
#include "agent/vm/budget/budget.h"
#include "agent/vm/cells/chunk_store.h"
#include "agent/vm/classes/retransformer.h"
#include "agent/vm/classes/swap_guard.h"
#include "agent/vm/classes/weak_classes.h"
#include "writer/records/frozen_counts.h"

namespace iprof::vm {

struct FreezeSetting {
  uint64_t until = 0;                // increments of one counter; 0: as many as a shape needs
  double overhead = 0;               // share of the program's time; 0: no limit
  std::chrono::nanoseconds rearm{};  // 0: methods stay frozen
  std::chrono::nanoseconds pause{};
  bool counts_types = false;
};

struct FreezeFigures {
  uint64_t methods = 0;         // that are frozen now
  uint64_t known = 0;           // that are or were frozen, so they may have estimates
  uint64_t rounds = 0;          // in which methods froze
  uint64_t rearms = 0;          // in which methods thawed
  double cost = 0;              // since the last reset, as a share of the program's own time
  CostMeter::Range range;       // in which it is
  double cost_now = 0;          // in the last second
  double increments_per_s = 0;  // in the last second
  std::string over_limit;       // Budget::LimitText
  size_t bytes = 0;             // of memory
  RetransformOutcome swap;
  std::vector<KeptReason> kept;  // hot methods that keep their probes
};

class Freezer {
 public:
  struct Parts {
    JavaVM* vm;
    Log& log;
    instrument::ClassInstrumenter& instrumenter;
    ChunkStore& store;
    std::timed_mutex& mutex;
  };
  Freezer(const Parts& parts, const FreezeSetting& setting);
  Freezer(const Freezer&) = delete;
  Freezer& operator=(const Freezer&) = delete;

  struct Hooks {
    std::function<bool()> goes_on;  // the end is early when it returns false
    std::function<void()> settle;   // waits for class-file hooks that are running
  };
  // The environment can retransform. Returns whether classes were swapped.
  bool Work(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, const Hooks& hooks);

  // The recording goes on after a pause.
  void Open(jvmtiEnv* jvmti, JNIEnv* jni);
  // The recording pauses.
  void Close(jvmtiEnv* jvmti, JNIEnv* jni);
  // What was recorded so far is forgotten.
  void Reset(jvmtiEnv* jvmti, JNIEnv* jni);
  // Adds the estimates to counts of the recording.
  MethodEstimates AddTo(jvmtiEnv* jvmti, JNIEnv* jni, RawCounts& counts) const;
  // Methods with estimates that AddTo does not name; see FrozenCounts::unnamed.
  uint64_t unnamed() const { return counts_.unnamed(); }
  // Before counters will belong to other methods: ends the interval, so that no estimate is lost. Returns false
  // if it has only just begun: then they must wait.
  bool EndInterval(jvmtiEnv* jvmti, JNIEnv* jni);
  // Counters that had these values in the JVM will belong to other methods; the values within the window become those
  // with the estimates.
  void Release(CounterRange range, std::span<const uint64_t> raw, std::span<uint64_t> values);
  // Afterwards, the same for each of their sites, with what it saw within the window.
  void ReleaseSite(uint32_t site, TypeCounts& seen) { counts_.ReleaseSite(site, seen); }

  FreezeFigures figures() const;
  // For a user: how much is estimated, and what counting costs. `estimated`: methods with estimated counts.
  std::string Summary(size_t estimated) const;
  std::string Report() const;
  // The recording ends or pauses: warns if overhead= was not reached, and says why. Not again before methods
  // are chosen again, nor about what a reset has forgotten.
  void TellLimit();

 private:
  using Clock = std::chrono::steady_clock;
  // What Work does once it has released the mutex.
  struct Swap {
    std::unique_ptr<WeakClasses> classes;
    std::vector<CounterIndex> methods;  // that freeze or thaw with it
    std::vector<std::string> names{};   // if they thaw: those of the classes, for a second look
    bool is_thaw = false;
  };
  // What became of it: names of classes.
  struct Swapped {
    std::set<std::string, std::less<>> changed;
    std::set<std::string, std::less<>> refused;    // by the JVM, or by the SwapGuard
    std::set<std::string, std::less<>> kept_back;  // of these: by the SwapGuard
  };

  // A program that waits, or that gets little of a busy machine, does not know more after a second: so the
  // program's time is the process's CPU time, if that is less.
  double Seconds() const;
  static CostMeter::Reading Read(std::span<const uint64_t> counters);
  Swap Look(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard);
  Swap Freeze(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
              const std::vector<uint64_t>& counters);
  std::vector<CounterIndex> FindChangeable(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
                                           const std::vector<Budget::Candidate>& chosen);
  Swap SwapFrozen(jvmtiEnv* jvmti, JNIEnv* jni, std::vector<Budget::Candidate> chosen,
                  std::vector<CounterIndex> froze);
  Swap Thaw(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard);
  void Advance(jvmtiEnv* jvmti, JNIEnv* jni, const std::vector<uint64_t>& counters);
  void Run(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard, WeakClasses& classes, const Hooks& hooks,
           Swapped& swapped);
  void RunAgain(jvmtiEnv* jvmti, JNIEnv* jni, SwapGuard& guard,
                const std::vector<std::string>& names, const Hooks& hooks, Swapped& swapped);
  void FinishFreeze(std::span<const CounterIndex> froze, const Swapped& swapped);
  void FinishThaw(jvmtiEnv* jvmti, JNIEnv* jni, std::span<const CounterIndex> thawing,
                  const Swapped& swapped);
  std::optional<TypeCounts> Types(jvmtiEnv* jvmti, JNIEnv* jni) const;
  void NoteFigures();

  JavaVM* const vm_;
  Log& log_;
  instrument::ClassInstrumenter& instrumenter_;
  ChunkStore& store_;
  std::timed_mutex& mutex_;
  const FreezeSetting setting_;
  const Clock::time_point start_ = Clock::now();
  const uint64_t start_cpu_ns_ = CostMeter::ProcessCpuNanoseconds();

  // Guarded by mutex_.
  FrozenCounts counts_;
  Budget budget_;
  Clock::time_point interval_begin_ = start_;

  // Used only by the agent's thread.
  std::optional<hotspot::PauseClock> clock_;
  std::optional<Retransformer> retransformer_;
  bool has_swapped_ = false;
  double next_look_s_ = 0;

  mutable std::mutex figures_mutex_;  // guards figures_
  FreezeFigures figures_;
};

}  // namespace iprof::vm
