// ChunkStore: everything of counting that lives inside the JVM: chunks of
// counters, chunks of sites, the ways to them, and how much heap they may take.
//
// Why one object: the program's classes refer to these arrays for as long as
// they are loaded, whether a session runs or not. Nothing here is ever given
// back to the JVM.
//
// Guarantees: all chunks together stay within the memory budget, but for one
// chunk of each kind. There is room for new classes before they need it, or
// they are left alone.
//
// Threads: DefineEarly at VMStart or later, then FinishStart at VMInit or
// later, then DefineAhead and Harvest on the agent's thread; Read, Collect and
// Report on any attached thread; the rest on any thread. No lock is held across
// a call to the JVM. Failure: the status says what the JVM refused.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "agent/instrument/class_instrumenter.h"
#include "agent/instrument/probes/counter_space.h"
#include "agent/instrument/table/memory_budget.h"
#include "agent/vm/counting/chunk_reach.h"
#include "agent/vm/counting/counter_chunks.h"
#include "agent/vm/counting/counting_plan.h"
#include "agent/vm/counting/type_chunks.h"
#include "agent/vm/names/proxy_names.h"
#include "agent/vm/settings/log.h"
#include "writer/base/status.h"

namespace iprof::vm {

class ChunkStore {
 public:
  // `wake` is called where chunks run low. It raises the budget's limit to what
  // one chunk of each kind takes.
  ChunkStore(const CountingPlan& plan, ProxyNames& proxies, instrument::MemoryBudget& budget,
             const std::function<void()>& wake);
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  bool counts_types() const { return counts_types_; }
  ChunkReach& reach() { return reach_; }
  TypeChunks& types() { return types_; }
  instrument::CounterSpace& counter_space() { return counter_space_; }
  // Tells the instrumenter where counters and sites are.
  std::function<std::string(uint32_t)> CounterHolders();
  void GiveSites(instrument::ClassInstrumenter& instrumenter);

  // Classes that load before there is JNI refer to the first chunk.
  void AnnounceFirst();
  // Runs no Java code. `early`: enough for all classes until VMInit, else one
  // chunk of each kind.
  Status DefineEarly(JNIEnv* jni, bool early);
  // From the moment that `report_classes` is called, types() must hear of every
  // class that is prepared.
  Status FinishStart(jvmtiEnv* jvmti, JNIEnv* jni, const std::function<Status()>& report_classes);

  void ShareBudget();
  void DefineAhead(JNIEnv* jni, Log& log);
  // So many classes are about to be counted: DefineAhead makes room for them, too. 0 takes that back.
  void ExpectClasses(uint32_t classes);
  // Empties the tables behind class-counting sites, now and then or where they
  // fill up.
  void Harvest(jvmtiEnv* jvmti, JNIEnv* jni);
  // Takes the counters of unloaded classes.
  void Unload(jvmtiEnv* jvmti, JNIEnv* jni, instrument::ClassInstrumenter& instrumenter);

  std::vector<uint64_t> Read(JNIEnv* jni) const { return counters_.Read(jni); }
  TypeChunks::Collected Collect(jvmtiEnv* jvmti, JNIEnv* jni, std::chrono::milliseconds patience);

  // How often there was no room for a class's counters or sites.
  uint64_t refusals() const;
  // Lines of verbose=1.
  std::string Report() const;

 private:
  // `later_bytes`: what a chunk may need besides, once it is used.
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
  std::chrono::steady_clock::time_point next_harvest_{};  // the agent's thread's own
};

}  // namespace iprof::vm
