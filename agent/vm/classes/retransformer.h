// Retransformer: lets the JVM transform loaded classes again, in batches whose pauses stay within a
// budget.
//
// Guarantees: a class that the JVM refuses affects only itself: a batch that fails is halved until
// the class is found. Nothing is thrown. Pauses are measured by the PauseClock or, if the JVM does
// not count them, by the duration of the whole call, which is longer.
// Threads: one at a time, in the live phase, that may run Java code and holds no lock: the JVM
// calls every agent's class-file hook on it.
// Failure: a refused class stays unchanged and is counted in the outcome.
#pragma once

#include <jvmti.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "agent/hotspot/pause_clock.h"
#include "agent/vm/classes/batch_size.h"

namespace iprof::vm {

struct RetransformOutcome {
  uint64_t classes = 0;  // retransformed
  uint64_t refused = 0;
  jvmtiError last_error = JVMTI_ERROR_NONE;  // for a refused class
  uint64_t pauses = 0;
  uint64_t pauses_beyond_budget = 0;
  std::chrono::nanoseconds longest_pause{};
  std::chrono::nanoseconds sum_of_pauses{};
};

class Retransformer {
 public:
  // `clock` may be null.
  Retransformer(jvmtiEnv* jvmti, const hotspot::PauseClock* clock, std::chrono::nanoseconds budget)
      : jvmti_(jvmti), clock_(clock), budget_(budget), sizes_(budget) {}

  // Called before every batch, with its number of classes. If it returns false, Run stops.
  using BeforeBatch = std::function<bool(size_t)>;

  // Forgets the outcome so far, but not how long pauses are.
  void Restart() { outcome_ = {}; }
  // Returns the classes that the JVM refused.
  std::vector<jclass> Run(std::span<const jclass> classes, const BeforeBatch& before_batch);

  // How many classes the next batch should have.
  size_t NextBatch() const { return sizes_.Next(); }

  const RetransformOutcome& outcome() const { return outcome_; }

 private:
  void RunBatch(std::span<const jclass> batch, std::vector<jclass>& refused);
  std::chrono::nanoseconds Now() const;

  jvmtiEnv* const jvmti_;
  const hotspot::PauseClock* const clock_;
  const std::chrono::nanoseconds budget_;
  BatchSize sizes_;
  RetransformOutcome outcome_;
};

}  // namespace iprof::vm
