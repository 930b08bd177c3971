// ChunkStore: everything of counting that is inside the JVM: chunks of counters, chunks of sites,
// the access to them, and their share of the heap.
//
// Why one object: the program's classes refer to these arrays as long as they are loaded, whether a
// session runs or not. So nothing here is ever freed in the JVM.
//
// Guarantees: all chunks together stay within the memory budget, except that one chunk of each kind
// is always allowed. Room is made before new classes need it; if there is none, they are left
// unchanged.
// Threads: DefineEarly at VMStart or later, then FinishStart at VMInit or later, then DefineAhead
// and Harvest on the agent's thread; Read, the window's functions and Unload on any attached thread,
// one at a time; Report on any attached thread; the rest on any thread. No lock is held during a
// call to the JVM.
// Failure: the Status says what the JVM refused.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/instrument/class_instrumenter.h"
#include "agent/instrument/probes/counter_space.h"
#include "agent/instrument/table/memory_budget.h"
#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/vm/cells/chunk_reach.h"
#include "agent/vm/cells/context_stacks.h"
#include "agent/vm/cells/counter_chunks.h"
#include "agent/vm/cells/heap_plan.h"
#include "agent/vm/cells/type_chunks.h"
#include "agent/vm/classes/names/proxy_names.h"
#include "writer/base/status.h"
#include "writer/records/count_window.h"

namespace iprof::vm {

class ChunkStore {
 public:
  // `wake` is called when chunks run low. The constructor raises the budget's limit to the size of
  // one chunk of each kind, if it is lower.
  ChunkStore(const Options& options, const HeapPlan& heap, const ClassSource& classes,
             ProxyNames& proxies, instrument::MemoryBudget& budget,
             const std::function<void()>& wake);
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  bool counts_types() const { return counts_types_; }
  ChunkReach& reach() { return reach_; }
  TypeChunks& types() { return types_; }
  const TypeChunks& types() const { return types_; }
  instrument::CounterSpace& counter_space() { return counter_space_; }
  // For the instrumenter: where counters and sites are.
  std::function<std::string(uint32_t)> CounterHolders();
  void GiveSites(instrument::ClassInstrumenter& instrumenter);
  // Stacks of these sites are taken, by classes that are instrumented from now on. Once, before DefineEarly. `chosen` must
  // outlive this object.
  void TakeStacks(const instrument::ContextSites& chosen, Log& log,
                  instrument::ClassInstrumenter& instrumenter);
  // The same after FinishStart, where the window's functions may be called.
  Status TakeStacksNow(jvmtiEnv* jvmti, JNIEnv* jni, const instrument::ContextSites& chosen,
                       Log& log, instrument::ClassInstrumenter& instrumenter);
  ContextStacks* contexts() const { return contexts_.load(); }  // null: none are taken

  // Classes that are loaded before JNI is available use the first chunk.
  void AnnounceFirst();
  // Runs no Java code. `early`: define enough for all classes until VMInit; otherwise one chunk of
  // each kind.
  Status DefineEarly(JNIEnv* jni, bool early);
  // From the call of `report_classes` on, types() must be told of every class that is prepared.
  Status FinishStart(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<Status()>& report_classes);

  void ShareBudget();
  void DefineAhead(JNIEnv* jni, Log& log);
  // Announces that this many classes are about to be counted, so that DefineAhead makes room for
  // them. 0 cancels that.
  void ExpectClasses(uint32_t classes);
  // Empties the spill tables of class-counting sites, periodically or when they fill up.
  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Takes the counters of unloaded classes.
  void Unload(jvmtiEnv* jvmti, JNIEnv* jni, instrument::ClassInstrumenter& instrumenter);
  // Whether it would take any.
  bool IsUnloadDue(instrument::ClassInstrumenter& instrumenter) const;

  // The recording's counts: those within the window.
  struct Reading {
    RawCounts counts;
    bool whole = true;  // false: a harvest did not end in time, and its counts are missing
  };
  Reading Read(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience) const;
  // The same as arrays, again and again: what was learnt of the pairs is kept. Not while Unload runs.
  // Returns false if a harvest did not end in time.
  bool Read(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience,
            std::vector<uint64_t>* counters, TypePairs* pairs);
  // Move the window's edges (CountWindow). They return false, and change nothing, if a harvest did
  // not end in time.
  bool ResetWindow(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience);
  bool CloseWindow(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience);
  bool OpenWindow(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience);

  bool is_open() const { return window_.is_open(); }

  // The memory of a copy of all counters.
  uint64_t copy_bytes() const {
    return uint64_t{counter_space_.statistics().ready} * instrument::kChunkCounters *
           sizeof(uint64_t);
  }
  // The counters, with what was counted outside the window, too.
  std::vector<uint64_t> RawCounters(JNIEnv* jni) const {
    std::vector<uint64_t> counters;
    counters_.Read(jni, &counters);
    return counters;
  }
  // Called for counters that will belong to other methods, with their values in the JVM, and with those within the
  // window, which it may raise. Set it before any class is unloaded.
  using Taken = std::function<void(CounterRange, std::span<const uint64_t>, std::span<uint64_t>)>;
  // Called afterwards for each of their sites, with what it saw within the window. It may add to that.
  using SiteTaken = std::function<void(uint32_t site, TypeCounts& seen)>;
  void OnTaken(Taken taken, SiteTaken site_taken) {
    taken_ = std::move(taken);
    site_taken_ = std::move(site_taken);
  }

  // The classes that sites saw, also outside the window; nullopt: none are counted, or a harvest did not
  // end in time.
  std::optional<TypeCounts> RawTypes(jvmtiEnv* jvmti, JNIEnv* jni,
                                     std::chrono::milliseconds patience) const;

  uint64_t counters() const { return counter_space_.statistics().counters; }
  // How often there was no room for a class's counters or sites.
  uint64_t refusals() const;
  // Lines of verbose=1.
  std::string Report() const;
  // For a user: the classes that could not be counted, by reason.
  std::string LeftAlone() const;

 private:
  void MakeContexts(const instrument::ContextSites& chosen, Log& log);
  Reading ReadRaw(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience) const;
  // `later_bytes`: what a chunk may need in addition, once it is used.
  void Share(instrument::CounterSpace& space, instrument::MemoryPart part, uint64_t chunk_bytes,
             uint64_t later_bytes, uint32_t most_chunks);

  ProxyNames& proxies_;
  instrument::MemoryBudget& budget_;
  const HeapPlan heap_;
  const uint64_t chunk_bytes_;
  const bool counts_types_;
  ChunkReach reach_;
  instrument::CounterSpace counter_space_;
  CounterChunks counters_;
  instrument::CounterSpace site_space_;
  TypeChunks types_;
  std::unique_ptr<ContextStacks> owned_contexts_;
  std::atomic<ContextStacks*> contexts_{nullptr};  // owned_contexts_, once it is complete
  CountWindow window_;
  Taken taken_;
  SiteTaken site_taken_;
  std::chrono::steady_clock::time_point next_harvest_{};  // used only by the agent's thread
};

}  // namespace iprof::vm
