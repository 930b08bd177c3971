// HeldClasses: keeps what is known of an instrumented class as long as the class is loaded.
//
// Why: a class's record and counters are reused once the class is gone. Instrumenting a class holds
// it (ClassTable); this object releases it when ClassWatch reports that it was unloaded.
//
// Guarantees: a class that is defined or retransformed several times is held once per definition.
// Classes that are never unloaded are held forever. No lock is held during a call to the JVM.
// Threads: any; Release is called from ClassWatch::Process, or at once if a class is held already.
// Failure: a class that cannot be watched is held forever.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <unordered_map>

#include "agent/instrument/table/class_table.h"
#include "agent/instrument/table/memory_budget.h"
#include "agent/vm/classes/names/class_watch.h"

namespace iprof::vm {

class HeldClasses {
 public:
  using Release = std::function<void(instrument::ClassId)>;

  // Construct it before `watch` watches anything. Both must outlive this object.
  HeldClasses(ClassWatch& watch, instrument::MemoryBudget& budget, Release release);
  HeldClasses(const HeldClasses&) = delete;
  HeldClasses& operator=(const HeldClasses&) = delete;

  // The class was held once, for a definition that is loaded now.
  void HoldWhileLoaded(jclass klass, instrument::ClassId held);

 private:
  void ReleaseGone(std::span<const UnloadTag> gone);

  ClassWatch& watch_;
  instrument::MemoryBudget& budget_;
  const Release release_;
  std::mutex mutex_;  // guards loaded_
  // A class that was redefined holds several.
  std::unordered_multimap<UnloadTag, instrument::ClassId> loaded_;
};

}  // namespace iprof::vm
