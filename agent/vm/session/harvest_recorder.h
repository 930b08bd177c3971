// HarvestRecorder: HotSpot's own counters as a source of a recording (source=methoddata and both).
//
// HotSpot counts all the time, and each Write reads what it has counted by then. So a recording can neither
// forget nor leave out anything: there is no reset, and with exact counts beside it (both) no going on after a pause.
//
// Guarantees: a sink without these counters is better than none, so a Write that cannot read them succeeds, with one
// warning; a raw file that has had them keeps the last ones. One Write reads at a time, because it may take all of memory=: a
// snapshot gives way to a profile, and a profile waits for a snapshot for kMostHarvestTime, and then fails. A snapshot
// reads with what is left of memory=. It may also leave the last ones (RecordSink::may_repeat) until the program has used
// as much CPU time as reading them took. Example: that took 0.1 s. A program that uses 0.2 % of a processor is read every 50
// seconds.
// Threads and failure: as Recorder.
#pragma once

#include <jni.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/instrument/table/memory_budget.h"
#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/vm/recorder/recorder.h"
#include "agent/vm/session/own_harvest.h"

namespace iprof::vm {

// What the rest of the session knows of classes that probes count, with source=both.
struct ExactKnowledge {
  std::function<bool(std::string_view)> is_counted = {};  // see HarvestOrder; null: no probes count
  ToClassFile to_class_file = {};                         // see there, too
};

// How the counters are read. A test has its own way, and less patience.
struct HarvestMeans {
  std::function<Result<std::string>(JavaVM*, const HarvestOrder&, const Profile* exact,
                                    RecordSink&)>
      write = WriteOwnHarvest;
  std::chrono::milliseconds patience = kMostHarvestTime;  // for another Write
};

class HarvestRecorder final : public Recorder {
 public:
  // Everything must outlive this object.
  HarvestRecorder(JavaVM* vm, const Options& options, int target_jdk, Log& log,
                  const instrument::MemoryBudget& budget, ExactKnowledge exact,
                  HarvestMeans means = {});

  Status Allows(Request request) const override;
  Status Prepare(StartMoment /*moment*/) override { return {}; }
  Status Begin(JNIEnv* /*jni*/) override { return {}; }
  std::string Pause(JNIEnv* jni) override;
  Status Reset(JNIEnv* /*jni*/, ResetScope /*scope*/) override { return {}; }
  void End() override {}
  bool Close() override { return true; }
  Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) override;
  LogSize log_size() const override { return {.is_costly = true}; }
  void Describe(const ProfileSink& made, RecorderTexts& texts) override;
  // Whether the next Write into this log takes what probes counted (RecordSink::exact).
  bool NeedsExact(RecordSink& sink) const { return !LeavesLast(sink); }

 private:
  bool LeavesLast(RecordSink& sink) const;
  Result<std::string> WriteCounters(RecordSink& sink, const IsOver& is_over);
  Status DoWithout(const Status& why, RecordSink& sink);

  JavaVM* const vm_;
  const Options& options_;
  const int target_jdk_;
  Log& log_;
  const instrument::MemoryBudget& budget_;
  const ExactKnowledge exact_;
  const HarvestMeans means_;
  std::timed_mutex mutex_;       // held by a Write; guards the members below
  std::atomic<int> waiting_{0};  // profiles, for a snapshot
  bool has_warned_ = false;
  bool has_warned_of_age_ = false;
  // CPU time of the process, from which on a log gets new counters.
  std::atomic<uint64_t> next_cpu_ns_{0};
  std::string summary_;  // of the last profile
};

}  // namespace iprof::vm
