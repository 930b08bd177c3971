// StackCopy: the samples of a sink. Each distinct stack is added once, translated; afterwards only its weight changes. A raw
// file keeps its stacks, so it has one StackCopy from its first snapshot to its last; each profile has its own.
//
// Why early: the names of a stack's methods may be unknown later, when their class is unloaded, and
// cannot be asked for when the process was killed.
//
// Guarantees: stacks and methods are numbered from 0 on, again for each sink. What was translated stays
// as it was. Knows no JVM, so it is tested without one.
// Threads: one at a time; the owner locks. ForgetPositions on any thread.
// Failure: std::bad_alloc; call Begin then.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "agent/vm/sampling/stack_translation.h"
#include "writer/records/raw/record_sink.h"

namespace iprof::vm {

class StackCopy {
 public:
  // For a new sink.
  void Begin();
  // Finds the stacks that the sink lacks; returns the methods on them.
  std::unordered_set<const void*> FindNew(const sampling::TraceTable& traces);
  // Adds those that FindNew found, and reads the weights of all that the sink has. What was sampled since
  // FindNew waits for the next time, because lookup may not know its lines.
  void AddTo(const sampling::TraceTable& traces, const SampleLookup& lookup, RecordSink& sink);
  // By the stacks' numbers; valid until the next call.
  std::span<const uint64_t> weights() const { return weights_; }
  // What the sink has. A profile has fewer contexts where stacks are equal once they are translated.
  const SampleWriteCounts& counts() const { return counts_; }

  // Running methods may have other positions from now on, because their classes were changed.
  void ForgetPositions() { positions_changed_.store(true); }
  size_t bytes() const;

 private:
  void AddMethods(RecordSink& sink);
  // Its number, or kNoStack: no frame is left.
  uint32_t AddStack(const sampling::TraceView& trace, const SampleLookup& lookup, RecordSink& sink);

  StackTranslation translation_;
  std::vector<sampling::TraceView> new_;
  std::unordered_map<size_t, uint32_t> numbers_;  // by place in the table; kNoStack: no frames
  uint32_t added_methods_ = 0;
  std::vector<uint64_t> weights_;
  std::vector<RawStackFrame> frames_;  // of one stack
  SampleWriteCounts counts_;
  std::atomic<bool> positions_changed_{false};
};

}  // namespace iprof::vm
