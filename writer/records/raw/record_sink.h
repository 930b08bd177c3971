// RecordSink: takes what was recorded, source by source, as it is at one moment.
//
// There are two: RawSink (raw_sink.h) makes a generation of a raw file, and ProfileSink (profile_sink.h) makes the
// profile at once. A profile is recovered from a raw file through a ProfileSink, too. So all that a source writes survives
// a kill, and the recovered profile is the one that a dump had made at that moment.
//
// Example: a class has two counters, which are 7 and 3. Into a ProfileSink, the source writes
//   sink.SetProbeCounts({.classes = &all, .counters = {7, 3}, …});
// A sink with a log knows the class from the last time, so the source need not name its classes. If it is new:
//   sink.log()->AddClass(0, record);
//   sink.SetProbeCounts({.counters = {7, 3}, …});
//
// Threads: one at a time. Failure: std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "writer/profile/model.h"
#include "writer/records/class_record.h"
#include "writer/records/context_samples.h"
#include "writer/records/counted_values.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/raw/raw_writer.h"
#include "writer/records/type_counts.h"

namespace iprof {

// What probes counted.
struct ProbeCounts {
  // All classes, and by site what they saw. Null if the sink has a log, unless they are for SetExact.
  const ClassSource* classes = nullptr;
  const TypeCounts* types = nullptr;
  std::span<const uint64_t> counters = {};              // by CounterIndex
  std::span<const NumberedCounter> more_counters = {};  // see CountedValues
  std::span<const uint64_t> pairs = {};                 // by number; for a log only
  // MethodKey, number.
  std::span<const std::pair<std::string_view, uint64_t>> live_frames = {};
  AssemblyOptions options = {};
  EstimatedMethods estimated = {};  // the counts have these estimates
  // FirstSeen::by_counter. Not for a log, which has it (AddFirst).
  std::span<const uint16_t> first_seen = {};
};

class RecordSink {
 public:
  virtual ~RecordSink() = default;

  // Where classes, their ends, and pairs are added that are new. It remembers them. Such a sink is one snapshot of many,
  // while the program goes on: a source stops no thread and waits for nothing for long, and what is missing comes with the
  // next one. Null: the sink takes all at once, and the time that this needs.
  virtual RawWriter* log() { return nullptr; }
  // If hardly anything was recorded since the log's last generation, a source may save the work and leave what it wrote
  // then. Who asks for one snapshot gets all.
  virtual bool may_repeat() const { return false; }
  // What is in the sink by now, if that is a profile.
  virtual const Profile* profile() const { return nullptr; }

  // All spans stay valid until the sink is complete.
  virtual void SetProbeCounts(ProbeCounts counts) = 0;
  // Before the counts of probes: who called some of their sites. Valid until these are set.
  virtual void SetContexts(const ContextSamples& samples) = 0;
  // The same counts as a sink without a log takes them, where a harvest with this snapshot needs them. Their spans may go.
  virtual void SetExact(ProbeCounts /*counts*/) {}
  // What probes counted, as a profile shows it: versions of classes, exceptions and replaced calls are settled. Null: it
  // is not here.
  virtual const Profile* exact() const { return nullptr; }
  // What another source counted, without a log: all of it.
  virtual void AddHarvest(const ClassSource& classes, std::span<const uint64_t> counters,
                          const TypeCounts& types, const AssemblyOptions& options) = 0;
  // As RawWriter.
  virtual void AddMethod(uint32_t number, const RawMethod& method) = 0;
  virtual void AddStack(uint32_t number, std::span<const RawStackFrame> frames, bool cut) = 0;
  // Of the stacks, by number; after the part "sampling", which says what a weight is.
  virtual void SetWeights(std::span<const uint64_t> weights) = 0;
  virtual void SetPart(std::string_view name, std::string_view json) = 0;
  // Something was recorded while it was read.
  virtual void NoteGoesOn() = 0;
};

}  // namespace iprof
