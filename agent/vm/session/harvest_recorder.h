// HarvestRecorder: HotSpot's own counters as a source of a recording (source=methoddata and both).
//
// HotSpot counts all the time, and each Write reads what it has counted by then. So a recording can neither
// forget nor leave out anything: there is no reset, and with exact counts beside it (both) no going on after a pause.
//
// Guarantees: a sink without these counters is better than none, so a Write that cannot read them succeeds, with one
// warning; except into a raw file that has had them, which then keeps its last generation. One Write reads at a time, because
// it may take all of memory=: a snapshot gives way to a profile.
// Threads and failure: as Recorder.
#pragma once

#include <jni.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/settings/log.h"
#include "agent/settings/options.h"
#include "agent/vm/recorder/recorder.h"
#include "agent/vm/session/own_harvest.h"

namespace iprof::vm {

// What the rest of the session knows of classes that probes count, with source=both.
struct ExactKnowledge {
  std::function<bool(std::string_view)> is_counted = {};   // see HarvestOrder
  ToClassFile to_class_file = {};                          // see there, too
  std::function<Status(JNIEnv*, RecordSink&)> write = {};  // what they counted
};

class HarvestRecorder final : public Recorder {
 public:
  // Everything must outlive this object.
  HarvestRecorder(JavaVM* vm, const Options& options, int target_jdk, Log& log,
                  ExactKnowledge exact);

  Status Allows(Request request) const override;
  Status Prepare(StartMoment /*moment*/) override { return {}; }
  Status Begin(JNIEnv* /*jni*/) override { return {}; }
  std::string Pause(JNIEnv* jni) override;
  Status Reset(JNIEnv* /*jni*/, ResetScope /*scope*/) override { return {}; }
  void End() override {}
  bool Close() override { return true; }
  Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) override;
  // Another file has had none yet.
  void EndLog() override { has_written_.store(false); }
  LogSize log_size() const override { return {.is_costly = true}; }
  void Describe(const ProfileSink& made, RecorderTexts& texts) override;

 private:
  Result<std::string> WriteCounters(JNIEnv* jni, RecordSink& sink, const IsOver& is_over);

  JavaVM* const vm_;
  const Options& options_;
  const int target_jdk_;
  Log& log_;
  const ExactKnowledge exact_;
  std::timed_mutex mutex_;       // held by a Write
  std::atomic<int> waiting_{0};  // profiles, for a snapshot
  std::atomic<bool> has_written_{false};
  std::atomic<bool> has_warned_{false};
  std::string summary_;  // of the last profile
};

}  // namespace iprof::vm
