// Recorder: one source of what a session records: probes, samples, HotSpot's own counters. A session has a list of them,
// and walks it without knowing which is which. What one must know of another is given to it when it is made.
//
//   with the JVM's start     Prepare(kWithJvm), OnVmStart, OnVmInit
//   while the program runs   Prepare(kRunning), Begin; later Pause; later again Prepare(kRunning), Begin …
//   at any time between      Write, Reset
//   at the end               End, Write, EndThreads; or, if the program goes on, Pause, End, Close
//
// Example: a session that counts and samples has two. A dump walks the list with a ProfileSink: the first writes the
// counts, the second the stacks. A snapshot walks it with a RawSink, and `iprof recover` gets the same profile from the file.
//
// Guarantees: nothing is thrown by End, EndThreads and Close, and they wait for seconds at most.
// Threads: Prepare, Begin, Pause and Reset on an attached thread that may run Java code, or on the loading thread, one at a
// time; Write on any attached thread in the live phase, one at a time into a raw file and one at a time into profiles; End and
// EndThreads on any thread, also during Begin; the rest on any thread.
// Failure: a Status; what is missing in a profile is logged. std::bad_alloc.
#pragma once

#include <jni.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "writer/base/status.h"
#include "writer/control/session_status.h"
#include "writer/profile/io/run_note.h"
#include "writer/records/raw/profile_sink.h"
#include "writer/records/raw/record_sink.h"

namespace iprof::vm {

enum class StartMoment : uint8_t {
  kWithJvm,  // what can record begins at once; the others in OnVmInit
  kRunning,  // Begin follows
};

enum class Request : uint8_t { kGoOn, kReset };

enum class ResetScope : uint8_t { kAll, kSamples };

// What a recorder does to the classes of the program while it records.
enum class CodeChange : uint8_t {
  kNone,
  kUntilPause,
  kForGood,
};

// Of what a recorder keeps for the raw file.
struct LogSize {
  size_t bytes = 0;
  size_t expected_bytes = 0;  // what `bytes` will be soon after BeginLog
  bool has_outgrown =
      false;  // a new file would be much smaller: this one describes much that is gone
  bool is_costly =
      false;  // each Write reads the whole program again, so they should not come too often
};

// What a user is told of a profile: lines, each with its line break.
struct RecorderTexts {
  std::string summary;  // verbose=1
  std::string report;   // verbose=2
};

class Recorder {
 public:
  using IsOver = std::function<bool()>;

  virtual ~Recorder() = default;

  // Why that is not possible, before anything is done; ok: it is.
  virtual Status Allows(Request /*request*/) const { return {}; }
  // Listens to the JVM. All recorders do before one of them begins, because a beginning changes code.
  virtual Status Prepare(StartMoment moment) = 0;
  // With early VMStart only.
  virtual void OnVmStart(JNIEnv* /*jni*/) {}
  virtual void OnVmInit(JNIEnv* /*jni*/) {}
  virtual Status Begin(JNIEnv* jni) = 0;
  // After Prepare: Begin failed, here or in another recorder.
  virtual void CallOff() {}
  // The program gets its own code back. What was recorded stays. Returns what it did, for the user; empty: nothing of
  // interest.
  virtual std::string Pause(JNIEnv* jni) = 0;
  // Forgets what was recorded so far, and goes on.
  virtual Status Reset(JNIEnv* jni, ResetScope scope) = 0;
  // Records nothing new, also if Begin is running. What was recorded can be written.
  virtual void End() = 0;
  // At VMDeath, after the last Write: ends the threads that are left, and none begins again.
  virtual void EndThreads(std::chrono::milliseconds /*patience*/) {}
  // After End, while the program keeps running. Returns true if nothing of the JVM refers to this object any more.
  virtual bool Close() = 0;

  // Writes what was recorded up to now. Gives up with kUsage once `is_over` returns true; null: never. Where it fails, the
  // sink lacks something, and must not replace one that has it.
  virtual Status Write(JNIEnv* jni, RecordSink& sink, const IsOver& is_over) = 0;
  // A new log knows nothing yet; there is no log any more. Not while Write runs.
  virtual void BeginLog() {}
  virtual void EndLog() {}
  virtual LogSize log_size() const { return {}; }

  // What a reader of the raw file needs to know.
  virtual void FillHeader(RawHeader& /*header*/) const {}

  virtual CodeChange changes_code() const { return CodeChange::kNone; }
  // What the user should know of a profile that was written with the last Write into it.
  virtual void Describe(const ProfileSink& /*made*/, RecorderTexts& /*texts*/) {}
  virtual void AddLosses(RunNote& /*note*/) const {}
  // Returns the CPU time that it took, in ns.
  virtual uint64_t AddTo(control::SessionStatus& /*status*/, bool /*is_stopped*/) const {
    return 0;
  }
  // The agent has swapped classes while the program is recorded: frames go on in the old code.
  virtual void ClassesSwapped(JNIEnv* /*jni*/) {}
  // Native memory that the session's budget does not have.
  virtual uint64_t bytes_beyond_budget() const { return 0; }
};

}  // namespace iprof::vm
